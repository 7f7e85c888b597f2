"""Folders, valid or hostile in one way each, with the rule that refuses each of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.manifest.capabilities import CAPABILITIES
from tests.corpus.cases import PROJECT, Case, Content, Demo, folder_case, make_socket, manifest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FOLDERS"]


def files(about: str, rule: str, /, **changes: Content) -> Case:
    """Return a case of changed files; in their names ``__`` is a dot and ``_0_`` a slash."""
    named = {k.replace("_0_", "/").replace("__", "."): v for k, v in changes.items()}
    return folder_case(about, rule, Demo(files=named))


def with_file(name: str, rule: str, content: Content = "") -> Case:
    """Return a case of one further file."""
    return folder_case(f"with {name[:60]!r}", rule, Demo(files={name: content}))


def changed(about: str, rule: str, change: Callable[[Path], object]) -> Case:
    """Return a case of a folder that is changed after it was written."""
    return folder_case(about, rule, Demo(), change)


def of_manifest(about: str, rule: str, text: str | bytes) -> Case:
    """Return a case of another manifest."""
    return folder_case(f"manifest: {about}", rule, Demo(files={"extension.yaml": text}))


def replaced(about: str, rule: str, old: str, new: str) -> Case:
    """Return a case of a manifest with a change."""
    assert old in manifest()
    return of_manifest(about, rule, manifest().replace(old, new))


def project(about: str, rule: str, old: str, new: str) -> Case:
    """Return a case of a ``pyproject.toml`` with a change."""
    assert old in PROJECT
    demo = Demo(files={"pyproject.toml": PROJECT.replace(old, new)})
    return folder_case(f"project: {about}", rule, demo)


def raw_project(about: str, rule: str, content: Content) -> Case:
    """Return a case of another ``pyproject.toml``."""
    return folder_case(f"project: {about}", rule, Demo(files={"pyproject.toml": content}))


def contributing(about: str, rule: str, contributes: str, **more: Content) -> Case:
    """Return a case of contributions, with files below ``tools``, ``skills`` and ``content``."""
    text = manifest(contributes=contributes, capabilities=" [content.tools, content.skills]")
    named = {k.replace("_0_", "/").replace("__", "."): v for k, v in more.items()}
    return folder_case(about, rule, Demo(files={"extension.yaml": text} | named))


def nest(folder: Path) -> None:
    """Move the package one level down, as a checkout has it."""
    package = folder / "harnest_extension_demo"
    package.mkdir()
    for name in ("extension.yaml", "extension.py", "lib"):
        (folder / name).rename(package / name)


def nest_as_other(folder: Path) -> None:
    """Move the package one level down under another name."""
    nest(folder)
    (folder / "harnest_extension_demo").rename(folder / "harnest_extension_other")


def nest_twice(folder: Path) -> None:
    """Leave two packages one level down."""
    nest(folder)
    (folder / "harnest_extension_more").mkdir()
    (folder / "harnest_extension_more" / "extension.yaml").write_text(manifest(name="more"))


def link(name: str, target: str) -> Callable[[Path], None]:
    """Return a change that leaves a symbolic link."""

    def change(folder: Path) -> None:
        path = folder / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(target)

    return change


def in_place_of(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    """Return a change that puts something else where a file is."""

    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return change


def many(count: int) -> Callable[[Path], None]:
    """Return a change that leaves many empty files."""

    def change(folder: Path) -> None:
        (folder / "lib" / "m").mkdir()
        for number in range(count):
            (folder / "lib" / "m" / f"{number}").touch()

    return change


def large(name: str, size: int) -> Callable[[Path], None]:
    """Return a change that leaves a sparse file."""

    def change(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.truncate(size)

    return change


def several_large(folder: Path) -> None:
    """Leave files that are too much together."""
    for number in range(5):
        large(f"lib/{number}", 15 * 2**20)(folder)


def deep(folder: Path) -> None:
    """Leave a file too many levels down."""
    path = folder.joinpath("lib", *["d"] * 32)
    path.mkdir(parents=True)
    (path / "x.txt").touch()


def not_utf8(folder: Path) -> None:
    """Leave a file whose name is not text."""
    Path(os.fsdecode(os.fsencode(folder / "lib") + b"/\xff.txt")).touch()


ACCEPTED = [
    folder_case("flat", "", Demo()),
    changed("nested", "", nest),
    folder_case(
        "nested beside other things", "", Demo(files={"Dockerfile": "", "scripts/x.sh": ""}), nest
    ),
    changed("world writable", "", lambda f: (f / "lib" / "client.py").chmod(0o666)),
    files("without pyproject.toml", "", pyproject__toml=None),
    files("without a readme", "", README__md=None),
    folder_case(
        "with the author's files",
        "",
        Demo(
            files=dict.fromkeys(
                (
                    "setup.py",
                    "setup.cfg",
                    "conftest.py",
                    "pytest.ini",
                    "tox.ini",
                    "noxfile.py",
                    "Makefile",
                    "MANIFEST.in",
                    "requirements-dev.txt",
                    "README.rst",
                    "NOTICE",
                    "uv.lock",
                    "CONTRIBUTING.md",
                    "tests/test_x.py",
                    "docs/index.md",
                    "examples/x.py",
                    "build/lib/x.so",
                    "dist/x.whl",
                    "demo.egg-info/PKG-INFO",
                    "_private.py",
                    "_tests/test_x.py",
                    ".gitignore",
                    ".github/x.yml",
                    "tests/fixture/extension.yaml",
                    "LICENSE",
                    "LICENSES/MIT.txt",
                    "CHANGELOG.md",
                    "py.typed",
                ),
                "",
            )
        ),
    ),
    folder_case(
        "with caches and secrets",
        "",
        Demo(
            files=dict.fromkeys(
                (
                    ".git/config",
                    ".venv/bin/x.so",
                    "venv/x.pth",
                    "__pycache__/extension.cpython-311.pyc",
                    "lib/__pycache__/client.cpython-311.pyc",
                    "lib/.mypy_cache/x",
                    "lib/.DS_Store",
                    "lib/.env",
                    "lib/.env.local",
                    "lib/.ruff_cache/x.so",
                    ".tox/x.pth",
                ),
                "SECRET",
            )
        ),
    ),
    changed("with links in .venv", "", link(".venv/python", "/usr/bin/python3")),
    changed("whose .venv is a link", "", link(".venv", "/usr")),
    folder_case(
        "with unicode names", "", Demo(files={"lib/\u8cc7\u6599.txt": "", "lib/caf\u00e9.txt": ""})
    ),
    with_file("lib/data with spaces (1) & more.txt", ""),
    contributing(
        "with contributions",
        "",
        " {tools: [tools], skills: [content/skills]}",
        tools_0_a__py="",
        content_0_skills_0_a__md="",
    ),
    files(
        "that imports what may be missing",
        "",
        lib_0_client__py=(
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ._types import T\n"
            "try:\n    from ._fast import f\nexcept ImportError:\n    f = None\n"
        ),
    ),
    files(
        "that imports from its root",
        "",
        lib_0_client__py="from .. import extension\nfrom ..lib import helper\nfrom . import *\n",
    ),
    files("that binds by import", "", extension__py="from .lib.helper import VALUE as extension\n"),
    files("that binds by star", "", extension__py="from .lib.helper import *\n"),
    files(
        "that binds in a branch",
        "",
        extension__py="try:\n    import x\nexcept ImportError:\n    extension = 1\n",
    ),
    files("that binds a class", "", extension__py="class extension: ...\n"),
    files("that binds by a walrus", "", extension__py="print(extension := 1)\n"),
    files(
        "with a latin-1 comment line", "", lib_0_helper__py=b"# coding: latin-1\nVALUE = '\xe9'\n"
    ),
    files("with an invalid escape", "", lib_0_helper__py="VALUE = '\\d'\n"),
]

TREE = [
    changed(
        "that is empty",
        "layout.manifest-missing",
        lambda f: [p.unlink() for p in f.rglob("*") if p.is_file()],
    ),
    files("without a manifest", "layout.manifest-missing", extension__yaml=None),
    changed(
        "with extension.yml alone",
        "layout.manifest-missing",
        lambda f: (f / "extension.yaml").rename(f / "extension.yml"),
    ),
    changed(
        "whose manifest is a folder",
        "layout.manifest-missing",
        in_place_of("extension.yaml", lambda p: p.mkdir()),
    ),
    folder_case(
        "without a manifest, of something else",
        "layout.manifest-missing",
        Demo(files={"extension.yaml": None, "app.py": "", "src/x.py": ""}),
    ),
    files("without extension.py", "layout.extension-missing", extension__py=None),
    changed(
        "whose extension.py is a folder",
        "layout.extension-missing",
        in_place_of("extension.py", lambda p: p.mkdir()),
    ),
    with_file("extension.yml", "layout.manifest-second", manifest()),
    with_file("lib/extension.yaml", "layout.manifest-second", manifest()),
    with_file("lib/Extension.YML", "layout.manifest-second", manifest()),
    with_file("harnest_extension_demo/extension.yaml", "layout.manifest-second", manifest()),
    changed("nested under another name", "layout.package-name", nest_as_other),
    changed("with two nested packages", "layout.manifest-second", nest_twice),
    *[
        changed(f"with a link: {about}", "tree.special-file", link(name, target))
        for about, name, target in (
            ("file outside", "lib/x", "../../x"),
            ("absolute", "lib/x", "/etc/passwd"),
            ("root", "lib/x", "/"),
            ("itself", "lib/x", "x"),
            ("dangling", "lib/x", "nowhere"),
            ("inside", "lib/x.py", "client.py"),
            ("manifest", "extension.yaml", "../x"),
            ("extension.py", "extension.py", "lib/client.py"),
            ("project", "pyproject.toml", "../x"),
            ("proc", "lib/x", "/proc/self/environ"),
            ("in tests/", "tests/x", "/etc/passwd"),
            ("hidden", ".x", "/etc/passwd"),
            ("at the root", "stray", "lib"),
        )
    ],
    changed("with a pipe", "tree.special-file", lambda f: os.mkfifo(f / "lib" / "pipe")),
    changed(
        "with a pipe as manifest", "tree.special-file", in_place_of("extension.yaml", os.mkfifo)
    ),
    changed(
        "with a pipe as project", "tree.special-file", in_place_of("pyproject.toml", os.mkfifo)
    ),
    changed(
        "with a pipe among tests",
        "tree.special-file",
        lambda f: (f / "tests").mkdir() or os.mkfifo(f / "tests" / "pipe"),
    ),
    changed("with a socket", "tree.special-file", make_socket),
    changed(
        "with a setuid file", "tree.special-mode", lambda f: (f / "lib" / "client.py").chmod(0o4755)
    ),
    changed(
        "with a setgid file", "tree.special-mode", lambda f: (f / "lib" / "client.py").chmod(0o2755)
    ),
    changed("with 10,001 files", "tree.files", many(10_001)),
    changed("with a file of 17 MiB", "tree.file-size", large("lib/x", 17 * 2**20)),
    changed("with 75 MiB", "tree.total-size", several_large),
    changed("33 levels deep", "tree.depth", deep),
    changed("with a name that is not UTF-8", "tree.name", not_utf8),
    *[
        with_file(name, "tree.name")
        for name in (
            "a\nb.py",
            "lib/\x1b[2J",
            "lib/a:b",
            "lib/a\\b",
            "lib/a*",
            "lib/a?",
            'lib/a"',
            "lib/a<",
            "lib/a>",
            "lib/a|",
            "lib/a.",
            "lib/a ",
            "lib/nul",
            "lib/LPT1.txt",
            "lib/a\u202eb",
            "lib/a\u200db",
            "lib/a\u2066b",
            "lib/a\ufe0f",
            "lib/aux.py",
            "lib/conin$",
        )
    ],
    folder_case(
        "with names that differ by normal form",
        "tree.collision",
        Demo(files={"lib/caf\u00e9": "", "lib/cafe\u0301": ""}),
    ),
    folder_case(
        "with names that differ by case", "tree.collision", Demo(files={"lib/Client.py": ""})
    ),
    folder_case(
        "with folders that differ by case",
        "tree.collision",
        Demo(files={"LIB/x.py": "", "lib/x.py": ""}),
    ),
    with_file("evil.pth", "tree.path-hook", "import os"),
    with_file("lib/evil.pth", "tree.path-hook", "import os"),
    with_file("lib/x.egg-link", "tree.path-hook"),
    *[
        with_file(f"lib/x.{suffix}", "tree.native")
        for suffix in ("so", "so.1", "SO", "dll", "dylib", "a", "o", "obj", "lib", "node", "exe")
    ],
    with_file("lib/data.bin", "tree.native", "\x7fELF\x02\x01"),
    with_file("lib/driver", "tree.native", "MZ" + "\0" * 100 + "PE\0\0"),
    with_file("lib/MZ.txt", "", "MZ is a text too"),
    with_file("lib/notes.also", ""),
    project(
        "with a readme that is not there",
        "project.readme-missing",
        "[project]",
        '[project]\nreadme = "NO.md"',
    ),
    with_file("x.pyd", "tree.native"),
    with_file("lib/hidden.pyc", "tree.byte-code"),
    with_file("lib/hidden.PYO", "tree.byte-code"),
    with_file("lib/harnest/__init__.py", "tree.harnest-folder"),
    with_file("lib/Harnest/x.txt", "tree.harnest-folder"),
    *[
        with_file(name, "layout.stray-root-entry")
        for name in (
            "helpers.py",
            "data/x.json",
            "sitecustomize.py",
            "src/x.py",
            "run.sh",
        )
    ],
    with_file("tools/a.py", "layout.content-undeclared"),
    with_file("skills/a.md", "layout.content-undeclared"),
    contributing(
        "contributing what is not there", "layout.contribution-missing", " {tools: [tools]}"
    ),
    contributing(
        "contributing a file",
        "layout.contribution-missing",
        " {tools: [content/a.py]}",
        content_0_a__py="",
    ),
    folder_case(
        "contributing nothing",
        "layout.contribution-empty",
        Demo(
            files={
                "extension.yaml": manifest(
                    contributes=" {tools: [tools]}", capabilities=" [content.tools]"
                )
            }
        ),
        lambda f: (f / "tools").mkdir(),
    ),
]

PYTHON = [
    files("with a syntax error", "python.syntax", lib_0_client__py="x = 1\ndef broken(:\n"),
    files("with a NUL in Python", "python.syntax", lib_0_client__py=b"x = 1\0\n"),
    files("with undecodable Python", "python.syntax", lib_0_client__py=b"x = '\xff'\n"),
    files("with deeply nested Python", "python.syntax", lib_0_client__py="(" * 500 + ")" * 500),
    files("with endless operators", "python.syntax", lib_0_client__py="x = " + "-" * 20000 + "1\n"),
    files("with an odd encoding", "python.encoding", lib_0_client__py="# coding: utf-7\n"),
    files(
        "with an odd encoding on line 2",
        "python.encoding",
        lib_0_client__py="#!/bin/x\n# -*- coding: punycode -*-\n",
    ),
    files("with 2 MiB of Python", "python.size", lib_0_client__py="x = 1\n" * (2**21 // 6)),
    files("with too many tokens", "python.size", lib_0_client__py="0," * 200_000),
    files("that binds nothing", "python.extension-unbound", extension__py="class E: ...\n"),
    files("that only annotates", "python.extension-unbound", extension__py="extension: object\n"),
    files(
        "that binds in a function",
        "python.extension-unbound",
        extension__py="def f():\n    extension = 1\n",
    ),
    files(
        "that binds in a comprehension",
        "python.extension-unbound",
        extension__py="x = [extension for extension in ()]\n",
    ),
    files(
        "that binds an attribute",
        "python.extension-unbound",
        extension__py="import x\nx.extension = 1\n",
    ),
    files("with an empty extension.py", "python.extension-unbound", extension__py=""),
    files(
        "that leaves the package",
        "python.import-outside",
        lib_0_client__py="from ... import other\n",
    ),
    files(
        "that leaves it from the root",
        "python.import-outside",
        extension__py="from ..x import y\nextension = 1\n",
    ),
    files(
        "that imports what is not there",
        "python.import-missing",
        lib_0_client__py="from .nothing import x\n",
    ),
    files(
        "that imports what is not copied",
        "python.import-missing",
        _private__py="x = 1\n",
        extension__py="from ._private import x\nextension = x\n",
    ),
    files(
        "that imports what is not copied by name",
        "python.import-missing",
        _private__py="x = 1\n",
        lib_0_client__py="from .. import _private\n",
    ),
    folder_case(
        "that imports what is not there in a function",
        "python.import-missing",
        Demo(
            files={
                "lib/client.py": "def f():\n    from . import nothing\n",
                "lib/__init__.py": None,
            }
        ),
    ),
    with_file("Extension.py", "tree.collision"),
]

MANIFESTS = [
    of_manifest("of 65 KiB", "manifest.size", manifest() + "#" * 65536),
    of_manifest("in UTF-16", "manifest.encoding", manifest().encode("utf-16")),
    of_manifest("in Latin-1", "manifest.encoding", manifest().encode() + b"# \xe9\n"),
    of_manifest("with an escape", "manifest.characters", manifest() + "# \x1b[31m\n"),
    of_manifest("with a bidi override", "manifest.characters", manifest() + "# \u202e\n"),
    of_manifest(
        "with a hidden letter by escape", "manifest.characters", manifest(name='"de\\u202emo"')
    ),
    of_manifest("with NEL", "manifest.characters", manifest() + "# \x85\n"),
    of_manifest("empty", "manifest.syntax", ""),
    of_manifest("a comment", "manifest.syntax", "# nothing\n"),
    of_manifest("of two documents", "manifest.syntax", manifest() + "---\n" + manifest()),
    of_manifest("with a tab", "manifest.syntax", manifest().replace("  name", "\tname")),
    of_manifest("with a stray bracket", "manifest.syntax", manifest() + "x: [\n"),
    of_manifest(
        "with an unknown version of YAML", "manifest.syntax", "%YAML 9.9\n---\n" + manifest()
    ),
    of_manifest("with a directive", "manifest.directive", "%YAML 1.1\n---\n" + manifest()),
    of_manifest(
        "with a tag directive", "manifest.directive", "%TAG ! tag:x,2000:\n---\n" + manifest()
    ),
    replaced("with a tag", "manifest.tag", "name: demo", "name: !secret demo"),
    replaced(
        "with a Python tag", "manifest.tag", "name: demo", "name: !!python/name:os.system demo"
    ),
    of_manifest("with a tagged mapping", "manifest.tag", "!!map\n" + manifest()),
    replaced("with an anchor", "manifest.alias", "name: demo", "name: &a demo"),
    of_manifest("with an alias", "manifest.alias", manifest() + "x: *a\n"),
    of_manifest("with a merge key", "manifest.alias", manifest() + "<<: {kind: Extension}\n"),
    of_manifest(
        "with 40 levels", "manifest.depth", manifest() + "x: " + "[" * 40 + "]" * 40 + "\n"
    ),
    of_manifest("with a key twice", "manifest.duplicate-key", manifest() + "kind: Extension\n"),
    replaced(
        "with a nested key twice", "manifest.duplicate-key", "name: demo", "name: demo\n  name: x"
    ),
    *[
        of_manifest(f"that is {text!r}", "manifest.shape", text)
        for text in ("null", "hello", "- a", "[]", "''")
    ],
    of_manifest("with a complex key", "manifest.shape", manifest() + "? [a, b]\n: 2\n"),
    replaced("with a list as apiVersion", "manifest.shape", "harnest.dev/v1alpha1", "[x]"),
    replaced(
        "with no metadata",
        "manifest.shape",
        "metadata:\n  name: demo\n  version: 1.0.0",
        "metadata:",
    ),
    replaced("with a null name", "manifest.shape", "name: demo", "name: ~"),
    replaced("with an empty name", "manifest.shape", "name: demo", "name: ''"),
    replaced(
        "with a runtime of text",
        "manifest.shape",
        "runtime:\n  entrypoint: extension:extension",
        "runtime: x",
    ),
    of_manifest(
        "with capabilities of text", "manifest.shape", manifest(capabilities=" sandbox.provider")
    ),
    of_manifest(
        "with a mapping of capabilities",
        "manifest.shape",
        manifest(capabilities=" {sandbox.provider: true}"),
    ),
    of_manifest("with a null capability", "manifest.shape", manifest(capabilities=" [~]")),
    of_manifest("with empty contributions", "manifest.shape", manifest(contributes=" {tools: []}")),
    of_manifest("with requires of text", "manifest.shape", manifest(requires=" rag")),
    of_manifest("with an unknown key", "manifest.unknown-key", manifest(capabilites=" []")),
    replaced(
        "with an unknown nested key", "manifest.unknown-key", "version:", "licence: x\n  version:"
    ),
    of_manifest(
        "with an unknown kind of content",
        "manifest.unknown-key",
        manifest(contributes=" {prompts: [x]}"),
    ),
    replaced(
        "without apiVersion", "manifest.missing-key", "apiVersion: harnest.dev/v1alpha1\n", ""
    ),
    replaced("without name", "manifest.missing-key", "  name: demo\n", ""),
    replaced("without version", "manifest.missing-key", "  version: 1.0.0\n", ""),
    replaced("of another apiVersion", "manifest.api-version", "v1alpha1", "v2"),
    replaced("of another kind", "manifest.kind", "kind: Extension", "kind: AgentPlugin"),
    *[
        replaced(f"named {name}", "manifest.name", "name: demo", f"name: {name}")
        for name in (
            "../demo",
            "123",
            "1demo",
            "Demo",
            "de-mo",
            "de__mo",
            "demo_",
            "_demo",
            "d\u0435mo",
            "class",
            "nul",
            "com1",
            "harnest",
            "extensions",
            "true",
            "none",
            "d" * 65,
            "de.mo",
            "'de mo'",
        )
    ],
    *[
        replaced(
            f"of version {version}", "manifest.version", "version: 1.0.0", f"version: {version}"
        )
        for version in (
            "1",
            "1.0",
            "2026-01-01",
            "1:30",
            "latest",
            "v1.0.0",
            "1!1.0.0",
            "01.0.0",
            "1.0.00",
            "1.0.0.0",
            "1.0.0-1",
            "1.0.0-foo",
            "1.0.0+",
            "1.0.0rc1rc2",
            "1.0.\u0661",
            "1.0.0 ",
            "'1.0.0 '",
            "1.0.0+" + "a" * 64,
            "1.2.3.4rc1",
            "-1.0.0",
        )
        if version != "1.0.0 "
    ],
    *[
        replaced(
            f"with the entry point {value}", "manifest.entrypoint", "extension:extension", value
        )
        for value in (
            "extension",
            "'a:b:c'",
            "':extension'",
            "'extension:'",
            "../evil:extension",
            "..evil:extension",
            "'extension : extension'",
            "extension:extension.__class__",
            "\"extension:__import__('os')\"",
        )
    ],
    *[
        replaced(
            f"with the entry point {value}",
            "manifest.entrypoint-other",
            "extension:extension",
            value,
        )
        for value in ("os:system", "extension.py:extension", "extension:other", "lib.client:VALUE")
    ],
    of_manifest(
        "with 10,000 capabilities",
        "manifest.list-length",
        manifest(capabilities=f" [{','.join(['a'] * 10_000)}]"),
    ),
    of_manifest(
        "with a capability twice",
        "manifest.duplicate",
        manifest(capabilities=" [policy.output, policy.output]"),
    ),
    of_manifest(
        "with a requirement twice",
        "manifest.duplicate",
        manifest(requires=" {extensions: [rag, rag>=1]}"),
    ),
    of_manifest(
        "with an unknown capability",
        "manifest.capability",
        manifest(capabilities=" [root.everything]"),
    ),
    of_manifest(
        "with a capability in capitals",
        "manifest.capability",
        manifest(capabilities=" [Sandbox.Provider]"),
    ),
    of_manifest(
        "without its content's capability",
        "manifest.content-capability",
        manifest(contributes=" {tools: [tools]}"),
    ),
    *[
        of_manifest(
            f"contributing {path!r}",
            "manifest.contribution",
            manifest(contributes=f" {{tools: ['{path}']}}", capabilities=" [content.tools]"),
        )
        for path in (
            "../x",
            "/x",
            "x/",
            "a//b",
            "./a",
            ".x",
            "_x",
            "lib",
            "lib/tools",
            "tests",
            "harnest",
            "a b",
            "a\\b",
            "a.",
            "extension.py",
            "LICENSE",
            "x/../y",
            "\u00e9",
            "x" * 600,
        )
    ],
    of_manifest(
        "with overlapping folders",
        "manifest.overlap",
        manifest(contributes=" {tools: [a, a/b]}", capabilities=" [content.tools]"),
    ),
    of_manifest(
        "with one folder twice",
        "manifest.overlap",
        manifest(
            contributes=" {tools: [a], skills: [A]}",
            capabilities=" [content.tools, content.skills]",
        ),
    ),
    *[
        of_manifest(
            f"requiring {text!r}",
            "manifest.requirement",
            manifest(requires=f' {{extensions: ["{text}"]}}'),
        )
        for text in (
            "rag ^1",
            "rag@1.0",
            "rag[x]",
            "Rag",
            "rag>=x",
            "../rag",
            "rag>=1;x",
            "rag @ https://x.invalid",
            "harnest-extension-rag",
            "==1",
        )
    ],
    of_manifest(
        "with an endless requirement",
        "manifest.requirement-size",
        manifest(requires=f" {{extensions: ['rag{','.join(['>=1'] * 3000)}']}}"),
    ),
    of_manifest(
        "requiring itself", "manifest.self-requirement", manifest(requires=" {extensions: [demo]}")
    ),
]

MANIFESTS_ACCEPTED = [
    of_manifest("with a mark", "", "\ufeff" + manifest()),
    of_manifest("with CRLF", "", manifest().replace("\n", "\r\n")),
    of_manifest("explicit", "", "---\n" + manifest() + "...\n"),
    of_manifest(
        "of JSON",
        "",
        '{"apiVersion": "harnest.dev/v1alpha1", "kind": "Extension",'
        ' "metadata": {"name": "demo", "version": "1.0.0"},'
        ' "runtime": {"entrypoint": "extension:extension"}}',
    ),
    of_manifest("with every capability", "", manifest(capabilities=f" {sorted(CAPABILITIES)}")),
    of_manifest("without capabilities", "", manifest(capabilities=" []")),
    of_manifest(
        "with requirements",
        "",
        manifest(requires=" {extensions: [rag, 'hatchet>=0.1, <1', x_y == 1.0]}"),
    ),
    of_manifest("with nothing required", "", manifest(requires=" {}", contributes=" {}")),
    replaced(
        "with text about it",
        "",
        "version: 1.0.0",
        "version: 1.0.0\n  summary: Sch\u00f6n\n  documentation: yes",
    ),
]

PROJECTS = [
    raw_project("empty", "project.field", ""),
    raw_project("broken", "project.syntax", PROJECT + "[[["),
    raw_project("with [project] twice", "project.syntax", PROJECT + '[project]\nname = "x"\n'),
    raw_project("with a NUL", "project.syntax", PROJECT.replace("demo", "de\0mo")),
    raw_project("with an endless number", "project.syntax", "x = " + "9" * 5000 + "\n" + PROJECT),
    raw_project("in UTF-16", "project.encoding", PROJECT.encode("utf-16")),
    raw_project("of 1 MiB", "project.size", PROJECT + "#" * 2**20),
    raw_project("with nested arrays", "project.depth", PROJECT + "x = " + "[" * 20_000),
    raw_project(
        "with nested tables", "project.depth", PROJECT + "x = " + "{a=" * 40 + "1" + "}" * 40
    ),
    raw_project("with dotted keys", "project.depth", PROJECT + ".".join(["a"] * 20_000) + " = 1\n"),
    raw_project(
        "with a dotted header", "project.depth", PROJECT + "[" + ".".join(["a"] * 40) + "]\n"
    ),
    project("of another extension", "project.name", "extension-demo", "extension-docker"),
    project("with a path as name", "project.field", "harnest-extension-demo", "../../x"),
    project("with a number as name", "project.field", '"harnest-extension-demo"', "1"),
    project("without name", "project.field", 'name = "harnest-extension-demo"\n', ""),
    project("without version", "project.field", 'version = "1.0.0"\n', ""),
    project("of another version", "project.version", '"1.0.0"', '"2.0.0"'),
    project("with a word as version", "project.field", '"1.0.0"', '"latest"'),
    project(
        "with a static and dynamic version",
        "project.static-and-dynamic",
        "[project]",
        '[project]\ndynamic = ["version"]',
    ),
    project(
        "with a dynamic version", "project.dynamic", 'version = "1.0.0"', 'dynamic = ["version"]'
    ),
    project(
        "with dynamic dependencies",
        "project.dynamic",
        'dependencies = ["harnest>=1,<2", "httpx>=0.27"]',
        'dynamic = ["dependencies"]',
    ),
    project(
        "with dynamic scripts", "project.dynamic", "[project]", '[project]\ndynamic = ["scripts"]'
    ),
    project(
        "with dependencies of text",
        "project.field",
        '["harnest>=1,<2", "httpx>=0.27"]',
        '"harnest"',
    ),
    project("with a bad dependency", "project.requirement", "httpx>=0.27", "httpx<<1"),
    project(
        "with a direct URL", "requirement.direct-url", "httpx>=0.27", "e @ https://x.invalid/e.whl"
    ),
    project(
        "with a direct URL for an extra",
        "requirement.direct-url",
        "[project.entry",
        '[project.optional-dependencies]\nx = ["e @ https://x.invalid/e.whl"]\n[project.entry',
    ),
    project("requiring itself", "requirement.extension", "httpx>=0.27", "harnest_extension.demo"),
    project(
        "with 300 dependencies",
        "requirement.count",
        '"httpx>=0.27"',
        ", ".join(f'"a{n}"' for n in range(300)),
    ),
    project("for no Python here", "host.python", ">=3.11", ">=99"),
    project("with no range of Python", "project.field", ">=3.11", "three"),
    project("for no Harnest here", "host.harnest", "harnest>=1,<2", "harnest>=99"),
    project(
        "without entry point",
        "entry-point.missing",
        '[project.entry-points."harnest.extensions"]\ndemo',
        "[x]\ndemo",
    ),
    project("with two entry points", "entry-point.missing", "demo =", 'more = "os:system"\ndemo ='),
    project("with an entry point of another name", "entry-point.name", "\ndemo =", "\nother ="),
    project(
        "with another entry point", "entry-point.value", "extension:extension", "lib.client:VALUE"
    ),
    project(
        "with a script",
        "entry-point.other",
        "[project.entry",
        '[project.scripts]\nls = "x:y"\n[project.entry',
    ),
    project(
        "with a GUI script",
        "entry-point.other",
        "[project.entry",
        '[project.gui-scripts]\nls = "x:y"\n[project.entry',
    ),
    project(
        "with another plugin",
        "entry-point.other",
        "[project.entry",
        '[project.entry-points.pytest11]\nx = "x"\n[project.entry',
    ),
    *[
        project(f"with {line}", "project.file-outside", "[project]", f"[project]\n{line}")
        for line in (
            'readme = "../../x"',
            'readme = "/etc/passwd"',
            'readme = {file = "../x", content-type = "text/plain"}',
            'license-files = ["../*"]',
            'license = {file = "../x"}',
            "readme = 'C:\\x'",
        )
    ],
    *[
        project(f"with {line}", "project.field", "[project]", f"[project]\n{line}")
        for line in (
            "readme = 1",
            "authors = ['me']",
            "urls = ['x']",
            "keywords = 'a'",
            "description = 1",
            "dynamic = 'x'",
        )
    ],
]
PROJECTS_ACCEPTED = [
    project(
        "with a backend of its own",
        "",
        "[project]",
        '[build-system]\nrequires = []\nbuild-backend = "evil"\n'
        'backend-path = ["_build"]\n[project]',
    ),
    project("with dynamic classifiers", "", "[project]", '[project]\ndynamic = ["classifiers"]'),
    project(
        "in another spelling of its name", "", "harnest-extension-demo", "Harnest_Extension.demo"
    ),
    project(
        "with brackets in texts", "", "[project]", "[project]\ndescription = '''" + "[" * 50 + "'''"
    ),
    project("with extensions required", "", "httpx>=0.27", "harnest-extension-rag>=0.1"),
]

FOLDERS = [
    *ACCEPTED,
    *TREE,
    *PYTHON,
    *MANIFESTS_ACCEPTED,
    *MANIFESTS,
    *PROJECTS_ACCEPTED,
    *PROJECTS,
]
