"""METADATA of a wheel, written from a checked ``[project]`` table (core metadata 2.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harnest_ext.manifest import Manifest

__all__ = ["metadata_file"]

_CONTENT_TYPES = {".md": "text/markdown", ".rst": "text/x-rst"}


def metadata_file(
    manifest: Manifest, project: Mapping[str, Any], *, readme: bytes, licences: Sequence[str]
) -> bytes:
    """Return the content of METADATA.

    Args:
        manifest: The package's manifest, which names and versions it.
        project: The ``[project]`` table, known to keep the rules of packages.
        readme: Content of the readme; empty if there is none.
        licences: Paths of licence files that the wheel holds.
    """
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {manifest.name.distribution}",
        f"Version: {manifest.version.public}",
    ]
    lines += [f"{name}: {_one_line(value)}" for name, value in _fields(manifest, project) if value]
    lines += [f"License-File: {path}" for path in licences]
    lines += [f"Requires-Dist: {item}" for item in project.get("dependencies", ())]
    for extra, items in sorted(project.get("optional-dependencies", {}).items()):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {_for_extra(item, extra)}" for item in items]
    if readme:
        lines.append(f"Description-Content-Type: {_content_type(project.get('readme'))}")
    head = "\n".join(lines).encode("utf-8") + b"\n"
    return head + b"\n" + readme.replace(b"\r\n", b"\n") if readme else head


def _fields(manifest: Manifest, project: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Summary", str(project.get("description") or manifest.summary)
    licence = project.get("license")
    if isinstance(licence, str):
        yield "License-Expression", licence
    elif isinstance(licence, dict):
        yield "License", str(licence.get("text", ""))
    for role in ("authors", "maintainers"):
        names, addresses = _people(project.get(role, ()))
        title = role[:-1].capitalize()
        yield title, ", ".join(names)
        yield f"{title}-email", ", ".join(addresses)
    yield "Keywords", ",".join(map(str, project.get("keywords", ())))
    for classifier in project.get("classifiers", ()):
        yield "Classifier", str(classifier)
    for label, url in project.get("urls", {}).items():
        yield "Project-URL", f"{label}, {url}"
    yield "Requires-Python", str(project.get("requires-python", ""))


def _people(people: Sequence[Mapping[str, str]]) -> tuple[list[str], list[str]]:
    names = [p["name"] for p in people if "email" not in p and "name" in p]
    mails = [p for p in people if "email" in p]
    return names, [f"{p['name']} <{p['email']}>" if "name" in p else p["email"] for p in mails]


def _for_extra(requirement: str, extra: str) -> str:
    name, _, marker = requirement.partition(";")
    condition = f"extra == '{extra}'"
    return (
        f"{name.strip()}; ({marker.strip()}) and {condition}"
        if marker
        else f"{name.strip()}; {condition}"
    )


def _content_type(readme: object) -> str:
    if isinstance(readme, dict) and "content-type" in readme:
        return _one_line(str(readme["content-type"]))
    name = readme.get("file", "") if isinstance(readme, dict) else readme
    suffix = re.search(r"\.[a-z]+$", str(name).lower())
    return _CONTENT_TYPES.get(suffix[0] if suffix else "", "text/plain")


def _one_line(text: str) -> str:
    return " ".join(text.split())
