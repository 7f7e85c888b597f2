"""A package opened: the one door through which folders and wheels are read and judged."""

from __future__ import annotations

import stat
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from harnest_ext.package.assembly import assemble
from harnest_ext.package.disk import open_folder
from harnest_ext.package.findings import Findings
from harnest_ext.package.folder import FolderTree
from harnest_ext.package.host import check_host
from harnest_ext.package.inspection import inspect
from harnest_ext.package.model import CheckReport
from harnest_ext.package.project import PROJECT_FILE
from harnest_ext.package.reading import read_through
from harnest_ext.package.rules import tree as rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.host import Host
    from harnest_ext.package.model import ExtensionPackage

__all__ = ["check_package", "open_package"]

_WHEEL = ".whl"


@contextmanager
def open_package(path: Path, *, host: Host) -> Iterator[ExtensionPackage]:
    """Yield the valid package at ``path``, its source held open until the block ends.

    Nothing of the package is imported, compiled or executed, and nothing is written.

    Args:
        path: A folder or a ``.whl`` file; a link at ``path`` itself is followed.
        host: The Harnest and Python that the package must work with.

    Raises:
        InvalidExtension: The package breaks rules; holds all of them.
        IncompatibleExtension: The package is valid but excludes the host.
        ExtensionNotFound: There is nothing at ``path``.
    """
    with _opened(path, host) as (package, findings):
        failure = findings.failure()
        if failure:
            raise failure
        if package is None:
            raise AssertionError("a package without a problem was not assembled")
        yield package


def check_package(path: Path, *, host: Host) -> CheckReport:
    """Return everything that is found wrong or doubtful about the package at ``path``.

    Args:
        path: A folder or a ``.whl`` file.
        host: The Harnest and Python that the package must work with.
    """
    with _opened(path, host) as (package, findings):
        problems = (*findings.errors, *findings.warnings)
        return CheckReport(location=path, problems=problems, package=package)


@contextmanager
def _opened(path: Path, host: Host) -> Iterator[tuple[ExtensionPackage | None, Findings]]:
    findings = Findings(path.name or str(path))
    source = _kind(path, findings)
    if source == "folder":
        with _opened_folder(path, host, findings) as package:
            yield package, findings
    elif source == "wheel":
        from harnest_ext.package.wheel import read_wheel  # noqa: PLC0415 - folders don't need it

        yield read_wheel(path, host, findings), findings
    else:
        yield None, findings


def _kind(path: Path, findings: Findings) -> str:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)
        rule = rules.NOT_FOUND if missing else rules.UNREADABLE
        reason = getattr(error, "strerror", None) or "not a path"
        findings.add(rule.problem("There is nothing to read.", path=str(path), got=reason))
        return ""
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISREG(mode) and path.name.endswith(_WHEEL):
        return "wheel"
    findings.add(
        rules.SOURCE_KIND.problem(
            "This is neither a folder nor a wheel.",
            path=path.name,
            expected="a folder, or a file whose name ends in .whl",
            got=path.name if stat.S_ISREG(mode) else "a special file",
        )
    )
    return ""


@contextmanager
def _opened_folder(path: Path, host: Host, findings: Findings) -> Iterator[ExtensionPackage | None]:
    with ExitStack() as stack:
        try:
            root = stack.enter_context(open_folder(path))
        except OSError as error:
            reason = error.strerror or "unreadable"
            what = "The folder can't be opened."
            findings.add(rules.UNREADABLE.problem(what, path=str(path), got=reason))
            yield None
            return
        tree = FolderTree(root, findings)
        stack.callback(tree.close)
        yield _folder_package(tree, path, host, findings)


def _folder_package(
    tree: FolderTree, path: Path, host: Host, findings: Findings
) -> ExtensionPackage | None:
    inspected = inspect(tree, findings)
    slug = inspected.manifest.name if inspected.manifest else None
    if slug and tree.package_folder not in {"", slug.package}:
        what = "The package's folder is not named after the extension."
        findings.add(
            rules.NESTED_NAME.problem(
                what, path=tree.package_folder, expected=slug.package, got=tree.package_folder
            )
        )
    project = inspected.project
    if project:
        check_host(
            host,
            PROJECT_FILE,
            findings,
            requires_python=project.requires_python,
            host_range=project.needs.host_range,
        )
    if not inspected.readable:
        return None
    verified = read_through(tree, inspected, findings)
    return assemble(
        inspected,
        verified,
        findings,
        location=path,
        needs=project.needs if project else None,
        requires_python=project.requires_python if project else None,
    )
