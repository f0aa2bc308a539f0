"""The plugin's options and ini values, as it declares them to pytest."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from docs.from_code.markdown import code, entry, escaped
from pytest_gobench.plugin import pytest_addoption

__all__ = ["PARTS", "Declared"]


class Declared:
    """Stands for pytest's parser, and keeps what is declared to it."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, Any]] = {}
        self.ini: dict[str, dict[str, Any]] = {}
        pytest_addoption(self)  # type: ignore[arg-type]  # it uses no more of the parser than what is here

    def getgroup(self, *_: str) -> Declared:
        """The group of options, which is this object too."""
        return self

    def addoption(self, name: str, **said: Any) -> None:
        """Keep an option, unless it is for other programs only."""
        if said.get("help") != argparse.SUPPRESS:
            self.options[name] = said

    def addini(self, name: str, help: str, **said: Any) -> None:  # noqa: A002  (pytest's name)
        """Keep an ini value."""
        self.ini[name] = {"help": help, **said}


def _options() -> str:
    return "\n" + "\n".join(
        entry(_usage(name, said), _sentence(said["help"])) for name, said in Declared().options.items()
    )


def _usage(name: str, said: dict[str, Any]) -> str:
    metavar = said.get("metavar")
    if metavar is None:
        return name
    return f"{name}[={metavar}]" if said.get("nargs") == "?" else f"{name}={metavar}"


def _ini() -> str:
    entries = [
        entry(name, f"{said.get('type', 'text')}; default {code(_default(said['default']))}", _sentence(said["help"]))
        for name, said in Declared().ini.items()
    ]
    return "\n" + "\n".join(entries)


def _default(value: object) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _sentence(text: str) -> str:
    return escaped(f"{text[:1].upper()}{text[1:]}.")


PARTS: Mapping[str, Callable[[], str]] = {"pytest-options": _options, "pytest-ini": _ini}
