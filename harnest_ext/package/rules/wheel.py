"""Rules of a wheel: its file name, folders, metadata and RECORD. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "DATA",
    "DIST_INFO",
    "DIST_INFO_OTHER",
    "ENTRY_SYNTAX",
    "FILENAME",
    "FILENAME_NAME",
    "FILENAME_VERSION",
    "MANIFEST_IDENTITY",
    "METADATA",
    "METADATA_IDENTITY",
    "METADATA_SIZE",
    "NOT_AN_EXTENSION",
    "OUTSIDE",
    "PACKAGE_NAME",
    "PLATFORM",
    "RECORD",
    "RECORD_HASH",
    "RECORD_PATH",
    "WHEEL",
]

FILENAME = Rule(
    id="wheel.filename",
    kind="wheel-filename",
    why="The file name states name, version and tags of a wheel; all of it must be readable.",
    example="harnest_extension_demo-1.0.0-py3.whl",
    fix="Keep the name that the build tool gave: NAME-VERSION[-BUILD]-py3-none-any.whl",
)
FILENAME_NAME = Rule(
    id="wheel.filename-name",
    kind="name-invalid",
    why="The name in the file name is that of an extension.",
    example="harnest_extension_1st-1.0.0-py3-none-any.whl",
    fix="Use a name of a-z, 0-9 and single underscores that starts with a letter.",
)
FILENAME_VERSION = Rule(
    id="wheel.filename-version",
    kind="version-invalid",
    why="The version in the file name is compared with the one inside.",
    example="harnest_extension_demo-v1.0.0-py3-none-any.whl",
    fix="Keep the name that the build tool gave, with the version in PEP 440 normal form.",
)
NOT_AN_EXTENSION = Rule(
    id="wheel.not-an-extension",
    kind="not-an-extension",
    why="Only distributions named harnest-extension-* can be installed as extensions.",
    example="requests-2.32.0-py3-none-any.whl",
    fix="Install ordinary distributions into the Python environment, with 'harnest env sync'.",
)
PLATFORM = Rule(
    id="wheel.platform",
    kind="incompatible-platform",
    why="Extensions are pure Python for every platform.",
    example="harnest_extension_demo-1.0.0-cp311-cp311-linux_x86_64.whl",
    fix="Use the wheel tagged py3-none-any.",
)
PACKAGE_NAME = Rule(
    id="wheel.package-name",
    kind="identity-mismatch",
    why="The package's folder is named after the extension, so that the two can't disagree.",
    example="harnest_extension_other/ in a wheel of harnest-extension-demo",
    fix="Rename the folder to harnest_extension_<name>.",
)
OUTSIDE = Rule(
    id="wheel.outside",
    kind="foreign-files",
    why="Files outside the package's folder would land among other people's modules.",
    example="sitecustomize.py at the wheel's root",
    fix="Move the file below harnest_extension_<name>/, or remove it.",
)
DATA = Rule(
    id="wheel.data",
    kind="foreign-files",
    why="A .data folder installs scripts, headers and files anywhere.",
    example="harnest_extension_demo-1.0.0.data/scripts/ls",
    fix="Remove the folder; ship data below lib/.",
)
DIST_INFO = Rule(
    id="wheel.dist-info",
    kind="wheel-structure",
    why="A wheel has one .dist-info folder, named as the file, with METADATA, WHEEL and RECORD.",
    example="Two .dist-info folders; a missing RECORD.",
    fix="Build the wheel again with an ordinary tool.",
)
DIST_INFO_OTHER = Rule(
    id="wheel.dist-info-name",
    kind="identity-mismatch",
    why="Metadata of another project would shadow that project.",
    example="requests-2.32.0.dist-info/ in an extension's wheel",
    fix="Build the wheel again under its own name.",
)
WHEEL = Rule(
    id="wheel.wheel-file",
    kind="wheel-structure",
    why="The WHEEL file says how to install; only pure wheels of format 1 are known.",
    example="Root-Is-Purelib: false",
    fix="Build the wheel again as a pure Python wheel.",
)
METADATA = Rule(
    id="metadata.field",
    kind="metadata-invalid",
    why="Name, version and requirements must mean one thing to every tool.",
    example="Two Version fields; a carriage return inside a field.",
    fix="Build the wheel again with an ordinary tool.",
)
METADATA_SIZE = Rule(
    id="metadata.size",
    kind="too-large",
    why="Metadata is read whole before it is understood.",
    example="An entry_points.txt of 2 MiB.",
    fix="Shorten the file.",
)
METADATA_IDENTITY = Rule(
    id="metadata.identity",
    kind="identity-mismatch",
    why="File name, metadata and manifest speak of one release of one extension.",
    example="Name: harnest-extension-other in the wheel of demo",
    fix="Give all of them the same name and version.",
)
MANIFEST_IDENTITY = Rule(
    id="wheel.manifest-identity",
    kind="identity-mismatch",
    why="File name and manifest speak of one release of one extension.",
    example="metadata.name: other in the wheel of demo",
    fix="Give both the same name and version.",
)
ENTRY_SYNTAX = Rule(
    id="entry-point.syntax",
    kind="entry-point",
    why="Readers of entry_points.txt differ in what they make of anything unusual.",
    example="A group twice; a byte order mark; a continued line.",
    fix="Write '[harnest.extensions]' and one line 'name = value'.",
)
RECORD = Rule(
    id="record.mismatch",
    kind="record-mismatch",
    why="RECORD lists every file with its hash and size, and nothing that is not there.",
    example="A file that RECORD does not list; a wrong hash; a row twice.",
    fix="Build the wheel again; never edit one by hand.",
)
RECORD_HASH = Rule(
    id="record.weak-hash",
    kind="record-weak-hash",
    why="A weak hash can be met by other content.",
    example="md5=...",
    fix="Build the wheel again with sha256.",
)
RECORD_PATH = Rule(
    id="record.path",
    kind="unsafe-path",
    why="Tools delete what RECORD lists; a path outside would be somebody else's file.",
    example="../../etc/passwd",
    fix="Build the wheel again; never edit one by hand.",
)
