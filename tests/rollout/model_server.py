"""A fake model server, compatible with OpenAI's chat completions, that plays scripts instead of thinking.

The server keeps no state of a conversation: the name of the model, ``script:NAME``, chooses a script, and the number
of assistant messages in the request says which turn of it comes next.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self, overload

PREFIX: Final = "script:"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What the model answers once: calls of the bash tool, one per command and all in one message, or a text."""

    commands: tuple[str, ...] = ()
    text: str = ""
    delay: float = 0.0
    """Seconds before the answer."""


def run(*commands: str, delay: float = 0.0) -> Turn:
    """A turn that runs shell commands."""
    return Turn(commands=commands, delay=delay)


def say(text: str, *, delay: float = 0.0) -> Turn:
    """A turn that is a text, which ends a conversation."""
    return Turn(text=text, delay=delay)


class Endless(Sequence[Turn]):
    """A script that repeats one turn for ever."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Turn | Self:
        return self if isinstance(index, slice) else self.turn

    def __len__(self) -> int:
        return sys.maxsize


Script = Sequence[Turn] | Callable[[str], Sequence[Turn]]
"""The turns of a conversation, or a function of its first user message that returns them.

After the last turn the model says that it is done.
"""

BUILT_IN: Final[Mapping[str, Script]] = {"nothing": (), "forever": Endless(run("true"))}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request for a completion that a script answered."""

    script: str
    turn: int
    prompt: str
    streamed: bool
    body: Mapping[str, Any]


class Refused(Exception):
    """A request that no script can answer, with the HTTP status for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ModelServer:
    """The server, on a free port of the loopback device, between entering and leaving the context."""

    def __init__(self, scripts: Mapping[str, Script] | None = None) -> None:
        self.scripts: dict[str, Script] = {**BUILT_IN, **(scripts or {})}
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._http: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._http = _Http(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._http is not None
        assert self._thread is not None
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        assert self._http is not None, "the server is not running"
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """The base URL that clients are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    def count(self, script: str) -> int:
        """How many completions of a script were asked for."""
        return self.counts()[script]

    def counts(self) -> Counter[str]:
        """How many completions of each script were asked for."""
        return Counter(asked.script for asked in list(self.asked))

    def answer(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The assistant message and the finish reason for a request.

        :raises Refused: for a model that is no script, and for a command when no tool takes one.
        """
        name = str(body.get("model", ""))
        script = self.scripts.get(name.removeprefix(PREFIX))
        if script is None or not name.startswith(PREFIX):
            raise Refused(404, f"no model {name!r}")
        messages = body.get("messages") or []
        prompt = next((_text(message) for message in messages if message["role"] == "user"), "")
        number = sum(message["role"] == "assistant" for message in messages)
        self.asked.append(
            Asked(
                script=name.removeprefix(PREFIX),
                turn=number,
                prompt=prompt,
                streamed=bool(body.get("stream")),
                body=body,
            )
        )
        turns = script(prompt) if callable(script) else script
        turn = turns[number] if number < len(turns) else say("I am done.")
        self.closing.wait(turn.delay)
        if not turn.commands:
            return {"role": "assistant", "content": turn.text}, "stop"
        tool, parameter = _command_tool(body.get("tools") or [])
        calls = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps({parameter: command})},
            }
            for index, command in enumerate(turn.commands)
        ]
        return {"role": "assistant", "content": turn.text or None, "tool_calls": calls}, "tool_calls"


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _command_tool(tools: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The first tool that takes a string, and the name of that parameter."""
    for tool in tools:
        function = tool.get("function") or {}
        for parameter, schema in (function.get("parameters") or {}).get("properties", {}).items():
            if schema.get("type") == "string":
                return str(function["name"]), str(parameter)
    raise Refused(400, "the script runs a command, and the request has no tool that takes a string")


USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _completion(body: Mapping[str, Any], message: Mapping[str, Any], reason: str) -> dict[str, Any]:
    return {
        **_head(body, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": USAGE,
    }


def _chunks(body: Mapping[str, Any], message: Mapping[str, Any], reason: str) -> Iterator[dict[str, Any]]:
    """The same completion in pieces, with a call's name and arguments apart, as real servers stream them."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": message["content"] or ""}]
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        deltas += [
            {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]},
            {"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]},
        ]
    head = _head(body, "chat.completion.chunk")
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": USAGE}


def _head(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{time.time_ns()}", "object": kind, "created": int(time.time()), "model": body["model"]}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that a timeout cancelled is gone before its answer: that is no error of the server.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    model: ModelServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for headers and body: two would wait for each other

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parameter's name is http.server's
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            names = [{"id": PREFIX + name, "object": "model", "owned_by": "tests"} for name in self.model.scripts]
            self._json(200, {"object": "list", "data": names})
        elif self.path == "/counts":
            self._json(200, self.model.counts())
        else:
            self._error(404, f"no {self.path}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._error(404, f"no {self.path}")
            return
        try:
            message, reason = self.model.answer(body)
        except Refused as refused:
            self._error(refused.status, str(refused))
            return
        if body.get("stream"):
            events = [json.dumps(chunk) for chunk in _chunks(body, message, reason)]
            self._send(200, "text/event-stream", "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]))
        else:
            self._json(200, _completion(body, message, reason))

    def _error(self, status: int, message: str) -> None:
        self._json(status, {"error": {"message": message, "type": "invalid_request_error", "code": None}})

    def _json(self, status: int, value: object) -> None:
        self._send(status, "application/json", json.dumps(value))

    def _send(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def main(argv: Sequence[str]) -> None:
    """Serve until the process ends: ``PORTFILE [MODULE:SCRIPTS]``, the scripts being a mapping in an importable module.

    The port is written to the file once the server listens; ``GET /counts`` tells how often each script was asked.
    """
    portfile = Path(argv[0])
    scripts: Mapping[str, Script] = {}
    if len(argv) > 1:
        module, _, attribute = argv[1].partition(":")
        scripts = getattr(importlib.import_module(module), attribute)
    with ModelServer(scripts) as server:
        half = portfile.with_name(f"{portfile.name}.half")
        half.write_text(f"{server.port}\n")
        half.replace(portfile)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
