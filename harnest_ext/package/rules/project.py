"""Rules of a package's ``pyproject.toml``, its requirements and its host. Data only."""

from __future__ import annotations

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "BUILD",
    "DEPENDENCY",
    "DEPTH",
    "DIRECT_URL",
    "ENCODING",
    "ENTRY_MISSING",
    "ENTRY_NAME",
    "ENTRY_OTHER",
    "ENTRY_VALUE",
    "EXTENSION",
    "FIELD",
    "FILE_OUTSIDE",
    "HARNEST",
    "HOST_UNKNOWN",
    "MISSING",
    "NAME",
    "PYTHON",
    "README_MISSING",
    "REQUIREMENT",
    "REQUIREMENTS",
    "REQUIREMENT_SIZE",
    "SIZE",
    "STATIC_AND_DYNAMIC",
    "SYNTAX",
    "VERSION",
]

MISSING = Rule(
    id="project.missing",
    kind="project-invalid",
    why="Without pyproject.toml the extension can't say which Harnest and distributions it needs.",
    example="A folder of extension.yaml and extension.py alone.",
    fix="Add a pyproject.toml with [project]; 'harnest extensions init' shows one.",
    severity=Severity.WARNING,
)
SIZE = Rule(
    id="project.size",
    kind="too-large",
    why="The file is read whole before it is understood.",
    example="A pyproject.toml of 2 MiB.",
    fix="Shorten the file.",
)
ENCODING = Rule(
    id="project.encoding",
    kind="project-invalid",
    why="TOML is UTF-8; two readers must not see two texts.",
    example="A pyproject.toml in UTF-16.",
    fix="Save the file as UTF-8.",
)
DEPTH = Rule(
    id="project.depth",
    kind="project-invalid",
    why="Deep nesting exhausts the stack or the time of whoever reads it.",
    example="x = [[[[...]]]] with 20,000 levels",
    fix="Flatten the value.",
)
SYNTAX = Rule(
    id="project.syntax",
    kind="project-invalid",
    why="The file must mean one thing to every tool.",
    example="[project] twice",
    fix="Correct the line shown.",
)
FIELD = Rule(
    id="project.field",
    kind="project-invalid",
    why="[project] has fields of fixed shapes, and name and version are needed.",
    example='name = "../x"',
    fix="Write the field as the packaging standards describe it.",
)
DEPENDENCY = Rule(
    id="project.requirement",
    kind="project-invalid",
    why="A requirement that does not parse can't be met, and may be an option in disguise.",
    example='dependencies = ["harnest<<2"]',
    fix="Write a PEP 508 requirement, such as httpx>=0.27,<1.",
)
STATIC_AND_DYNAMIC = Rule(
    id="project.static-and-dynamic",
    kind="project-invalid",
    why="A field can't be both written down and computed.",
    example='version = "1.0.0" with dynamic = ["version"]',
    fix="Remove the field from 'dynamic'.",
)
BUILD = Rule(
    id="project.dynamic",
    kind="build-required",
    why="Computing the field would run the build backend, which an installation never does.",
    example='dynamic = ["dependencies"]',
    fix="Write the field down in [project].",
)
NAME = Rule(
    id="project.name",
    kind="identity-mismatch",
    why="Manifest and project must speak of the same extension.",
    example='name = "harnest-extension-docker" with metadata.name demo',
    fix="Use the name harnest-extension-<name with - for _>.",
)
VERSION = Rule(
    id="project.version",
    kind="identity-mismatch",
    why="Manifest and project must speak of the same release.",
    example='version = "2.0.0" with metadata.version 1.0.0',
    fix="Give both the same version.",
)
FILE_OUTSIDE = Rule(
    id="project.file-outside",
    kind="project-invalid",
    why="A path that leaves the source would publish somebody's other files.",
    example='readme = "../../secrets.txt"',
    fix="Name a file inside the folder.",
)
README_MISSING = Rule(
    id="project.readme-missing",
    kind="project-invalid",
    why="A build fails when the readme that the project names is not there.",
    example='readme = "README.md" without that file',
    fix="Add the file, or remove the field.",
)
ENTRY_MISSING = Rule(
    id="entry-point.missing",
    kind="entry-point",
    why="The entry point is how an installed distribution is recognised as an extension.",
    example='No [project.entry-points."harnest.extensions"].',
    fix="Declare exactly one entry: <name> = harnest_extension_<name>.extension:extension",
)
ENTRY_NAME = Rule(
    id="entry-point.name",
    kind="identity-mismatch",
    why="The entry point's name is the extension's name.",
    example="DEMO = harnest_extension_demo.extension:extension",
    fix="Name the entry point exactly as metadata.name.",
)
ENTRY_VALUE = Rule(
    id="entry-point.value",
    kind="entry-point",
    why="The entry point is one fixed name, never another object or an expression.",
    example="demo = os:system",
    fix="Write harnest_extension_<name>.extension:extension",
)
ENTRY_OTHER = Rule(
    id="entry-point.other",
    kind="foreign-entry-point",
    why="Scripts and plugins of other programs would be installed beside the extension.",
    example="[project.scripts] or another entry-point group",
    fix="Remove it; publish it as a distribution of its own.",
)
REQUIREMENT = Rule(
    id="requirement.syntax",
    kind="metadata-invalid",
    why="A requirement that does not parse can't be met, and may be an option in disguise.",
    example="Requires-Dist: --index-url=...",
    fix="Write a PEP 508 requirement, such as httpx>=0.27,<1.",
)
REQUIREMENTS = Rule(
    id="requirement.count",
    kind="too-large",
    why="More requirements than anything needs only cost those who read them.",
    example="50,000 lines of Requires-Dist",
    fix="Shorten the list.",
)
REQUIREMENT_SIZE = Rule(
    id="requirement.size",
    kind="too-large",
    why="Parsing a range costs time for each of its clauses.",
    example="A range of 20,000 clauses.",
    fix="Shorten the requirement.",
)
DIRECT_URL = Rule(
    id="requirement.direct-url",
    kind="metadata-policy",
    why="A direct URL fetches from a place that nobody who installs has chosen.",
    example="evil @ https://example.invalid/evil.whl",
    fix="Name the project and a range; where it comes from is the installer's choice.",
)
EXTENSION = Rule(
    id="requirement.extension",
    kind="metadata-invalid",
    why="Only valid names of other extensions can be found and installed.",
    example="harnest-extension-1st, or the extension's own project",
    fix="Correct the name, or remove the requirement.",
)
PYTHON = Rule(
    id="host.python",
    kind="incompatible-python",
    why="The extension says that it does not work with the running Python.",
    example="requires-python = '>=3.99'",
    fix="Use a Python that the extension supports, or another version of the extension.",
)
HARNEST = Rule(
    id="host.harnest",
    kind="incompatible-harnest",
    why="The extension says that it does not work with the running Harnest.",
    example="dependencies = ['harnest>=99']",
    fix="Use a Harnest that the extension supports, or another version of the extension.",
)
HOST_UNKNOWN = Rule(
    id="host.no-range",
    kind="metadata-invalid",
    why="An extension that names no Harnest range is taken to work with every one.",
    example="dependencies without harnest",
    fix="Add a range of harnest to the dependencies, such as harnest>=1,<2.",
    severity=Severity.WARNING,
)
