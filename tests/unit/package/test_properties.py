"""Damaged and invented input: the answer is a package or an error of ours, never anything else."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harnest_ext.errors import IncompatibleExtension, InvalidExtension
from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.package import check_package, open_package
from harnest_ext.package.entrypoints import check_entry_points_file
from harnest_ext.package.findings import Findings
from harnest_ext.package.metadata import check_wheel_file, read_metadata
from harnest_ext.package.names import path_problem
from harnest_ext.package.project import read_project
from harnest_ext.package.record import read_record
from harnest_ext.package.toml import load_toml
from harnest_ext.package.wheelname import WheelName, parse_wheel_name
from tests.corpus.cases import ENTRY, METADATA, PROJECT, WHEEL, Demo

HOST = Host(harnest_version="1.0.0", python_version="3.11.7")
NAME = WheelName(slug=Slug("demo"), version="1.0.0")
LINES = st.lists(
    st.sampled_from(
        [*METADATA.splitlines(), *WHEEL.splitlines(), *ENTRY.splitlines(), *PROJECT.splitlines()]
    )
    | st.text(max_size=20),
    max_size=25,
).map("\n".join)


@functools.cache
def sample(method: int) -> bytes:
    """Return the bytes of a valid wheel."""
    with tempfile.TemporaryDirectory() as folder:
        return Demo(method=method).write_wheel(Path(folder)).read_bytes()


def judged(data: bytes) -> str:
    """Return the rule that refuses a wheel of these bytes; empty if none does."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "harnest_extension_demo-1.0.0-py3-none-any.whl")
        path.write_bytes(data)
        try:
            with open_package(path, host=HOST) as package:
                for file in package.files:
                    assert sum(map(len, package.read(file.path))) == file.size
        except (InvalidExtension, IncompatibleExtension) as error:
            return error.rule
        return ""


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([0, 8]), st.data())
def test_no_changed_byte_of_a_wheel_goes_unnoticed(method: int, data: st.DataObject) -> None:
    """RECORD, checksums and the two descriptions cover every byte but times and mode bits."""
    wheel = bytearray(sample(method))
    position = data.draw(st.integers(0, len(wheel) - 1))
    wheel[position] ^= data.draw(st.integers(1, 255))
    rule = judged(bytes(wheel))
    central = wheel.index(b"PK\1\2") if b"PK\1\2" in wheel else 0
    assert rule or position >= central  # what the directory alone says: made-by, attributes


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([0, 8]), st.data())
def test_a_cut_or_grown_wheel_is_refused(method: int, data: st.DataObject) -> None:
    """Neither an interrupted download nor an appended payload is ever taken."""
    wheel = sample(method)
    cut = data.draw(st.integers(0, len(wheel) - 1))
    more = data.draw(st.binary(min_size=1, max_size=30))
    assert judged(wheel[:cut]).startswith("zip.")
    assert judged(wheel + more).startswith("zip.")
    assert judged(more + wheel).startswith("zip.")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_named_as_a_wheel_are_refused(data: bytes) -> None:
    """Noise is no wheel, and says so by a rule."""
    assert judged(data).startswith("zip.")


@settings(max_examples=200)
@given(LINES.map(str.encode) | st.binary(max_size=200))
def test_any_text_in_the_metadata_is_read_or_reported(data: bytes) -> None:
    """Each reader of a metadata file reports; none raises."""
    findings = Findings("x")
    facts = read_metadata(data, "METADATA", NAME, findings)
    check_wheel_file(data, "WHEEL", NAME, findings)
    check_entry_points_file(data, "entry_points.txt", NAME.slug, findings)
    rows = read_record(data, "RECORD", findings)
    assert all(p.rule and p.remedy and p.path for p in (*findings.errors, *findings.warnings))
    assert facts.needs is not None
    assert all(path_problem(path) is None for path in rows)


@settings(max_examples=200)
@given(LINES)
def test_any_toml_is_read_or_reported(text: str) -> None:
    """A project file is a table or a problem with a line."""
    document, problem = load_toml(text.encode("utf-8", "replace"), "pyproject.toml")
    assert (problem is None) or not document
    findings = Findings("x")
    read_project(text.encode("utf-8", "replace"), "pyproject.toml", None, frozenset(), findings)
    assert all(p.rule and p.remedy for p in findings.errors)


@settings(max_examples=200)
@given(
    st.from_regex(r"[a-z_]{0,20}(-[a-z0-9.+!]{0,9}){0,6}(\.whl)?", fullmatch=True)
    | st.text(max_size=40)
)
def test_any_file_name_is_a_wheels_or_refused(text: str) -> None:
    """The parser of file names raises nothing but its own error."""
    try:
        name = parse_wheel_name(text)
    except InvalidExtension:
        return
    assert text.startswith(name.slug.package)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.from_regex(r"[a-z._/ \\:]{1,12}", fullmatch=True), st.binary(max_size=20), max_size=4
    )
)
def test_any_files_make_a_package_or_a_report(files: dict[str, bytes]) -> None:
    """Whatever lies in a folder, a check answers."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Demo().write_folder(Path(parent, "demo"))
        for name, data in files.items():
            target = folder / name.replace("..", "_").lstrip("/")
            if target.parent.is_dir() and not target.is_dir() and target.name:
                target.write_bytes(data)
        report = check_package(folder, host=HOST)
        assert report.ok == (report.package is not None)
