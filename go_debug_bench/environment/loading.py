"""One way to load the environment on either release of verifiers, with an error at once for what cannot work."""

from __future__ import annotations

import difflib
import inspect
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import verifiers.v1 as vf
from pydantic import TypeAdapter, ValidationError
from verifiers.v1.runtimes import RuntimeConfig

from go_debug_bench.environment.rollout import desk
from go_debug_bench.environment.taskset import IMAGE, GoDebugConfig, GoDebugTaskset
from go_debug_bench.errors import GobenchError

__all__ = ["load"]

_ENGINES = ("docker", "podman", "apptainer")
# Where each hosted sandbox looks for its account, and how one is made.
_ACCOUNTS: Mapping[str, tuple[str, str, str]] = {
    "prime": ("PRIME_API_KEY", ".prime/config.json", "run 'prime login' or set PRIME_API_KEY"),
    "modal": ("MODAL_TOKEN_ID", ".modal.toml", "run 'modal setup' or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET"),
    "e2b": ("E2B_API_KEY", ".e2b/config.json", "set E2B_API_KEY"),
}


def load(
    *,
    task_ids: Sequence[str] | None,
    max_turns: int,
    sandbox: str,
    difficulty: str | Sequence[str] | None,
    families: Sequence[str] | None,
    image: str | None,
    network: bool,
    **options: Any,
) -> Any:
    """The environment that ``go_debug_bench.load_environment`` describes."""
    if isinstance(task_ids, str):
        task_ids = [task_ids]
    check_sandbox(sandbox)
    desk()
    local = sandbox == "subprocess"
    settings = {
        "id": "go-debug-bench",
        "task_ids": None if task_ids is None else list(task_ids),
        "difficulty": [difficulty] if isinstance(difficulty, str) else difficulty,
        "families": families,
        "image": None if local else (image or IMAGE),
        "network": network,
    }
    classic = find_spec("verifiers.legacy") is not None
    try:
        chosen = GoDebugConfig.model_validate(settings if classic else {**settings, **options})
    except ValidationError as error:
        said = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
        raise GobenchError(f"load_environment: {said}") from error
    tasks = list(GoDebugTaskset(chosen).load())
    if not tasks:
        raise GobenchError(f"no task is of difficulty {difficulty} and of one of the families {families}")
    if not classic:
        agent = {"runtime": {"type": sandbox}, "max_turns": max_turns}
        return vf.load_environment(vf.resolve_env_config({"taskset": {**settings, **options}, "agent": agent}))
    from go_debug_bench.environment.classic import GoDebugEnv

    _check_options(GoDebugEnv, options)
    runtime: dict[str, Any] = {"type": sandbox}
    if not local:
        runtime |= {"image": settings["image"], "cpu": 2.0, "memory": 4.0}
        if not network:
            runtime |= {"allow": []}
            if "allow" not in _known(runtime):
                raise GobenchError(f"the sandbox {sandbox!r} cannot be kept from the network: say network=True")
    adapter: TypeAdapter[Any] = TypeAdapter(RuntimeConfig)
    config = adapter.validate_python(_known(runtime))
    return GoDebugEnv([made.task for made in tasks], config.model_copy, max_turns=max_turns, **options)


def _check_options(environment: type, options: Mapping[str, Any]) -> None:
    """Verifiers' own classes take any option, so that a slip of the pen would be one too."""
    known = {
        name
        for kind in environment.__mro__
        for name, parameter in inspect.signature(kind.__init__).parameters.items()  # type: ignore[misc]
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and name != "self"
    }
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=1)
            raise GobenchError(
                f"load_environment: no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
            )


def _known(runtime: dict[str, Any]) -> dict[str, Any]:
    """The settings that this kind of runtime has."""
    fields = next(
        config.model_fields for config in _configs() if config.model_fields["type"].default == runtime["type"]
    )
    return {name: value for name, value in runtime.items() if name in fields}


def _configs() -> tuple[Any, ...]:
    union = get_args(RuntimeConfig)[0]
    return get_args(union)


def sandboxes() -> list[str]:
    """The sandboxes of the installed release of verifiers."""
    return sorted(str(config.model_fields["type"].default) for config in _configs())


def check_sandbox(name: str) -> None:
    """See that a sandbox is known and there.

    Raises:
        GobenchError: it is not; the message says what to do.
    """
    known = sandboxes()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise GobenchError(f"no sandbox {name!r} in this release of verifiers: choose of {', '.join(known)}{hint}")
    if name in _ENGINES:
        _check_engine(name)
    elif name in _ACCOUNTS:
        variable, file, mend = _ACCOUNTS[name]
        if not os.environ.get(variable) and not (Path.home() / file).exists():
            raise GobenchError(f"the sandbox {name!r} needs an account: {mend}")


def _check_engine(name: str) -> None:
    alternatives = "or choose sandbox='subprocess' for development"
    if shutil.which(name) is None:
        raise GobenchError(
            f"the sandbox {name!r} needs the {name} command, which is not on PATH: install it, {alternatives}"
        )
    try:
        done = subprocess.run([name, "version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GobenchError(f"{name} does not answer: {error}; start it, {alternatives}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise GobenchError(f"{name} does not answer: {(said or ['no output'])[-1][:200]}; start it, {alternatives}")
