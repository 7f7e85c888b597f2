"""Rules of what an index answers. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "API_VERSION",
    "FILE_NAME",
    "HASH",
    "HASH_MISSING",
    "OTHER_FILE",
    "OTHER_PROJECT",
    "PAGE",
    "QUARANTINED",
    "TWO_HASHES",
    "TYPE",
]

PAGE = Rule(
    id="index.page",
    kind="registry-protocol",
    why="A page that can be read in two ways can't be trusted in either.",
    example="JSON with one key twice, a body cut short, a log-in page in HTML.",
    fix="Check the URL of the index, or tell whoever runs it.",
)
TYPE = Rule(
    id="index.content-type",
    kind="registry-protocol",
    why="The content type says how a page is to be read.",
    example="Content-Type: image/png",
    fix="Check the URL of the index: it is the one below which project pages lie.",
)
API_VERSION = Rule(
    id="index.api-version",
    kind="registry-protocol",
    why="The next major version of the index's protocol may mean other things by the same words.",
    example="api-version 2.0",
    fix="Upgrade Harnest, or use an index that speaks version 1.",
)
OTHER_PROJECT = Rule(
    id="index.other-project",
    kind="registry-mismatch",
    why="An answer about another project would install what was not asked for.",
    example="A page named 'harnest-extension-docker' when 'harnest-extension-demo' was asked for.",
    fix="Tell whoever runs the index.",
)
OTHER_FILE = Rule(
    id="index.other-file",
    kind="registry-mismatch",
    why="A page lists the files of its own project only.",
    example="harnest_extension_docker-1.0.0-py3-none-any.whl on the page of the project demo.",
    fix="Tell whoever runs the index.",
)
FILE_NAME = Rule(
    id="index.file-name",
    kind="unsafe-path",
    why="A file name with a path in it would be written somewhere else.",
    example="../../demo.whl",
    fix="Tell whoever runs the index.",
)
HASH = Rule(
    id="index.hash",
    kind="registry-protocol",
    why="A hash that is none would be compared in vain.",
    example="A sha256 of 40 characters.",
    fix="Tell whoever runs the index.",
)
HASH_MISSING = Rule(
    id="index.hash-missing",
    kind="hash-missing",
    why="Without a sha256 nobody notices that a file was exchanged on its way.",
    example="A link without #sha256=..., or with an md5 alone.",
    fix="Use an index that states sha256 hashes, or install the wheel as a file.",
)
TWO_HASHES = Rule(
    id="index.two-hashes",
    kind="registry-protocol",
    why="One file name with two contents leaves it to chance which one is installed.",
    example="The same file name twice with different hashes.",
    fix="Tell whoever runs the index.",
)
QUARANTINED = Rule(
    id="index.quarantined",
    kind="quarantined",
    why="The index has closed the project because it may be harmful.",
    example="project-status: quarantined",
    fix="Don't install it; ask whoever runs the index.",
)
