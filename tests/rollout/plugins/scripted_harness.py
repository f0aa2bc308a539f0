"""The harness ``scripted_harness``: a bash agent that needs no network, for either release of verifiers.

Its loop runs in the evaluating process, and nothing is installed into the runtime. The model's endpoint may be
reachable from inside the runtime only, so every model call is a short ``python3`` program that runs there.
"""

from __future__ import annotations

import json
from typing import Any

import verifiers.v1 as vf

__all__ = ["ScriptedHarness"]

ASK = """
import os, sys, urllib.error, urllib.request
with open(sys.argv[1], "rb") as file:
    body = file.read()
os.remove(sys.argv[1])
headers = {"Authorization": "Bearer " + os.environ["MODEL_SECRET"], "Content-Type": "application/json"}
request = urllib.request.Request(sys.argv[2] + "/chat/completions", body, headers)
try:
    with urllib.request.urlopen(request) as response:
        sys.stdout.buffer.write(response.read())
except urllib.error.HTTPError as error:
    sys.exit(f"the model answered {error.code}: {error.read().decode(errors='replace')}")
"""

BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a shell command",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}


class ScriptedHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model, runs the commands that it calls for, and stops when it calls for none."""

    APPENDS_SYSTEM_PROMPT = True
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace[Any, Any, Any],
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002 - the signature is vf.Harness's
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play one conversation; a model call that fails, as every call after the last turn does, ends it."""
        system, prompt = self.resolve_text_prompt(data)
        said = (("system", system), ("user", prompt))
        messages: list[dict[str, Any]] = [{"role": role, "content": text} for role, text in said if text is not None]
        path = f"/tmp/scripted-{trace.id}.json"  # an argument holds 128 kB; the workspace is the task's
        while True:
            body = {"model": ctx.model, "messages": messages, "tools": [BASH]}
            await runtime.write(path, json.dumps(body).encode())
            asked = await runtime.run(["python3", "-c", ASK, path, endpoint], {"MODEL_SECRET": secret})
            if asked.exit_code != 0:
                return asked
            message = json.loads(asked.stdout)["choices"][0]["message"]
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                return vf.ProgramResult(exit_code=0, stdout=message["content"] or "", stderr="")
            for call in calls:
                command = json.loads(call["function"]["arguments"])["command"]
                done = await runtime.run(["bash", "-c", command], self.config.resolved_env)
                content = f"{done.stdout}{done.stderr}[exit status {done.exit_code}]"
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
