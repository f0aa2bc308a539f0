"""A toy taskset, as small as one can be: a file in the runtime has to hold another word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import verifiers.v1 as vf

__all__ = ["NotesTaskset"]

NOTE = "note.txt"
WORDS = {"alpha": "one", "beta": "two", "gamma": "three"}


class NoteData(vf.TaskData):
    """The word that the file must hold."""

    word: str
    broken: bool = False


class NoteTask(vf.Task[NoteData]):
    """Write a word into a file."""

    @property
    def key(self) -> str:
        """The task's name."""
        assert self.data.name is not None
        return self.data.name

    async def setup(self, trace: vf.Trace[Any, Any, Any], runtime: vf.Runtime) -> None:  # noqa: ARG002 - as in vf.Task
        """Write the file, with no word in it."""
        if self.data.broken:
            raise RuntimeError("the toy is broken")
        await runtime.write(NOTE, b"nothing\n")

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Write the word, and see that it is the one."""
        await runtime.write(NOTE, f"{self.data.word}\n".encode())
        return (await runtime.read(NOTE)).decode().strip() == self.data.word

    @vf.metric
    async def size(self, trace: vf.Trace[Any, Any, Any], runtime: vf.Runtime) -> float:
        """The file's size."""
        content = await runtime.read(NOTE)
        trace.info["note"] = content.decode()
        return float(len(content))

    @vf.reward(weight=1.0)
    async def solved(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """1 for the right word."""
        return float(str(trace.info["note"]).strip() == self.data.word)

    @vf.reward(weight=0.1)
    async def short(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """1 for a short file."""
        return float(trace.metrics["size"] is not None and trace.metrics["size"] < 20)


class NotesConfig(vf.TasksetConfig):
    """Which words."""

    names: tuple[str, ...] = ("alpha", "beta")
    image: str | None = None
    broken: bool = False


class NotesTaskset(vf.Taskset[NoteTask, NotesConfig]):
    """A task for each name."""

    def load(self) -> Iterable[NoteTask]:
        """The tasks, in the order of the names."""
        for index, name in enumerate(self.config.names):
            data = NoteData(
                idx=index,
                name=name,
                prompt=f"Write the word for {name} into {NOTE}.",
                image=self.config.image,
                word=WORDS[name],
                broken=self.config.broken,
            )
            yield NoteTask(data, self.config.task)
