"""Rules of what may be asked for and where it may come from. Data only."""

from __future__ import annotations

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "ARCHIVE",
    "BARE_FOLDER",
    "BROKEN_ENTRY",
    "DIRECT_REFERENCE",
    "EMPTY",
    "EXTRAS",
    "FILE_KIND",
    "HASH_MISMATCH",
    "LEFT_OUT",
    "LENGTH",
    "MARKER",
    "MISSING_PATH",
    "NAME_TEXT",
    "NOT_AN_EXTENSION",
    "OLD_ANSWER",
    "OPTION",
    "PROJECT",
    "RANGE",
    "REGISTRY_NAME",
    "SIZE_MISMATCH",
    "UNKNOWN",
    "UNREADABLE",
    "URL",
    "VCS",
]

EMPTY = Rule(
    id="source.empty",
    kind="name-invalid",
    why="An empty argument is nearly always an unset variable of a script.",
    example='harnest extensions install "$NAME" with NAME unset.',
    fix="Name an extension, a folder or a wheel.",
)
OPTION = Rule(
    id="source.option",
    kind="usage",
    why="A name that reads as an option may be one that somebody else has put there.",
    example="-r/etc/passwd",
    fix="Name an extension, a folder or a wheel; a path that begins with '-' needs './' before it.",
)
LENGTH = Rule(
    id="source.length",
    kind="name-invalid",
    why="No name and no requirement is that long.",
    example="A name of 10,000 characters.",
    fix="Check what the command line was given.",
)
URL = Rule(
    id="source.url",
    kind="unsupported-source",
    why="What lies at a URL has no agreed name, version or hash.",
    example="https://example.org/extension.whl",
    fix="Download the wheel, check it, and install the file; or name an index that has it by "
    "--index-url, or a registry by --registry.",
)
VCS = Rule(
    id="source.vcs",
    kind="unsupported-source",
    why="Building from a repository runs code of the package before it is checked.",
    example="git+https://example.org/extension.git",
    fix="Clone the repository and install the folder: harnest extensions install ./FOLDER",
)
ARCHIVE = Rule(
    id="source.archive",
    kind="unsupported-source",
    why="Building a source archive runs code of the package before it is checked.",
    example="harnest_extension_docker-1.0.0.tar.gz",
    fix="Unpack the archive and install the folder, or install a wheel.",
)
FILE_KIND = Rule(
    id="source.file-kind",
    kind="unsupported-source",
    why="An extension is a folder or a wheel; nothing else has rules by which it could be checked.",
    example="extension.py",
    fix="Give the folder that holds extension.yaml, or a .whl file.",
)
DIRECT_REFERENCE = Rule(
    id="source.direct-reference",
    kind="metadata-policy",
    why="A name tied to a URL takes the choice of the source away from the registries.",
    example="docker @ https://example.org/docker.whl",
    fix="Name the extension alone, or download the wheel and install the file.",
)
MISSING_PATH = Rule(
    id="source.missing-path",
    kind="not-found",
    why="A path that is not there must never turn into a look-up of its name somewhere else.",
    example="./my-extension, when there is no such folder.",
    fix="Check the path; to install by name, write the name without a slash.",
)
BARE_FOLDER = Rule(
    id="source.bare-folder",
    kind="usage",
    why="A folder that happens to have the name of a known extension must not silently win.",
    example="docker, in a folder that has a subfolder docker.",
    fix="Write ./NAME for the folder, or NAME==VERSION for the known extension.",
)
NAME_TEXT = Rule(
    id="source.name",
    kind="name-invalid",
    why="A look-alike character in a name leads to somebody else's extension.",
    example="A Cyrillic letter in 'docker'.",
    fix="Type the name again; names are made of a-z, 0-9 and single underscores.",
)
EXTRAS = Rule(
    id="source.extras",
    kind="name-invalid",
    why="Extensions have no extras; what they need is always installed with them.",
    example="docker[all]",
    fix="Name the extension without brackets.",
)
MARKER = Rule(
    id="source.marker",
    kind="name-invalid",
    why="What is typed is wanted here and now; there is nothing for a condition to decide.",
    example="docker; python_version > '3'",
    fix="Leave out everything from the semicolon on.",
)
RANGE = Rule(
    id="source.range",
    kind="version-invalid",
    why="A range is PEP 440's; other spellings mean different things to different people.",
    example="docker^1.0",
    fix="Write a PEP 440 range, such as docker>=1.0,<2.",
)
NOT_AN_EXTENSION = Rule(
    id="source.not-an-extension",
    kind="not-an-extension",
    why="Only projects named harnest-extension-* are extensions; others belong to the Python "
    "environment.",
    example="requests",
    fix="Add an ordinary Python package to the dependencies in the agent's pyproject.toml and run "
    "harnest env sync.",
)
HASH_MISMATCH = Rule(
    id="source.hash-mismatch",
    kind="hash-mismatch",
    why="Bytes that are not those that the source promised were changed by somebody on their way.",
    example="A wheel whose sha256 is another than the one on the index's page.",
    fix="Don't install it; try again later, and tell whoever runs the source.",
)
SIZE_MISMATCH = Rule(
    id="source.size-mismatch",
    kind="hash-mismatch",
    why="A file of another length than the source promised is another file.",
    example="A wheel of 5000 bytes that the index's page gives as 4000.",
    fix="Don't install it; try again later, and tell whoever runs the source.",
)
UNREADABLE = Rule(
    id="source.unreadable",
    kind="io-error",
    why="What can't be read can't be checked.",
    example="A folder of wheels without permission to list it.",
    fix="Check the path and its permissions.",
)
UNKNOWN = Rule(
    id="source.unknown",
    kind="not-found",
    why="A name that no place has is never replaced by a similar one.",
    example="dokcer",
    fix="Check the name: harnest extensions search lists what can be installed.",
)
REGISTRY_NAME = Rule(
    id="source.registry-name",
    kind="not-found",
    why="An extension that is to come from one registry is not looked up in another.",
    example='rag = { registry = "ours" }, when [tool.harnest.registries] has no "ours".',
    fix="Add the registry to [tool.harnest.registries] in the agent's pyproject.toml, or name it "
    "by --registry.",
)
PROJECT = Rule(
    id="source.project",
    kind="project-invalid",
    why="Where extensions come from must be told without doubt.",
    example="registries = 3",
    fix="Mend the agent's pyproject.toml; it is never overwritten.",
)
LEFT_OUT = Rule(
    id="search.left-out",
    kind="network",
    severity=Severity.WARNING,
    why="A place that can't be asked must not keep the others from being searched.",
    example="An index that is too large to be listed.",
    fix="Search again later, or name the extension: install looks it up by its name.",
)
BROKEN_ENTRY = Rule(
    id="search.broken-entry",
    kind="registry-protocol",
    severity=Severity.WARNING,
    why="What a registry says of one extension must not keep the others from being found.",
    example="extensions/weather.toml of a registry is not TOML.",
    fix="Mend the registry's file as its JSON Schema says, or tell whoever keeps it.",
)
OLD_ANSWER = Rule(
    id="search.old-answer",
    kind="offline",
    severity=Severity.WARNING,
    why="What was known before is better than nothing, as long as it is told.",
    example="A search without a network.",
    fix="Search again when the network is back, with --refresh.",
)
