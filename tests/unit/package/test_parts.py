"""The small parts of inspection: TOML within bounds, lines, findings, header fields."""

from __future__ import annotations

import pytest

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, IncompatibleExtension, InvalidExtension
from harnest_ext.package.findings import Findings
from harnest_ext.package.headers import parse_headers
from harnest_ext.package.lines import TomlLines
from harnest_ext.package.rules import archive, project, tree, wheel
from harnest_ext.package.toml import load_toml

DEEP = "[" * (limits.METADATA_DEPTH + 1)


@pytest.mark.parametrize(
    "text",
    [
        f"a = {'[' * limits.METADATA_DEPTH}{']' * limits.METADATA_DEPTH}",
        f"a = '{DEEP}'",
        f'a = "{DEEP}"',
        f"a = '''\n{DEEP}\n'''",
        f'a = """\n{DEEP}\\""" \n"""',
        f'a = """{DEEP}""""\nb = 1',
        f"# {DEEP}\na = 1",
        "a = " + "[1.5, 2.5, " * 10 + "]" * 10,
        "\n".join(f"[a.b.c{n}]\nx.y = 1.5" for n in range(200)),
    ],
)
def test_toml_within_the_depth_is_read(text: str) -> None:
    """Brackets and dots in texts, comments and numbers are no nesting."""
    document, problem = load_toml(text.encode(), "x.toml")
    assert problem is None
    assert document


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a = 1\nb = {DEEP}", 2),
        ("\n\na = " + "{x=" * 40, 3),
        (".".join("a" * 40) + " = 1", 1),
        ("a = 1\n[" + ".".join("a" * 40) + "]", 2),
        (f'a = """x""""\nb = {DEEP}', 2),
        (f"a = '''x'''''\nb = {DEEP}", 2),
    ],
)
def test_toml_that_nests_too_deeply_is_refused_before_it_is_parsed(text: str, line: int) -> None:
    """The problem names the line at which the depth is exceeded."""
    document, problem = load_toml(text.encode(), "x.toml")
    assert document == {}
    assert problem is not None
    assert (problem.rule, problem.line) == ("project.depth", line)


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''", '"\\', '"""\\', "\\"])
def test_endless_quotes_are_scanned_in_one_pass(quote: str) -> None:
    """A file of unterminated texts is refused, however many of them it opens."""
    text = quote * (limits.METADATA_BYTES // len(quote))
    _, problem = load_toml(text.encode(), "x.toml")
    assert problem is not None
    assert problem.rule == "project.syntax"


TEXT = """\
[build-system]
requires = []

[ project ] # ours
name = "x"
"version" = "1"
dependencies = [
    "a",
    "b>=1",
]
urls.Home = "h"

[project.entry-points."harnest.extensions"]
demo = "x:y"
"""


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("project", "", 4),
        ("project.name", "", 5),
        ("project.version", "", 6),
        ("project.dependencies", "b>=1", 9),
        ("project.dependencies", "not there", 7),
        ("project.urls.Home", "", 11),
        ("project.entry-points.harnest.extensions.demo", "", 14),
        ("project.readme", "", 4),
        ("tool.x", "", None),
    ],
)
def test_a_key_is_found_at_its_line(key: str, value: str, line: int | None) -> None:
    """A key that is not there is answered by the table that should hold it."""
    assert TomlLines(TEXT).of(key, value) == line


def test_findings_are_bounded() -> None:
    """However much is wrong, memory and message stay small."""
    findings = Findings("demo")
    for number in range(10 * limits.PROBLEMS):
        findings.add(tree.STRAY.problem("x", path=f"{number}"))
    assert len(findings.errors) == limits.PROBLEMS


def test_findings_put_damage_first_and_name_what_they_are_about() -> None:
    """A damaged archive explains what else is found; a problem without a path has its subject."""
    findings = Findings("demo.whl")
    findings.add(wheel.RECORD.problem("x", path="a"))
    findings.add(archive.CORRUPT.problem("y"))
    assert [(p.rule, p.path) for p in findings.errors] == [
        ("zip.corrupt", "demo.whl"),
        ("record.mismatch", "a"),
    ]


def test_findings_tell_invalid_incompatible_and_missing_apart() -> None:
    """One fault beside the host makes a package invalid; warnings never refuse."""
    findings = Findings("demo")
    findings.add(project.HOST_UNKNOWN.problem("x"))
    assert findings.failure() is None
    findings.add(project.PYTHON.problem("x"))
    assert isinstance(findings.failure(), IncompatibleExtension)
    findings.add(project.NAME.problem("x"))
    failure = findings.failure()
    assert isinstance(failure, InvalidExtension)
    assert [p.rule for p in failure.problems] == ["host.python", "project.name"]
    missing = Findings("demo")
    missing.add(tree.NOT_FOUND.problem("x"))
    assert isinstance(missing.failure(), ExtensionNotFound)


def test_header_fields_keep_their_lines() -> None:
    """Names are compared without case; a continued field is known as such; the body is not read."""
    findings = Findings("x")
    data = b"Name: a\r\nSummary:  b \r\nrequires-dist: c\n folded\n\nName: body\n"
    fields = parse_headers(data, "METADATA", wheel.METADATA, findings)
    assert fields is not None
    assert [(f.name, f.value, f.line, f.folded) for f in fields.fields] == [
        ("name", "a", 1, False),
        ("summary", "b", 2, False),
        ("requires-dist", "c\nfolded", 3, True),
    ]
    assert list(fields.all("Requires-Dist")) == []
    assert [problem.line for problem in findings.errors] == [3]
