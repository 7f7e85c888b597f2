"""``harnest completion``: the script that teaches a shell to complete ``harnest``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["command"]

_EXAMPLES = (
    "harnest completion bash > ~/.local/share/bash-completion/completions/harnest",
    "harnest completion zsh > ~/.zfunc/_harnest",
    "harnest completion fish > ~/.config/fish/completions/harnest.fish",
)


@click.command("completion", epilog=examples(*_EXAMPLES))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common
def command(shell: str, *, project: object, output: Output) -> None:
    """Print the shell's completion script.

    Save it where the shell looks for completions, or source it.
    """
    del project
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"No completion for {shell}.")
    script = found(click.Group("harnest"), {}, "harnest", "_HARNEST_COMPLETE")
    # The class's own source() starts the shell to learn its version; the script itself is enough.
    text = script.source_template % script.source_vars()
    output.result({"shell": shell, "script": text}, text)
