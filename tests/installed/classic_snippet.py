"""The classic API where only the wheel is installed: plays models of a server, and prints what each earned.

Run as ``classic_snippet.py URL MODEL ...``; the last line is JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import verifiers as vf


def main(url: str, models: Sequence[str]) -> None:
    """Evaluate each model once."""
    environment = vf.load_environment("go-debug-bench", task_ids=["eventbus-aliasing"], sandbox="subprocess")
    client = vf.ClientConfig(api_base_url=url, api_key_var="SCRIPTED_MODEL_KEY")
    rows = {}
    for model in models:
        (output,) = environment.evaluate_sync(client, model)["outputs"]
        rows[model] = {"reward": output["reward"], "error": str(output["error"] or ""), "info": output["info"]}
    print(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
