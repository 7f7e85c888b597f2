"""A file that crosses the boundary of a sandbox by value."""

from __future__ import annotations

from dataclasses import dataclass, field

from harnest.sandbox.checks import nonblank

__all__ = ["SandboxFile"]


@dataclass(frozen=True, slots=True)
class SandboxFile:
    """A named content; it grants no access to the host's files.

    Args:
        name: Name inside the sandbox. Providers check it and never take it as a host path.
        content: The bytes themselves, or base64 text of them.
        mime_type: Media type of the content.

    Raises:
        ValueError: The name or the media type is blank.
        TypeError: The content is neither bytes nor str.
    """

    name: str = field(repr=False)
    content: str | bytes = field(repr=False)
    mime_type: str = "text/plain"

    def __post_init__(self) -> None:
        nonblank("name", self.name)
        nonblank("mime_type", self.mime_type)
        if not isinstance(self.content, bytes | str):
            raise TypeError(f"content must be bytes or base64 str, not {_type(self.content)}")

    @property
    def data(self) -> bytes:
        """The content as bytes.

        Raises:
            ValueError: The content is text that is not base64.
        """
        if isinstance(self.content, bytes):
            return self.content
        return _decoded(self.content)


def _decoded(text: str) -> bytes:
    import binascii  # noqa: PLC0415 - only files given as text pay for it

    try:
        if len(text) % 4 == 0:  # the strict decoder lets a superfluous '=' pass
            return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        pass
    raise ValueError("the content of a sandbox file is not valid base64")


def _type(value: object) -> str:
    return type(value).__name__
