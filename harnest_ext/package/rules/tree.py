"""Rules of every tree of files, and of the layout of a package's root. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "BYTE_CODE",
    "CHANGED",
    "COLLISION",
    "COMPONENT",
    "CONTENT_UNDECLARED",
    "CONTRIBUTION_EMPTY",
    "CONTRIBUTION_MISSING",
    "DEPTH",
    "EXTENSION_MISSING",
    "FILES",
    "FILE_SIZE",
    "HARNEST_FOLDER",
    "MANIFEST_MISSING",
    "MANIFEST_SECOND",
    "NATIVE",
    "NESTED_NAME",
    "NOT_FOUND",
    "PATH_HOOK",
    "PATH_LENGTH",
    "PATH_SYNTAX",
    "SOURCE_KIND",
    "SPECIAL_FILE",
    "SPECIAL_MODE",
    "STRAY",
    "TOTAL_SIZE",
    "UNREADABLE",
    "WALK",
]

NOT_FOUND = Rule(
    id="source.not-found",
    kind="not-found",
    why="A path that is not there is an error, never a name to look up elsewhere.",
    example="harnest extensions check ./no-such-folder",
    fix="Correct the path.",
)
SOURCE_KIND = Rule(
    id="source.kind",
    kind="unsupported-source",
    why="Building a source archive runs its code; only folders and wheels can be read safely.",
    example="harnest_extension_demo-1.0.0.tar.gz",
    fix="Use the unpacked folder, or a wheel (.whl) made from it by 'harnest extensions build'.",
)
UNREADABLE = Rule(
    id="tree.unreadable",
    kind="io-error",
    why="A file that can't be read can be neither checked nor copied.",
    example="lib/secret.py with mode 0000",
    fix="Make the file readable, or remove it from the package.",
)
CHANGED = Rule(
    id="tree.changed",
    kind="io-error",
    why="What is copied must be what was checked.",
    example="An editor saving lib/client.py while it is being read.",
    fix="Try again when nothing writes to the source.",
)
SPECIAL_FILE = Rule(
    id="tree.special-file",
    kind="unsafe-member-type",
    why="Links, devices, pipes and sockets reach outside the package or never end.",
    example="lib/data -> /etc",
    fix="Replace it by a regular file or folder, or remove it.",
)
SPECIAL_MODE = Rule(
    id="tree.special-mode",
    kind="unsafe-mode",
    why="A setuid or setgid bit gives whoever runs the file another identity.",
    example="lib/run.sh with mode 4755",
    fix="Remove the bit: chmod u-s,g-s FILE.",
)
PATH_SYNTAX = Rule(
    id="tree.path",
    kind="unsafe-path",
    why="A path must name one place inside the package, on every system.",
    example="../outside, /etc/passwd, a//b, lib\\x.py",
    fix="Use relative paths with '/' between plain names.",
)
COMPONENT = Rule(
    id="tree.name",
    kind="unsafe-path",
    why="Invisible, reserved or special characters make names that lie or that systems refuse.",
    example="ex<U+200B>tension.py, nul.txt, 'name '",
    fix="Rename the file.",
)
PATH_LENGTH = Rule(
    id="tree.path-length",
    kind="unsafe-path",
    why="Longer paths fail half way through a copy on common systems.",
    example="A component of 300 bytes.",
    fix="Shorten the path.",
)
DEPTH = Rule(
    id="tree.depth",
    kind="unsafe-path",
    why="Deep trees exhaust whoever walks them.",
    example="a/a/a/... with 500 levels",
    fix="Flatten the folders.",
)
COLLISION = Rule(
    id="tree.collision",
    kind="duplicate-path",
    why="Names that differ by case or normal form only are one file on other systems.",
    example="lib/Client.py beside lib/client.py",
    fix="Rename or remove one of the two.",
)
FILES = Rule(
    id="tree.files",
    kind="too-large",
    why="An extension is code and small data; more is a mistake or an attack.",
    example="A package of 10,001 files.",
    fix="Leave out what the extension does not need.",
)
FILE_SIZE = Rule(
    id="tree.file-size",
    kind="too-large",
    why="An extension is code and small data; more is a mistake or an attack.",
    example="A model file of 200 MiB.",
    fix="Fetch large data when the extension starts, or leave it out.",
)
TOTAL_SIZE = Rule(
    id="tree.total-size",
    kind="too-large",
    why="An extension is code and small data; more is a mistake or an attack.",
    example="Files of 80 MiB in all.",
    fix="Leave out what the extension does not need.",
)
WALK = Rule(
    id="tree.walk",
    kind="too-large",
    why="A folder that is not a package should be noticed before all of it has been walked.",
    example="harnest extensions check /",
    fix="Name the folder of the extension, and keep large trees out of it.",
)
PATH_HOOK = Rule(
    id="tree.path-hook",
    kind="foreign-files",
    why="Python runs or follows these files at every start of the interpreter.",
    example="lib/evil.pth",
    fix="Remove the file.",
)
NATIVE = Rule(
    id="tree.native",
    kind="foreign-files",
    why="Native code can't be reviewed and fits one platform only.",
    example="lib/_speed.so",
    fix="Depend on a distribution that ships the library.",
)
BYTE_CODE = Rule(
    id="tree.byte-code",
    kind="foreign-files",
    why="Byte code hides what runs and can win over the source beside it.",
    example="lib/hidden.pyc",
    fix="Remove the file; ship the source.",
)
HARNEST_FOLDER = Rule(
    id="tree.harnest-folder",
    kind="foreign-files",
    why="A folder of that name can shadow Harnest itself.",
    example="lib/harnest/__init__.py",
    fix="Rename the folder.",
)
MANIFEST_MISSING = Rule(
    id="layout.manifest-missing",
    kind="manifest-missing",
    why="Without a manifest the folder is not an extension.",
    example="A folder without extension.yaml.",
    fix="Add extension.yaml; 'harnest extensions init NAME' makes a complete extension.",
)
MANIFEST_SECOND = Rule(
    id="layout.manifest-second",
    kind="manifest-ambiguous",
    why="A package has one manifest, so that nobody can disagree about which one counts.",
    example="extension.yaml beside extension.yml",
    fix="Remove or rename the other manifest.",
)
EXTENSION_MISSING = Rule(
    id="layout.extension-missing",
    kind="entrypoint-missing",
    why="extension.py is what the runtime loads.",
    example="A package without extension.py.",
    fix="Add extension.py and bind 'extension' in it.",
)
STRAY = Rule(
    id="layout.stray-root-entry",
    kind="foreign-files",
    why="What is not copied must not vanish silently, and what is copied has a known place.",
    example="helpers.py beside extension.py",
    fix="Move code and data below lib/, or prefix the name with '_' to keep it out of the package.",
)
CONTENT_UNDECLARED = Rule(
    id="layout.content-undeclared",
    kind="manifest-invalid",
    why="Content that is there but not declared would never reach an agent.",
    example="tools/search.py without contributes.tools",
    fix="Declare the folder under 'contributes', or move it below lib/.",
)
CONTRIBUTION_MISSING = Rule(
    id="layout.contribution-missing",
    kind="manifest-invalid",
    why="A contribution that is not there can't be contributed.",
    example="contributes: {tools: [tools]} without a folder tools/",
    fix="Add the folder, or remove it from 'contributes'.",
)
CONTRIBUTION_EMPTY = Rule(
    id="layout.contribution-empty",
    kind="manifest-invalid",
    why="Only files are copied, so an empty folder would be missing from the installed copy.",
    example="contributes: {tools: [tools]} with an empty folder tools/",
    fix="Add a file to the folder, or remove it from 'contributes'.",
)
NESTED_NAME = Rule(
    id="layout.package-name",
    kind="identity-mismatch",
    why="The package's folder is named after the extension, so that the two can't disagree.",
    example="harnest_extension_other/ whose manifest says name: demo",
    fix="Rename the folder to harnest_extension_<name>, or correct the name in the manifest.",
)
