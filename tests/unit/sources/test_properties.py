"""Whatever is typed or answered: a value or a named refusal, never another exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.identity import Slug
from harnest_ext.sources import FolderSource, NamedSource, WheelSource, classify
from harnest_ext.sources.index.html_page import read_html_page
from harnest_ext.sources.index.json_page import read_json_page
from harnest_ext.sources.net import WebAddress
from harnest_ext.sources.registry.reading import entry_of
from harnest_ext.sources.wheel_name import WheelName

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = Path("/nonexistent/folder")
WORDS = ("docker", "harnest-extension-", "==", ">=", "@", "^", "1.0", ".", "/", "-", "[", ";", " ")

typed = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=8).map("".join))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ("filename", "url", "hashes", "size", "requires-python", "yanked", "upload-time")
files = st.fixed_dictionaries({}, optional=dict.fromkeys((*KEYS, "core-metadata"), plain))
pages = st.fixed_dictionaries(
    {},
    optional={
        "meta": st.just({"api-version": "1.0"}) | plain,
        "name": st.just("harnest-extension-demo") | plain,
        "files": st.lists(files | plain, max_size=3) | plain,
        "project-status": plain,
    },
)


ADDRESS_PARTS = ("https://", "h", ":", "@", "[", "]", "/", "..", "1", "%", "?", "#", "\u00fc")
HTML_PARTS = ("<a href=", '"', "'", ">", "</a>", "x.whl", "#sha256=", "<base href=", "//[", "&#x0;")
WHEELS = r"harnest_extension_[a-z_]{1,5}-[0-9.a-z+!]{1,6}-py3-none-any\.whl"


def outcome(function: Callable[..., Any], *arguments: object) -> Any:
    """Return what a function gives, or what it refuses with."""
    try:
        return function(*arguments)
    except HarnestExtensionError as error:
        return error


@settings(deadline=None)
@given(typed)
def test_any_argument_is_a_source_or_a_refusal(text: str) -> None:
    """A refusal stays within its bound and has a remedy; a name is a valid one."""
    found = outcome(classify, text, NOWHERE)
    if isinstance(found, HarnestExtensionError):
        assert found.remedy
        assert len(str(found).encode()) <= 4096
    else:
        assert isinstance(found, NamedSource | FolderSource | WheelSource)
        assert not isinstance(found, NamedSource) or Slug(found.slug) == found.slug


@settings(deadline=None)
@given(pages.map(json.dumps).map(str.encode) | st.binary(max_size=60))
def test_any_json_body_is_a_page_or_a_refusal(body: bytes) -> None:
    """Whatever types the keys have."""
    found = outcome(read_json_page, body)
    if isinstance(found, HarnestExtensionError):
        assert found.kind in {"registry-protocol", "unsafe-path"}
    else:
        assert all(file.sha256 == "" or len(file.sha256) == 64 for file in found.files)


@settings(deadline=None)
@given(
    st.binary(max_size=80)
    | st.lists(st.sampled_from(HTML_PARTS), max_size=14).map("".join).map(str.encode)
)
def test_any_html_body_is_a_page_or_a_refusal(body: bytes) -> None:
    """Whatever is open, nested or cut short."""
    found = outcome(read_html_page, body)
    assert getattr(found, "kind", "page") in {"page", "registry-protocol", "unsafe-path"}


@settings(deadline=None)
@given(st.text(max_size=40) | st.lists(st.sampled_from(ADDRESS_PARTS), max_size=10).map("".join))
def test_any_text_is_an_address_or_a_refusal(text: str) -> None:
    """What parses is written out as it will be asked, and parses to the same again."""
    found = outcome(WebAddress.parse, text)
    if isinstance(found, HarnestExtensionError):
        assert found.kind in {"registry-protocol", "registry-policy"}
    else:
        again = WebAddress.parse(found.url)
        assert (again.origin, again.target) == (found.origin, found.target)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(("slug", "project", "trust", "releases", "x")), plain))
def test_any_entry_of_a_registry_is_read_or_refused(told: dict[str, object]) -> None:
    """Whatever a registry's file says."""
    found = outcome(entry_of, told, Slug("demo"), "demo.toml")
    assert getattr(found, "rule", "registry.entry") == "registry.entry"


@given(st.text(max_size=40) | st.from_regex(WHEELS))
def test_any_file_name_is_a_wheels_or_none(name: str) -> None:
    """A name that is no wheel's gives nothing."""
    parsed = WheelName.parse(name)
    assert parsed is None or parsed.version
