"""Groups of commands that import a command only when it is the one to run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.options import examples
from harnest_ext.cli.table import COMMANDS, GROUP_EXAMPLES, GROUPS, OTHER_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click.shell_completion import CompletionItem

__all__ = ["LazyGroup", "load"]


class LazyGroup(click.Group):
    """A group whose commands are rows of a table.

    Args:
        prefix: Path of this group: empty for the root, ``"extensions"`` for that group.
        commands: Command path to ``(module:attribute, short help)``.
        groups: Names of the groups below the root, each with its short help.
    """

    def __init__(
        self,
        name: str,
        *,
        prefix: str = "",
        table: Mapping[str, tuple[str, str]] = COMMANDS,
        groups: Mapping[str, str] = GROUPS,
        help_text: str,
    ) -> None:
        shown = GROUP_EXAMPLES.get(prefix, ())
        super().__init__(
            name,
            help=help_text,
            epilog=examples(*shown) if shown else None,
            no_args_is_help=True,
        )
        self._prefix = f"{prefix} " if prefix else ""
        self._table = table
        self._groups = {} if prefix else groups

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of this group's commands and groups, sorted."""
        del ctx
        return sorted((*self._own(), *self._groups))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, importing it now, or None."""
        del ctx
        if cmd_name in self._groups:
            return LazyGroup(
                cmd_name, prefix=cmd_name, table=self._table, help_text=self._groups[cmd_name]
            )
        row = self._table.get(self._prefix + cmd_name)
        return load(row[0]) if row and cmd_name in self._own() else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that ``args`` begin with, or refuse it naming the closest ones."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and not self._knows(name):
            ctx.fail(f"There is no command '{ctx.command_path} {name}'.{self._hint(ctx, name)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, importing none of them."""
        rows = [(name, self._short(name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the names that ``incomplete`` begins, from the table, and this group's options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells ask

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._short(name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def _own(self) -> Iterator[str]:
        for path in self._table:
            name = path.removeprefix(self._prefix)
            if path.startswith(self._prefix) and " " not in name:
                yield name

    def _knows(self, name: str) -> bool:
        return name in self._groups or name in self._own()

    def _short(self, name: str) -> str:
        if name in self._groups:
            return self._groups[name]
        return self._table[self._prefix + name][1]

    def _hint(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only a wrong command needs it

        meant = OTHER_WORDS.get(name, name)
        close = [f"{ctx.command_path} {m}" for m in get_close_matches(meant, self._own(), n=3)]
        if meant in self._own():
            close = close[:1]
        if not self._prefix:
            close += [f"harnest {m}" for m in get_close_matches(name, self._groups, n=3)]
            words = {path.split()[-1] for path in self._table}
            for word in get_close_matches(meant, words, n=1 if meant in words else 3):
                close += [f"harnest {path}" for path in self._table if path.endswith(f" {word}")]
        shown = " or ".join(f"'{path}'" for path in dict.fromkeys(close))
        return f" Did you mean {shown}?" if shown else ""


def load(target: str) -> click.Command:
    """Import and return the command that ``module:attribute`` names.

    Raises:
        TypeError: The attribute is not a command.
    """
    module, _, attribute = target.partition(":")
    command = getattr(import_module(module), attribute)
    if not isinstance(command, click.Command):
        raise TypeError(f"{target} is not a command")
    return command
