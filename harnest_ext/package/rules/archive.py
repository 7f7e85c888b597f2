"""Rules of the ZIP container of a wheel. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "COMMENT",
    "CONTENT",
    "CORRUPT",
    "DESCRIPTOR",
    "EXTRA",
    "FIELDS",
    "FLAGS",
    "FOLDER_DATA",
    "FRAMING",
    "GAP",
    "METHOD",
    "NAME_ENCODING",
    "RATIO",
    "SIZE",
    "TRUNCATED",
    "ZIP64",
]

TRUNCATED = Rule(
    id="zip.truncated",
    kind="zip-corrupt",
    why="A file that is cut off or is no ZIP archive can't be read to its end.",
    example="An interrupted download; an error page saved as .whl.",
    fix="Fetch the wheel again, and check where it came from.",
)
FRAMING = Rule(
    id="zip.framing",
    kind="zip-corrupt",
    why="Counts, sizes and offsets of an archive must lead to its records.",
    example="An end record that counts more members than there are.",
    fix="Build the wheel again with an ordinary tool.",
)
GAP = Rule(
    id="zip.gap",
    kind="zip-ambiguous",
    why="Bytes that belong to no member hide content which other tools may see.",
    example="A script before the first member; a member that the directory does not list.",
    fix="Build the wheel again with an ordinary tool.",
)
COMMENT = Rule(
    id="zip.comment",
    kind="zip-ambiguous",
    why="A comment can imitate the records of an archive.",
    example="An archive comment that holds another end record.",
    fix="Build the wheel again without comments.",
)
FIELDS = Rule(
    id="zip.fields",
    kind="zip-ambiguous",
    why="Each member is described twice; tools differ in which description they believe.",
    example="A local header with another name than the directory's.",
    fix="Build the wheel again with an ordinary tool.",
)
DESCRIPTOR = Rule(
    id="zip.descriptor",
    kind="zip-ambiguous",
    why="A member whose size follows its content can be read in more than one way.",
    example="An archive that was written to a pipe.",
    fix="Build the wheel into a file, not a stream.",
)
EXTRA = Rule(
    id="zip.extra",
    kind="zip-ambiguous",
    why="Extra fields can give a member a second name or size, or hide content.",
    example="A second name in an Info-ZIP Unicode field.",
    fix="Build the wheel again with an ordinary tool.",
)
ZIP64 = Rule(
    id="zip.zip64",
    kind="zip-ambiguous",
    why="Two records of one size or place must agree.",
    example="A ZIP64 locator that points elsewhere.",
    fix="Build the wheel again with an ordinary tool.",
)
FLAGS = Rule(
    id="zip.flags",
    kind="zip-unsupported",
    why="Encrypted, patched or masked members can't be inspected.",
    example="A member with the encryption flag.",
    fix="Build the wheel again without encryption.",
)
METHOD = Rule(
    id="zip.method",
    kind="zip-unsupported",
    why="Wheels are stored or deflated; nothing else is read everywhere.",
    example="A member compressed by LZMA.",
    fix="Build the wheel again with deflate, or stored.",
)
NAME_ENCODING = Rule(
    id="zip.name",
    kind="unsafe-path",
    why="A name in an unknown encoding is another name for every reader.",
    example="Bytes that are not UTF-8; a non-ASCII name without the UTF-8 flag.",
    fix="Build the wheel again with UTF-8 names.",
)
FOLDER_DATA = Rule(
    id="zip.folder-data",
    kind="zip-ambiguous",
    why="A folder has no content; content in its member is seen by some tools only.",
    example="A member named lib/ of 100 bytes.",
    fix="Build the wheel again with an ordinary tool.",
)
SIZE = Rule(
    id="zip.size",
    kind="too-large",
    why="A wheel is read whole, so its size is bounded.",
    example="A wheel of 40 MiB.",
    fix="Leave out what the extension does not need.",
)
RATIO = Rule(
    id="zip.ratio",
    kind="too-large",
    why="A member that inflates beyond all proportion is a bomb.",
    example="300 MiB of zeros in 300 KiB.",
    fix="Leave the file out, or generate it when the extension starts.",
)
CONTENT = Rule(
    id="zip.content",
    kind="zip-ambiguous",
    why="Compressed data must end where its member ends, or the rest is hidden from some tools.",
    example="Bytes after the end of a deflate stream.",
    fix="Build the wheel again with an ordinary tool.",
)
CORRUPT = Rule(
    id="zip.corrupt",
    kind="zip-corrupt",
    why="Content that does not inflate, or not to its checksum, is damaged.",
    example="A flipped bit in a member.",
    fix="Fetch the wheel again, or build it again.",
)
