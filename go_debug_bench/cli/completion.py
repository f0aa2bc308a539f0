"""``completion``: the script that a shell reads to complete commands, options and task ids."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from go_debug_bench.cli.options import CONTEXT, Examples

__all__ = ["completion"]


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        'eval "$(go-debug-bench completion bash)"': "in ~/.bashrc",
        'eval "$(go-debug-bench completion zsh)"': "in ~/.zshrc",
        "go-debug-bench completion fish | source": "in config.fish",
    },
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, *, shell: str) -> None:
    """Print the script that completes commands, options and task ids in a shell."""
    program = ctx.find_root()
    kind = get_completion_class(shell)
    if kind is None:  # click has no such shell
        raise click.UsageError(f"this release of click completes nothing in {shell}")
    variable = "_GO_DEBUG_BENCH_COMPLETE"
    click.echo(kind(program.command, {}, "go-debug-bench", variable).source())
