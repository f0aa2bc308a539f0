"""The folders of tasks that pytest's configuration names, found as pytest finds it; nothing of it is run."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Configured", "configured"]

_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""Where pytest looks, in its order, in each folder from the current one upwards."""
_INI = "gobench_tasks"


class Configured(NamedTuple):
    """The file, and the folders that it names, in its order."""

    file: Path
    folders: Sequence[Path]


def configured(start: Path) -> Configured | None:
    """What the configuration of a pytest that is called in ``start`` names, or None if it names nothing.

    A file that cannot be read or parsed is passed over: pytest itself says what is wrong with it.
    """
    for folder in (start, *start.parents):
        for name in _FILES:
            values = _values(folder / name)
            if values is not None:  # the first file that configures pytest is the only one
                folders = [folder / text for text in _paths(values.get(_INI))]
                return Configured(folder / name, folders) if folders else None
    return None


def _values(file: Path) -> Mapping[str, object] | None:
    """The values for pytest in a file, or None if it is no configuration of pytest."""
    import configparser

    if not file.is_file():
        return None
    try:
        text = file.read_text(encoding="utf-8")
        return _toml(file.name, text) if file.suffix == ".toml" else _ini(file.name, text)
    except (OSError, ValueError, RecursionError, configparser.Error):
        return None


def _toml(name: str, text: str) -> Mapping[str, object] | None:
    import tomllib

    document = tomllib.loads(text)
    if name != "pyproject.toml":
        return _table(document, "pytest")
    values = _table(document, "tool", "pytest")
    return values if values is None or "ini_options" not in values else _table(values, "ini_options")


def _table(document: Mapping[str, object], *names: str) -> Mapping[str, object] | None:
    for name in names:
        inner = document.get(name)
        if not isinstance(inner, dict):
            return None
        document = inner
    return document


def _ini(name: str, text: str) -> Mapping[str, object] | None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    if parser.has_section(section):
        return dict(parser[section])
    return {} if name.endswith("pytest.ini") else None  # which configures pytest even if it says nothing


def _paths(value: object) -> list[str]:
    """The paths of a value, which is one text or a list of texts."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):  # a quotation that does not end
            return shlex.split(value)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
