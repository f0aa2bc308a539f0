"""Rewards, settings and metrics of the environment, from its classes."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from docs.from_code.markdown import code, entry, prose, table
from go_debug_bench import load_environment
from go_debug_bench.grade import REWARDS, Reason

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what verifiers imports has some
    import verifiers.v1 as vf

    from go_debug_bench.environment.rollout import METRICS
    from go_debug_bench.environment.taskset import GoDebugConfig, GoDebugTask, GoDebugTaskConfig

__all__ = ["PARTS"]

_METRICS: Mapping[str, str] = {
    "hidden_pass_fraction": "The part of the hidden tests that pass, from 0 to 1",
    "lint_findings": "How many things the code does that only a cheat needs; one is enough to lose the hidden reward",
    "added_tests": "How many test files the agent added; they are welcome, and not run",
    "grade_seconds": "Wall time of the grade",
}

_REASONS: Mapping[Reason, str] = {
    Reason.NOT_RUN: "Nothing was run yet; no finished grade has it",
    Reason.PASSED: "The whole suite passes and attests it",
    Reason.REFUSED: "The folder breaks a limit of collection, or cannot be read",
    Reason.TAMPERED: "A test of the repository was changed, renamed or deleted",
    Reason.BUILD_FAILED: "The module does not build",
    Reason.FORBIDDEN: "The lint found what only a cheat needs",
    Reason.SUITE_BUILD_FAILED: "The hidden suite does not compile against the code: its public API was changed",
    Reason.TIMED_OUT: "The suite ran out of time",
    Reason.FLOODED: "The suite printed more than the limit",
    Reason.CRASHED: "The suite was ended by a signal, by a panic outside of a test, or by the code under test",
    Reason.FORGED: "Tests were printed to pass that did not attest it",
    Reason.TESTS_FAILED: "Tests failed, or were not reached",
    Reason.UNEXPECTED_TESTS: "Tests were reported that the suite does not have",
}


def _rewards() -> str:
    rows = [
        (code(reward.name), str(reward.weight), prose(getattr(GoDebugTask, reward.name).__doc__)) for reward in REWARDS
    ]
    return table(("reward", "weight", "1 when"), rows)


def _reasons() -> str:
    return table(("code", "meaning"), [(code(reason), f"{_REASONS[reason]}.") for reason in Reason])


def _metrics() -> str:
    rows = [(code("reward"), "The weighted sum of the rewards.")]
    rows += [(code(reward.name), prose(getattr(GoDebugTask, reward.name).__doc__)) for reward in REWARDS]
    rows += [(code(name), f"{_METRICS[name]}.") for name in METRICS]
    return table(("metric", "meaning"), rows)


def _settings() -> str:
    entries = [
        entry(f"{prefix}{name}", f"{_type(field.annotation)}; default {_default(field.default)}", said.get(name, ""))
        for prefix, own, base in (
            ("", GoDebugConfig, vf.TasksetConfig),
            ("task.", GoDebugTaskConfig, vf.TaskConfig),
        )
        for said in [_attribute_docstrings(own)]
        for name, field in own.model_fields.items()
        if name not in base.model_fields
    ]
    return "\n" + "\n".join(entries)


def _attribute_docstrings(model: type) -> dict[str, str]:
    """The strings that stand below the attributes of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        before.target.id: prose(after.value.value)
        for before, after in zip(body.body, body.body[1:], strict=False)
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
    }


def _type(annotation: Any) -> str:
    """A type as somebody who writes TOML knows it."""
    names = {str: "text", float: "number", int: "number", bool: "true or false"}
    if annotation in names:
        return names[annotation]
    if get_origin(annotation) is list:
        return "list"
    if get_origin(annotation) in (types.UnionType, Union):
        parts = [_type(part) for part in get_args(annotation) if part is not type(None)]
        return " or ".join(dict.fromkeys(parts))
    if get_origin(annotation) is Literal:
        return " or ".join(code(value) for value in get_args(annotation))
    return {"Path": "path"}.get(getattr(annotation, "__name__", ""), "table")


def _default(value: object) -> str:
    return "none" if value is None else code(str(value).lower() if isinstance(value, bool) else str(value))


def _load_environment() -> str:
    signature = inspect.signature(load_environment)
    rows = [
        (code(name), "" if parameter.default is parameter.empty else code(repr(parameter.default)))
        for name, parameter in signature.parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    said, _, _ = inspect.cleandoc(load_environment.__doc__ or "").partition("\n\nRaises:")
    paragraphs = "\n\n".join(prose(text) for text in said.split("\n\n"))
    return f"{paragraphs}\n{table(('parameter', 'default'), rows)}"


PARTS: Mapping[str, Callable[[], str]] = {
    "rewards": _rewards,
    "reasons": _reasons,
    "metrics": _metrics,
    "settings": _settings,
    "load-environment": _load_environment,
}
