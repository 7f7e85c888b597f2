"""``harnest extensions test``: the conformance suites on an extension or a provider."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnest_ext.cli.output import Output
    from harnest_ext.conformance import SuiteReport
    from harnest_ext.conformance.package_provider import Profiles

__all__ = ["command"]


@click.command(
    "test",
    epilog=examples(
        "harnest extensions test ./weather",
        "harnest extensions test ./my-provider --junit report.xml",
        "harnest extensions test --provider mypkg:factory --only deadlines.",
    ),
)
@click.argument(
    "path", metavar="[PATH]", required=False, type=click.Path(path_type=Path, exists=True)
)
@click.option("--provider", metavar="MODULE:ATTRIBUTE", help="Test this provider.")
@click.option(
    "--only", multiple=True, metavar="CHECK", help="Try this check, or a group 'name.' of them."
)
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write a JUnit report too."
)
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    path: Path | None,
    *,
    provider: str | None,
    only: tuple[str, ...],
    junit: Path | None,
    project: Path | None,
    output: Output,
) -> int:
    """Run the extension suite on PATH, and those of the provider and workspaces that it brings.

    The extension is executed, in a scratch project. It says in _tests/conformance.py what it
    brings to be tested. Exit code 1 if a check failed; what is not supported is told apart. A tier
    that can't run on this host is one failure, opening.available, and nothing else is tried.
    """
    del project  # suites make a project of their own
    if (path is None) == (provider is None):
        raise click.UsageError("Give either the PATH of an extension or --provider.")
    reports = []
    for report in _reports(path, provider, only or None, output):
        reports.append(report)
        output.note(report.summary())
    if not reports:
        names = " or ".join(map(repr, only))
        raise click.UsageError(f"No check that can be tried on it is named {names}.")
    output.result({"reports": [report.to_dict() for report in reports]}, _text(reports, output))
    if junit is not None:
        _write(junit, reports)
    return 0 if all(report.ok for report in reports) else 1


def _reports(
    path: Path | None, provider: str | None, only: Sequence[str] | None, output: Output
) -> Iterator[SuiteReport]:
    # Imported here: --help needs neither manager nor runtime.
    from harnest_ext.conformance import (  # noqa: PLC0415
        load_profile,
        provider_checks,
        run_extension_suite,
        run_provider_suite,
    )
    from harnest_ext.conformance.checks import named  # noqa: PLC0415
    from harnest_ext.conformance.extension_suite import extension_checks  # noqa: PLC0415
    from harnest_ext.conformance.package_provider import (  # noqa: PLC0415
        active_profiles,
        brings_profile,
    )

    if provider is not None and named(provider_checks(), only):
        sys.path.insert(0, str(Path.cwd()))
        yield run_provider_suite(load_profile(provider), only=only)
    if path is None:
        return
    if named(extension_checks(), only):
        output.detail("Running the extension suite ...")
        yield run_extension_suite(path, only=only)
    if brings_profile(path):
        with active_profiles(path) as profiles:
            yield from _brought(profiles, only, output)


def _brought(
    profiles: Profiles, only: Sequence[str] | None, output: Output
) -> Iterator[SuiteReport]:
    from harnest_ext.conformance import (  # noqa: PLC0415
        provider_checks,
        run_provider_suite,
        run_workspace_suite,
        workspace_checks,
    )
    from harnest_ext.conformance.availability import unavailable  # noqa: PLC0415
    from harnest_ext.conformance.checks import named  # noqa: PLC0415

    refused = unavailable(profiles.workspace) if profiles.workspace is not None else None
    if refused is not None:
        # What a tier lacks on this host its provider lacks too: one line says it for both.
        yield refused
        return
    if profiles.provider is not None and named(provider_checks(), only):
        output.detail("Running the provider suite ...")
        yield run_provider_suite(profiles.provider, only=only)
    if profiles.workspace is not None and named(workspace_checks(), only):
        output.detail("Running the workspace suite ...")
        yield run_workspace_suite(profiles.workspace, only=only)


def _text(reports: Sequence[SuiteReport], output: Output) -> str:
    """Return the checks that a reader must look at; with ``--verbose`` all of them."""
    from harnest_ext.cli.output import Verbosity  # noqa: PLC0415 - beside what it is used for

    everything = output.verbosity is Verbosity.VERBOSE
    rows = [
        (item.outcome.value, item.check, item.detail or item.promise)
        for report in reports
        for item in report.results
        if everything or item.outcome.value != "passed"
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    return "\n".join(
        f"{outcome:<{widths[0]}}  {check:<{widths[1]}}  {detail}" for outcome, check, detail in rows
    )


def _write(path: Path, reports: Sequence[SuiteReport]) -> None:
    from harnest_ext.conformance import rules  # noqa: PLC0415 - only --junit needs them
    from harnest_ext.conformance.report import junit  # noqa: PLC0415
    from harnest_ext.errors import StoreError  # noqa: PLC0415

    try:
        path.write_text(junit(reports), encoding="utf-8")
    except OSError as error:
        problem = rules.REPORT.problem(
            "The JUnit report could not be written.", path=str(path), got=type(error).__name__
        )
        raise StoreError(problem) from error
