"""Rules of the manifest, of versions and of requirements between extensions. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "ALIAS",
    "API_VERSION",
    "CAPABILITY",
    "CHARACTERS",
    "CONTENT_CAPABILITY",
    "CONTRIBUTION",
    "DEPTH",
    "DIRECTIVE",
    "DUPLICATE",
    "DUPLICATE_KEY",
    "ENCODING",
    "ENTRYPOINT",
    "ENTRYPOINT_OTHER",
    "KIND",
    "LIST_LENGTH",
    "MISSING_KEY",
    "NAME",
    "OVERLAP",
    "REQUIREMENT",
    "REQUIREMENT_SIZE",
    "SELF_REQUIREMENT",
    "SHAPE",
    "SIZE",
    "SYNTAX",
    "TAG",
    "UNKNOWN_KEY",
    "VERSION",
    "VERSION_TEXT",
]

SIZE = Rule(
    id="manifest.size",
    kind="too-large",
    why="A manifest is read whole before anything else is known about the package.",
    example="An extension.yaml of 100 KiB.",
    fix="Keep to what the format defines; move prose to README.md.",
)
ENCODING = Rule(
    id="manifest.encoding",
    kind="manifest-invalid",
    why="Two readers must not see two texts in the same bytes.",
    example="An extension.yaml in UTF-16 or Latin-1.",
    fix="Save extension.yaml as UTF-8.",
)
CHARACTERS = Rule(
    id="manifest.characters",
    kind="manifest-invalid",
    why="Control, format and bidi characters make a name read as another one.",
    example="name: de<U+202E>mo",
    fix="Remove the character.",
)
SYNTAX = Rule(
    id="manifest.syntax",
    kind="manifest-invalid",
    why="A manifest is one YAML document, and every tool must read the same one.",
    example="A tab used as indentation; a second document after '---'.",
    fix="Correct the YAML at the line shown.",
)
DIRECTIVE = Rule(
    id="manifest.directive",
    kind="manifest-invalid",
    why="A directive changes how the rest of the file is read.",
    example="%YAML 9.9",
    fix="Remove the line that begins with '%'.",
)
TAG = Rule(
    id="manifest.tag",
    kind="manifest-invalid",
    why="Tags ask the reader to build objects; a manifest is text, lists and mappings.",
    example="name: !!python/name:os.system",
    fix="Remove the tag.",
)
ALIAS = Rule(
    id="manifest.alias",
    kind="manifest-invalid",
    why="Anchors, aliases and merge keys let a small file grow without bound when it is read.",
    example="x: &a [1]\ny: *a",
    fix="Write the value out where it is used.",
)
DEPTH = Rule(
    id="manifest.depth",
    kind="manifest-invalid",
    why="Deep nesting exhausts the stack of whoever reads it.",
    example="[[[[...]]]] with 1,000 levels",
    fix="Keep to what the format defines.",
)
DUPLICATE_KEY = Rule(
    id="manifest.duplicate-key",
    kind="manifest-invalid",
    why="Readers differ in whether the first or the last one counts.",
    example="name: demo\nname: docker",
    fix="Keep one of the two lines.",
)
SHAPE = Rule(
    id="manifest.shape",
    kind="manifest-invalid",
    why="Each key has one shape: text, list or mapping.",
    example="capabilities: sandbox.provider",
    fix="Write the value in the shape shown under 'expected'.",
)
UNKNOWN_KEY = Rule(
    id="manifest.unknown-key",
    kind="manifest-invalid",
    why="A misspelt key would be ignored silently.",
    example="capabilites: [sandbox.provider]",
    fix="Remove the key or correct its spelling.",
)
MISSING_KEY = Rule(
    id="manifest.missing-key",
    kind="manifest-invalid",
    why="The package can't be identified or loaded without it.",
    example="A manifest without metadata.name.",
    fix="Add the key.",
)
API_VERSION = Rule(
    id="manifest.api-version",
    kind="manifest-unsupported",
    why="Another format version may mean something else by the same keys.",
    example="apiVersion: harnest.dev/v2",
    fix="Write 'apiVersion: harnest.dev/v1alpha1', or use a Harnest that knows the other version.",
)
KIND = Rule(
    id="manifest.kind",
    kind="manifest-unsupported",
    why="Only extensions can be installed as extensions.",
    example="kind: AgentPlugin",
    fix="Write 'kind: Extension'.",
)
NAME = Rule(
    id="manifest.name",
    kind="manifest-invalid",
    why="The name is a folder, a Python module and the end of a project name at once.",
    example="name: ../demo",
    fix="Choose a name of a-z, 0-9 and single underscores that starts with a letter.",
)
VERSION = Rule(
    id="manifest.version",
    kind="manifest-invalid",
    why="Versions are ordered and compared; a text that is no version can't be.",
    example="version: latest",
    fix="Write three numbers, such as 1.2.0, and at most one pre-, post-, dev- or local part.",
)
VERSION_TEXT = Rule(
    id="version.text",
    kind="version-invalid",
    why="Versions are ordered and compared; a text that is no version can't be.",
    example="v1.0",
    fix="Write three numbers, such as 1.2.0, and at most one pre-, post-, dev- or local part.",
)
ENTRYPOINT = Rule(
    id="manifest.entrypoint",
    kind="manifest-invalid",
    why="The entry point is a name to bind, never an expression to evaluate.",
    example="entrypoint: \"extension:__import__('os')\"",
    fix="Write 'entrypoint: extension:extension'.",
)
ENTRYPOINT_OTHER = Rule(
    id="manifest.entrypoint-other",
    kind="entrypoint-missing",
    why="An extension is the object 'extension' in extension.py; nothing else is loaded.",
    example="entrypoint: os:system",
    fix="Write 'entrypoint: extension:extension' and bind 'extension' in extension.py.",
)
LIST_LENGTH = Rule(
    id="manifest.list-length",
    kind="too-large",
    why="A list longer than anything meaningful only costs its readers.",
    example="10,000 capabilities",
    fix="Shorten the list.",
)
DUPLICATE = Rule(
    id="manifest.duplicate",
    kind="manifest-invalid",
    why="Saying something twice hides which of the two is meant.",
    example="capabilities: [sandbox.provider, sandbox.provider]",
    fix="Keep one of the two.",
)
CAPABILITY = Rule(
    id="manifest.capability",
    kind="capability-unknown",
    why="An unknown capability can't be reviewed or enforced, so it is refused.",
    example="capabilities: [root.everything]",
    fix="Use a capability of the documented vocabulary, in its exact spelling.",
)
CONTENT_CAPABILITY = Rule(
    id="manifest.content-capability",
    kind="manifest-invalid",
    why="Content that an agent will see is declared where a reviewer looks for it.",
    example="contributes.tools without content.tools under capabilities",
    fix="Add the capability, or remove the contribution.",
)
CONTRIBUTION = Rule(
    id="manifest.contribution",
    kind="manifest-invalid",
    why="A contribution is a folder inside the package, spelt in exactly one way.",
    example="contributes: {tools: [../elsewhere]}",
    fix="Name a folder inside the package, with '/' between parts of [A-Za-z0-9_.-].",
)
OVERLAP = Rule(
    id="manifest.overlap",
    kind="manifest-invalid",
    why="A file that is in two contributions would be contributed twice.",
    example="contributes: {tools: [tools, tools/extra]}",
    fix="Keep the outer folder, or make the folders disjoint.",
)
REQUIREMENT = Rule(
    id="manifest.requirement",
    kind="manifest-invalid",
    why="A requirement is found and installed by its name and range.",
    example="requires: {extensions: ['rag ^1']}",
    fix="Write a name and an optional PEP 440 range, such as rag>=0.1,<1.",
)
REQUIREMENT_SIZE = Rule(
    id="manifest.requirement-size",
    kind="too-large",
    why="Parsing a range costs time for each of its clauses.",
    example="A range of 20,000 clauses.",
    fix="Shorten the range.",
)
SELF_REQUIREMENT = Rule(
    id="manifest.self-requirement",
    kind="manifest-invalid",
    why="An extension that requires itself can never be resolved.",
    example="name: rag with requires.extensions: [rag]",
    fix="Remove the requirement.",
)
