"""Wheels, valid or hostile in one way each, with the rule that refuses each of them."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from tests.corpus.cases import ENTRY, METADATA, WHEEL, Case, Demo, manifest, row, wheel_case
from tests.support.zips import RawMember

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WHEELS"]

PACKAGE = "harnest_extension_demo"
INFO = "harnest_extension_demo-1.0.0.dist-info"


def named(name: str, rule: str) -> Case:
    """Return the valid wheel under another file name."""
    return wheel_case(f"file name {name}", rule, Demo(name=name))


def metadata(old: str, new: str) -> Demo:
    """Return the wheel with a change in METADATA."""
    assert old in METADATA
    return Demo(info={"METADATA": METADATA.replace(old, new)})


def wheel_file(old: str, new: str) -> Demo:
    """Return the wheel with a change in WHEEL."""
    assert old in WHEEL
    return Demo(info={"WHEEL": WHEEL.replace(old, new)})


def entry(text: str | bytes) -> Demo:
    """Return the wheel with another ``entry_points.txt``."""
    return Demo(info={"entry_points.txt": text})


def members(*raw: RawMember) -> Demo:
    """Return the wheel with further members."""
    return Demo(members=raw)


def recorded(change: Callable[[list[str]], list[str]]) -> Demo:
    """Return the wheel with changed rows of RECORD."""
    return Demo(record=change)


def digest_of(kind: str, data: bytes) -> str:
    """Return a hash as RECORD writes it."""
    raw = hashlib.new(kind, data).digest()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def with_hash(kind: str) -> Demo:
    """Return the wheel whose README row has a hash of another kind."""
    data = b"# demo\n"

    def change(rows: list[str]) -> list[str]:
        other = f"{PACKAGE}/README.md,{kind}={digest_of(kind, data)},{len(data)}"
        return [other if line.startswith(f"{PACKAGE}/README.md,") else line for line in rows]

    return recorded(change)


def changed_row(about: str, new: str) -> Case:
    """Return the wheel whose README row is ``new``."""

    def change(rows: list[str]) -> list[str]:
        return [new if line.startswith(f"{PACKAGE}/README.md,") else line for line in rows]

    return wheel_case(f"RECORD {about}", "record.mismatch", recorded(change))


README_HASH = digest_of("sha256", b"# demo\n")

ACCEPTED = [
    wheel_case("stored", "", Demo()),
    wheel_case("deflated", "", Demo(method=8)),
    wheel_case(
        "with a build tag", "", Demo(name="harnest_extension_demo-1.0.0-2-py3-none-any.whl")
    ),
    wheel_case("without a readme", "", Demo(files={"README.md": None})),
    wheel_case("with a top-level __init__.py", "", Demo(files={"__init__.py": ""})),
    wheel_case(
        "with lib as a namespace", "", Demo(files={"lib/__init__.py": None, "lib/client.py": ""})
    ),
    wheel_case(
        "with CJK names and binary data", "", Demo(files={"lib/\u8cc7\u6599.bin": bytes(256)})
    ),
    wheel_case("with folder members", "", members(RawMember(name=f"{PACKAGE}/lib/", mode=0o40755))),
    wheel_case("with an executable", "", Demo(files={"lib/run.sh": "#!/bin/sh\n"})),
    wheel_case(
        "with licences and top_level.txt",
        "",
        Demo(info={"licenses/LICENSE": "free", "top_level.txt": PACKAGE}),
    ),
    wheel_case("with sha512", "", with_hash("sha512")),
    wheel_case("with a signature", "", members(RawMember(name=f"{INFO}/RECORD.jws", data=b"{}"))),
    wheel_case(
        "with quoted rows",
        "",
        recorded(
            lambda rows: ['"' + r.replace(",", '",', 1) if "README" in r else r for r in rows]
        ),
    ),
    wheel_case("with CRLF metadata", "", Demo(info={"METADATA": METADATA.replace("\n", "\r\n")})),
    wheel_case("with a comment in entry_points.txt", "", entry("# ours\n\n" + ENTRY)),
    wheel_case(
        "with a pyproject.toml of its own",
        "",
        Demo(
            files={
                "pyproject.toml": (
                    '[project]\nname = "harnest-extension-demo"\nversion = "1.0.0"\n'
                    '[project.entry-points."harnest.extensions"]\n'
                    'demo = "harnest_extension_demo.extension:extension"\n'
                )
            }
        ),
    ),
    wheel_case("with an inner archive", "", Demo(files={"lib/inner.zip": b"PK\5\6" + bytes(18)})),
    wheel_case(
        "world writable",
        "",
        members(RawMember(name=f"{PACKAGE}/lib/x.txt", data=b"x", mode=0o100666)),
    ),
    wheel_case(
        "of a local version",
        "",
        Demo(
            name="harnest_extension_demo-1.0.0+local.1-py3-none-any.whl",
            dist_info="harnest_extension_demo-1.0.0+local.1.dist-info",
            files={"extension.yaml": manifest(version="1.0.0+local.1")},
            info={"METADATA": METADATA.replace("Version: 1.0.0", "Version: 1.0.0+local.1")},
        ),
    ),
    wheel_case(
        "of a pre-release in SemVer spelling",
        "",
        Demo(
            name="harnest_extension_demo-1.0.0rc1-py3-none-any.whl",
            dist_info="harnest_extension_demo-1.0.0rc1.dist-info",
            files={"extension.yaml": manifest(version="1.0.0-rc.1")},
            info={"METADATA": METADATA.replace("Version: 1.0.0", "Version: 1.0.0rc1")},
        ),
    ),
]

NAMES = [
    named("harnest_extension_demo-1.0.0-py3.whl", "wheel.filename"),
    named("harnest_extension_demo-1.0.0-1-x-py3-none-any.whl", "wheel.filename"),
    named("harnest_extension_demo-1.0.0%2f-py3-none-any.whl", "wheel.filename"),
    named("harnest_extension_demo-py3-none-any.whl", "wheel.filename"),
    named("harnest_extension_1demo-1.0.0-py3-none-any.whl", "wheel.filename-name"),
    named("harnest_extension_de.mo-1.0.0-py3-none-any.whl", "wheel.filename-name"),
    named("Harnest_Extension_demo-1.0.0-py3-none-any.whl", "wheel.filename-name"),
    named("harnest_extension_class-1.0.0-py3-none-any.whl", "wheel.filename-name"),
    named("harnest_extension_de__mo-1.0.0-py3-none-any.whl", "wheel.filename-name"),
    named("harnest_extension_demo-v1.0.0-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1.0.0-beta-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1.0.0\u0661-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1..0-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1.0.0.RC1-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1.0.0-cp311-cp311-linux_x86_64.whl", "wheel.platform"),
    named("harnest_extension_demo-1.0.0-py2.py3-none-any.whl", "wheel.platform"),
    named("requests-2.0-py3-none-any.whl", "wheel.not-an-extension"),
    named("harnest_extension_demo-1.0.0-py3-none-any.WHL", "source.kind"),
    named("harnest_extension_demo-1.0.0.tar.gz", "source.kind"),
    named("harnest_extension_demo-1.0.0.zip", "source.kind"),
    named("harnest_extension_other-1.0.0-py3-none-any.whl", "wheel.dist-info-name"),
    named("harnest_extension_demo-1.0.1-py3-none-any.whl", "wheel.dist-info-name"),
    named("harnest_extension_demo-1.0-py3-none-any.whl", "wheel.filename-version"),
    named("harnest_extension_demo-1!1.0.0-py3-none-any.whl", "wheel.filename-version"),
]

STRUCTURE = [
    wheel_case("without RECORD", "wheel.dist-info", Demo(info={"RECORD": None})),
    wheel_case("without METADATA", "wheel.dist-info", Demo(info={"METADATA": None})),
    wheel_case("without WHEEL", "wheel.dist-info", Demo(info={"WHEEL": None})),
    wheel_case(
        "without entry_points.txt", "entry-point.missing", Demo(info={"entry_points.txt": None})
    ),
    wheel_case(
        "without a manifest", "layout.manifest-missing", Demo(files={"extension.yaml": None})
    ),
    wheel_case(
        "without extension.py", "layout.extension-missing", Demo(files={"extension.py": None})
    ),
    wheel_case(
        "with two dist-info folders",
        "wheel.dist-info",
        Demo(outside={"harnest_extension_demo-2.0.0.dist-info/METADATA": METADATA}),
    ),
    wheel_case(
        "with another project's dist-info",
        "wheel.dist-info",
        Demo(outside={"requests-2.0.dist-info/METADATA": METADATA}),
    ),
    wheel_case(
        "with dist-info in upper case",
        "wheel.dist-info",
        Demo(dist_info="harnest_extension_demo-1.0.0.DIST-INFO"),
    ),
    wheel_case(
        "with dist-info of another project",
        "wheel.dist-info-name",
        Demo(dist_info="requests-1.0.0.dist-info"),
    ),
    wheel_case(
        "with dist-info below the package", "wheel.dist-info", Demo(dist_info=f"{PACKAGE}/{INFO}")
    ),
    wheel_case(
        "with a package of another name",
        "wheel.package-name",
        Demo(package="harnest_extension_other"),
    ),
    wheel_case(
        "with another extension beside it",
        "wheel.outside",
        Demo(outside={"harnest_extension_other/extension.py": ""}),
    ),
    wheel_case("with sitecustomize.py", "wheel.outside", Demo(outside={"sitecustomize.py": ""})),
    wheel_case("with a .pth file", "wheel.outside", Demo(outside={"zz.pth": "import os"})),
    wheel_case("with harnest itself", "wheel.outside", Demo(outside={"harnest/__init__.py": ""})),
    *[
        wheel_case(
            f"with .data/{part}",
            "wheel.data",
            Demo(outside={f"harnest_extension_demo-1.0.0.data/{part}": ""}),
        )
        for part in (
            "scripts/ls",
            "data/etc/passwd",
            "purelib/x.py",
            "platlib/os.py",
            "headers/Python.h",
        )
    ],
    wheel_case("with a stray module", "layout.stray-root-entry", Demo(files={"helpers.py": ""})),
    wheel_case("with a private module", "layout.stray-root-entry", Demo(files={"_private.py": ""})),
    wheel_case("with a hidden file", "layout.stray-root-entry", Demo(files={".env": "x"})),
    *[
        wheel_case(f"with {name}", "tree.native", Demo(files={f"lib/{name}": b"\x7fELF"}))
        for name in ("_x.cpython-311-x86_64-linux-gnu.so", "x.so.1.2", "x.pyd", "x.dll", "X.DYLIB")
    ],
    wheel_case(
        "with native code of another name",
        "tree.native",
        Demo(files={"lib/table.dat": b"\xcf\xfa\xed\xfe\x07"}),
    ),
    *[
        wheel_case(
            f"with the licence file {path}",
            "metadata.field",
            Demo(info={"METADATA": METADATA.replace("\n\n", f"\nLicense-File: {path}\n\n")}),
        )
        for path in ("../../etc/passwd", "/etc/passwd", "a/../../b", "~/x", "C:/x")
    ],
    wheel_case(
        "with byte code",
        "tree.byte-code",
        Demo(files={"lib/__pycache__/client.cpython-311.pyc": b""}),
    ),
    wheel_case(
        "with byte code in place of source", "tree.byte-code", Demo(files={"lib/hidden.pyc": b""})
    ),
    wheel_case("with an egg link", "tree.path-hook", Demo(files={"lib/x.egg-link": "/"})),
    wheel_case("with an inner .pth", "tree.path-hook", Demo(files={"lib/x.pth": "import os"})),
    wheel_case(
        "with a second manifest",
        "layout.manifest-second",
        Demo(files={"lib/extension.yml": manifest()}),
    ),
    wheel_case(
        "with a folder named harnest",
        "tree.harnest-folder",
        members(RawMember(name=f"{PACKAGE}/lib/harnest/", mode=0o40755)),
    ),
    wheel_case(
        "of another manifest name",
        "wheel.manifest-identity",
        Demo(files={"extension.yaml": manifest(name="other")}),
    ),
    wheel_case(
        "of another manifest version",
        "wheel.manifest-identity",
        Demo(files={"extension.yaml": manifest(version="1.0.1")}),
    ),
]

WHEEL_FILE = [
    wheel_case("without Wheel-Version", "wheel.wheel-file", wheel_file("Wheel-Version: 1.0\n", "")),
    wheel_case("of format 2", "wheel.wheel-file", wheel_file("1.0", "2.0")),
    wheel_case(
        "with two Wheel-Versions",
        "wheel.wheel-file",
        wheel_file("1.0\n", "1.0\nWheel-Version: 1.0\n"),
    ),
    wheel_case("with a word as Wheel-Version", "wheel.wheel-file", wheel_file("1.0", "one")),
    wheel_case("that is not pure", "wheel.wheel-file", wheel_file("true", "false")),
    wheel_case("with a strange Root-Is-Purelib", "wheel.wheel-file", wheel_file("true", "yes")),
    wheel_case(
        "without Root-Is-Purelib", "wheel.wheel-file", wheel_file("Root-Is-Purelib: true\n", "")
    ),
    wheel_case("without a tag", "wheel.wheel-file", wheel_file("Tag: py3-none-any\n", "")),
    wheel_case(
        "with another tag", "wheel.wheel-file", wheel_file("py3-none-any", "cp311-cp311-win32")
    ),
    wheel_case(
        "with two tags", "wheel.wheel-file", wheel_file("any\n", "any\nTag: py2-none-any\n")
    ),
    wheel_case("with another build", "wheel.wheel-file", wheel_file("any\n", "any\nBuild: 3\n")),
    wheel_case("with a binary WHEEL", "wheel.wheel-file", Demo(info={"WHEEL": b"\xff\xfe\0"})),
    wheel_case("with an empty WHEEL", "wheel.wheel-file", Demo(info={"WHEEL": b""})),
]

METADATA_CASES = [
    wheel_case(
        "of another project", "metadata.identity", metadata("extension-demo", "extension-other")
    ),
    wheel_case(
        "of another version", "metadata.identity", metadata("Version: 1.0.0", "Version: 1.0.1")
    ),
    wheel_case(
        "with two Names",
        "metadata.field",
        metadata("Version: 1.0.0", "Name: harnest-extension-demo\nVersion: 1.0.0"),
    ),
    wheel_case(
        "with two Versions",
        "metadata.field",
        metadata("Version: 1.0.0", "Version: 1.0.0\nVersion: 9"),
    ),
    wheel_case("without Name", "metadata.field", metadata("Name: harnest-extension-demo\n", "")),
    wheel_case("without Version", "metadata.field", metadata("Version: 1.0.0\nSummary", "Summary")),
    wheel_case(
        "without Metadata-Version", "metadata.field", metadata("Metadata-Version: 2.4\n", "")
    ),
    wheel_case("of Metadata-Version 9", "metadata.field", metadata("2.4", "9.0")),
    wheel_case(
        "with a path as Name",
        "metadata.field",
        metadata("Name: harnest-extension-demo", "Name: ../x"),
    ),
    wheel_case(
        "with a word as Version",
        "metadata.field",
        metadata("Version: 1.0.0\nS", "Version: latest\nS"),
    ),
    wheel_case(
        "with a long Version",
        "metadata.field",
        metadata("Version: 1.0.0\nS", f"Version: {'1' * 5000}\nS"),
    ),
    wheel_case("with a NUL", "metadata.field", metadata("A sample.", "A\0sample.")),
    wheel_case(
        "with a bare CR", "metadata.field", metadata("A sample\n", "A\rRequires-Dist: evil\n")
    ),
    wheel_case(
        "with a folded Name",
        "metadata.field",
        metadata("Name: harnest-extension-demo", "Name: harnest-extension-demo\n ../x"),
    ),
    wheel_case(
        "with a folded requirement",
        "metadata.field",
        metadata("harnest<2,>=1", "harnest<2,>=1\n\t--index-url=x"),
    ),
    wheel_case("with no header", "metadata.field", metadata("Summary: A", "Summary A")),
    wheel_case(
        "that begins folded", "metadata.field", metadata("Metadata-Version", " Metadata-Version")
    ),
    wheel_case(
        "not in UTF-8", "metadata.field", Demo(info={"METADATA": METADATA.encode() + b"\xff"})
    ),
    wheel_case(
        "with metadata of 2 MiB", "metadata.size", Demo(info={"METADATA": METADATA + "x" * 2**21})
    ),
    wheel_case("with no range of Python", "metadata.field", metadata(">=3.11", "three")),
    wheel_case(
        "with a range of 100 Pythons", "metadata.field", metadata(">=3.11", ",".join([">=3"] * 100))
    ),
    wheel_case("for no Python here", "host.python", metadata(">=3.11", ">=99")),
    wheel_case("for Python 2", "host.python", metadata(">=3.11", "<3")),
    wheel_case("for one odd Python", "host.python", metadata(">=3.11", "===3.11.7-evil")),
    wheel_case("for no Harnest here", "host.harnest", metadata("harnest<2,>=1", "harnest>=99")),
    wheel_case(
        "for an impossible Harnest",
        "host.harnest",
        metadata("harnest<2,>=1", "harnest<2\nRequires-Dist: harnest>=2"),
    ),
    wheel_case(
        "with a direct URL",
        "requirement.direct-url",
        metadata("harnest<2,>=1", "x @ https://x.invalid/x.whl"),
    ),
    wheel_case(
        "with a file URL for an extra",
        "requirement.direct-url",
        metadata("harnest<2,>=1", "x @ file:///x.whl ; extra == 'dev'"),
    ),
    wheel_case(
        "with an option as requirement",
        "requirement.syntax",
        metadata("harnest<2,>=1", "--index-url=https://x.invalid"),
    ),
    wheel_case(
        "with nested parentheses",
        "requirement.syntax",
        metadata("harnest<2,>=1", "x; " + "(" * 900 + "python_version>'3'" + ")" * 900),
    ),
    wheel_case(
        "with an endless requirement",
        "requirement.size",
        metadata("harnest<2,>=1", "x; " + "(" * 9000),
    ),
    wheel_case(
        "with 20,000 clauses",
        "requirement.size",
        metadata("harnest<2,>=1", "harnest" + ",".join([">=1"] * 20000)),
    ),
    wheel_case(
        "with a number of 5,000 digits",
        "requirement.syntax",
        metadata("harnest<2,>=1", "harnest>=" + "9" * 5000),
    ),
    wheel_case(
        "with 50,000 requirements",
        "requirement.count",
        metadata("harnest<2,>=1", "a\nRequires-Dist: ".join([""] * 50000) + "a"),
    ),
    wheel_case(
        "that requires itself",
        "requirement.extension",
        metadata("harnest<2,>=1", "harnest-extension-demo"),
    ),
    wheel_case(
        "that requires no extension",
        "requirement.extension",
        metadata("harnest<2,>=1", "harnest-extension-1st"),
    ),
]

ENTRIES = [
    wheel_case("with no group", "entry-point.missing", entry("[console_scripts]\ndemo = x:y\n")),
    wheel_case("with an empty group", "entry-point.missing", entry("[harnest.extensions]\n")),
    wheel_case("with an empty entry_points.txt", "entry-point.missing", entry("")),
    wheel_case("with two entries", "entry-point.missing", entry(ENTRY + "more = os:system\n")),
    wheel_case("with an entry twice", "entry-point.missing", entry(ENTRY + ENTRY.splitlines()[1])),
    wheel_case(
        "with the group twice", "entry-point.syntax", entry(ENTRY + "[harnest.extensions]\n")
    ),
    *[
        wheel_case(
            f"with the entry {value}",
            "entry-point.value",
            entry(f"[harnest.extensions]\ndemo = {value}\n"),
        )
        for value in (
            "os:system",
            "harnest_extension_demo.extension",
            "/etc/passwd:x",
            "%(x)s",
            "harnest_extension_demo.extension:__import__('os')",
            "harnest_extension_demo.lib.client:X",
            "harnest_extension_demo.extension:extension.__class__",
            "",
            "harnest_extension_demo.extension:extension [evil]",
        )
    ],
    *[
        wheel_case(
            f"with the name {name}",
            rule,
            entry(f"[harnest.extensions]\n{name} = harnest_extension_demo.extension:extension\n"),
        )
        for name, rule in {
            "DEMO": "entry-point.name",
            "d\u0435mo": "entry-point.name",
            "../demo": "entry-point.syntax",
            "de mo": "entry-point.syntax",
            "other": "entry-point.name",
        }.items()
    ],
    wheel_case(
        "with a script", "entry-point.other", entry(ENTRY + "[console_scripts]\n../../x = a:b\n")
    ),
    wheel_case(
        "with a GUI script", "entry-point.other", entry(ENTRY + "[gui_scripts]\n/tmp/x = a:b\n")
    ),
    wheel_case("with another plugin", "entry-point.other", entry(ENTRY + "[pytest11]\nx = a\n")),
    wheel_case("with an empty other group", "entry-point.other", entry(ENTRY + "[pytest11]\n")),
    wheel_case("with an entry before any group", "entry-point.syntax", entry("x = y\n" + ENTRY)),
    wheel_case("with a continued line", "entry-point.syntax", entry(ENTRY + "  more = x\n")),
    wheel_case("with a mark in entry_points.txt", "entry-point.syntax", entry("\ufeff" + ENTRY)),
    wheel_case("with garbage in entry_points.txt", "entry-point.syntax", entry(b"\0\1\2][")),
    wheel_case(
        "with Latin-1 in entry_points.txt",
        "entry-point.syntax",
        entry(b"[harnest.extensions]\nd\xe9mo = x\n"),
    ),
    wheel_case(
        "with a bare CR in entry_points.txt",
        "entry-point.syntax",
        entry("[harnest.extensions]\rdemo = x\n"),
    ),
    wheel_case("with 2 MiB of entry_points.txt", "metadata.size", entry(ENTRY + "#" * 2**21)),
]

RECORDS = [
    wheel_case(
        "RECORD lists a ghost",
        "record.mismatch",
        recorded(lambda rows: [*rows, row("ghost.py", b"")]),
    ),
    wheel_case("RECORD leaves a file out", "record.mismatch", recorded(lambda rows: rows[1:])),
    wheel_case(
        "RECORD lists a file twice", "record.mismatch", recorded(lambda rows: [rows[0], *rows])
    ),
    wheel_case(
        "RECORD lists a folder", "record.path", recorded(lambda rows: [*rows, f"{PACKAGE}/lib/,,"])
    ),
    wheel_case(
        "RECORD leaves the tree", "record.path", recorded(lambda rows: [*rows, row("../../x", b"")])
    ),
    wheel_case(
        "RECORD has an absolute path",
        "record.path",
        recorded(lambda rows: [*rows, row("/etc/passwd", b"")]),
    ),
    wheel_case(
        "RECORD has a backslash", "record.path", recorded(lambda rows: [*rows, row("a\\b", b"")])
    ),
    wheel_case("RECORD is not UTF-8", "record.mismatch", Demo(info={"RECORD": b"\xff"})),
    wheel_case("RECORD is empty", "record.mismatch", Demo(info={"RECORD": b""})),
    wheel_case("RECORD has an open quote", "record.mismatch", recorded(lambda rows: [*rows, '"x'])),
    wheel_case(
        "RECORD hashes itself",
        "record.mismatch",
        recorded(lambda rows: [*rows[:-1], row(f"{INFO}/RECORD", b"")]),
    ),
    *[
        wheel_case(f"RECORD with {kind}", "record.weak-hash", with_hash(kind))
        for kind in ("md5", "sha1", "sha224")
    ],
    changed_row("with two columns", f"{PACKAGE}/README.md,sha256={README_HASH}"),
    changed_row("with four columns", f"{PACKAGE}/README.md,sha256={README_HASH},7,x"),
    changed_row("without a hash", f"{PACKAGE}/README.md,,7"),
    changed_row("without a size", f"{PACKAGE}/README.md,sha256={README_HASH},"),
    changed_row("with a wrong size", f"{PACKAGE}/README.md,sha256={README_HASH},8"),
    changed_row("with a negative size", f"{PACKAGE}/README.md,sha256={README_HASH},-7"),
    changed_row("with no number as size", f"{PACKAGE}/README.md,sha256={README_HASH},0x7"),
    changed_row("with another file's hash", row(f"{PACKAGE}/README.md", b"# demO\n")),
    changed_row("with a padded hash", f"{PACKAGE}/README.md,sha256={README_HASH}=,7"),
    changed_row("with a short hash", f"{PACKAGE}/README.md,sha256=abcd,7"),
    changed_row("with no base64", f"{PACKAGE}/README.md,sha256=!!!,7"),
]

MEMBERS = [
    *[
        wheel_case(f"member {name!r}", rule, members(RawMember(name=name, data=b"x")))
        for name, rule in {
            "../x": "tree.path",
            "/etc/x": "tree.path",
            "//x": "tree.path",
            "a/../b": "tree.path",
            "./x": "tree.path",
            "a//b": "tree.path",
            "": "tree.path",
            "a\\b": "tree.name",
            "c:x": "tree.name",
            "x?": "tree.name",
            "nul.txt": "tree.name",
            "lib/COM1": "tree.name",
            "com\u00b9": "tree.name",
            "x.": "tree.name",
            "x ": "tree.name",
            "x\ny": "tree.name",
            "x\x1b[2J": "tree.name",
            "x\u202ey": "tree.name",
            "ex\u200btension.py": "tree.name",
            "x\ufe0f": "tree.name",
            "x\U000e0100": "tree.name",
            "x\u3164": "tree.name",
            "x\x00.py": "tree.name",
            "x" * 256: "tree.path-length",
            "/".join(["xxxxxxxxxx"] * 50): "tree.depth",
            "/".join(["y" * 200] * 3): "tree.path-length",
        }.items()
    ],
    wheel_case(
        "member is a link",
        "tree.special-file",
        members(RawMember(name=f"{PACKAGE}/lib/l", data=b"/etc", mode=0o120777)),
    ),
    wheel_case(
        "member is a pipe",
        "tree.special-file",
        members(RawMember(name=f"{PACKAGE}/lib/l", mode=0o010644)),
    ),
    wheel_case(
        "member is a device",
        "tree.special-file",
        members(RawMember(name=f"{PACKAGE}/lib/l", mode=0o020644)),
    ),
    wheel_case(
        "member is setuid",
        "tree.special-mode",
        members(RawMember(name=f"{PACKAGE}/lib/l", mode=0o104755)),
    ),
    wheel_case(
        "link, then a file through it",
        "tree.special-file",
        members(
            RawMember(name=f"{PACKAGE}/lib/l", data=b"/etc", mode=0o120777),
            RawMember(name=f"{PACKAGE}/lib/l/passwd"),
        ),
    ),
    wheel_case(
        "member twice", "tree.collision", members(RawMember(name=f"{PACKAGE}/README.md", data=b"x"))
    ),
    wheel_case(
        "member twice by case",
        "tree.collision",
        members(RawMember(name=f"{PACKAGE}/readme.MD", data=b"x")),
    ),
    wheel_case(
        "folder listed twice",
        "tree.collision",
        members(
            RawMember(name=f"{PACKAGE}/lib/", mode=0o40755),
            RawMember(name=f"{PACKAGE}/lib/", mode=0o40755),
        ),
    ),
    wheel_case(
        "folder twice by case",
        "tree.collision",
        members(RawMember(name=f"{PACKAGE}/LIB/x.txt", data=b"x")),
    ),
    wheel_case(
        "file and folder of one letter",
        "tree.collision",
        members(RawMember(name="a", data=b"x"), RawMember(name="a/b", data=b"x")),
    ),
    wheel_case(
        "file and folder",
        "tree.collision",
        members(RawMember(name=f"{PACKAGE}/extension.py/x", data=b"x")),
    ),
    wheel_case(
        "member twice by normal form",
        "tree.collision",
        Demo(files={"lib/caf\u00e9": "", "lib/cafe\u0301": ""}),
    ),
    wheel_case(
        "member twice by case folding",
        "tree.collision",
        Demo(files={"lib/stra\u00dfe": "", "lib/STRASSE": ""}),
    ),
    wheel_case("bomb", "zip.ratio", Demo(files={"lib/bomb": bytes(17 * 2**20)}, method=8)),
    wheel_case("small bomb", "zip.ratio", Demo(files={"lib/bomb": bytes(2 * 2**20)}, method=8)),
    wheel_case(
        "many bombs",
        "tree.total-size",
        Demo(files={f"lib/{n}": bytes(2**20) for n in range(65)}, method=8),
    ),
    wheel_case(
        "too large", "zip.size", Demo(files={"lib/a": bytes(9 * 2**20), "lib/b": bytes(9 * 2**20)})
    ),
    wheel_case(
        "damaged member",
        "zip.corrupt",
        members(RawMember(name=f"{PACKAGE}/lib/a.txt", data=b"x", central={"crc": 1})),
    ),
]

WHEELS = [
    *ACCEPTED,
    *NAMES,
    *STRUCTURE,
    *WHEEL_FILE,
    *METADATA_CASES,
    *ENTRIES,
    *RECORDS,
    *MEMBERS,
]
