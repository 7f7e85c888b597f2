"""Places of packages on the command line, refused as wrong usage before anything is looked up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.errors import SourceError

__all__ = ["REGISTRY", "URL"]


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # not generic at run time before click 8.3


class _Url(_Text):
    """A URL that may be asked; credentials in it are never shown."""

    name = "url"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the URL as it is, or fail."""
        from harnest_ext.sources.net.address import WebAddress  # noqa: PLC0415 - few lines name one

        try:
            WebAddress.parse(value)
        except SourceError as error:
            problem = error.problems[0]
            self.fail(
                f"{problem.message} Expected https://HOST/..., got {problem.path!r}.", param, ctx
            )
        return value


class _Registry(_Url):
    """The folder or the URL of a registry."""

    name = "registry"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the place as it is, or fail."""
        if "://" in value:
            return super().convert(value, param, ctx)
        try:
            there = bool(value) and Path(value).expanduser().is_dir()
        except (OSError, RuntimeError, ValueError) as error:
            self.fail(f"Directory {value!r} can't be looked at: {error}.", param, ctx)
        if not there:
            self.fail(f"Directory {value!r} does not exist.", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave folders to the shell."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells ask

        del ctx, param
        return [] if "://" in incomplete else [CompletionItem(incomplete, type="dir")]


REGISTRY = _Registry()
URL = _Url()
