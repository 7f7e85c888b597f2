"""How long it takes to choose versions, beside the bare engine with the least possible provider."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from resolvelib import AbstractProvider, BaseReporter, ResolutionImpossible, Resolver

from benchmarks.measure import Comparison
from harnest_ext.errors import IncompatibleExtension
from harnest_ext.host import Host
from harnest_ext.resolution import ResolutionRequest, resolve
from tests.fakes.releases import FakeReleases, need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.installation import Installation

Graph = dict[str, list[str]]


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield a large question with an answer and a small one without."""
    del scratch, installation
    yield _comparison("resolve 400 names x 10 versions", _chain(400, 10), "n0")
    yield _comparison("no answer among 8 names x 30 versions", _contradiction(8, 30), "n0")


def _chain(names: int, versions: int) -> Graph:
    """Return releases where each name needs the next two, in ranges that narrow."""
    graph: Graph = {}
    for n in range(names):
        for v in range(1, versions + 1):
            after = [f"n{m}>={max(1, v - 3)}" for m in (n + 1, n + 2) if m < names]
            graph[f"n{n} {v}.0.0"] = after
    return graph


def _contradiction(names: int, versions: int) -> Graph:
    """Return releases where every way ends in two ranges that exclude each other."""
    graph: Graph = {}
    for n in range(names - 1):
        for v in range(1, versions + 1):
            graph[f"n{n} {v}.0.0"] = [f"n{m}" for m in range(n + 1, names - 1)] + [
                f"n{names - 1}{'<1' if n % 2 else '>=1'}"
            ]
    graph[f"n{names - 1} 1.0.0"] = []
    graph[f"n{names - 1} 0.1.0"] = []
    return graph


def _comparison(name: str, graph: Graph, root: str) -> Comparison:
    request = ResolutionRequest(
        wanted=(need(root),), host=Host(harnest_version="1.0.0", python_version="3.11.4")
    )
    releases = FakeReleases(graph)
    parsed = _parsed(graph)

    def ours() -> None:
        with suppress(IncompatibleExtension):
            resolve(request, releases)

    return Comparison(
        name=name,
        ours=ours,
        others={"resolvelib alone": _bare(parsed, root)},
        reach={"resolvelib alone": 2},
        rounds=5,
    )


def _parsed(graph: Graph) -> dict[str, dict[Version, list[tuple[str, SpecifierSet]]]]:
    found: dict[str, dict[Version, list[tuple[str, SpecifierSet]]]] = defaultdict(dict)
    for release, needs in graph.items():
        name, version = release.split()
        cut = [need(text) for text in needs]
        found[name][Version(version)] = [(str(n.slug), SpecifierSet(n.specifier)) for n in cut]
    return dict(found)


class _Least(AbstractProvider):
    """Answers the engine's questions and nothing else."""

    def __init__(self, graph: dict[str, dict[Version, list[tuple[str, SpecifierSet]]]]) -> None:
        self._graph = graph

    def identify(self, requirement_or_candidate: Any) -> str:
        return requirement_or_candidate[0]

    def get_preference(self, identifier: str, *_args: Any, **_kwargs: Any) -> int:
        return len(identifier)

    def find_matches(self, identifier: str, requirements: Any, incompatibilities: Any) -> Any:
        ranges = [requirement[1] for requirement in requirements[identifier]]
        excluded = {candidate[1] for candidate in incompatibilities[identifier]}
        fit = [
            version
            for version in self._graph.get(identifier, {})
            if version not in excluded and all(version in allowed for allowed in ranges)
        ]
        return [(identifier, version) for version in sorted(fit, reverse=True)]

    def is_satisfied_by(self, requirement: Any, candidate: Any) -> bool:
        return candidate[1] in requirement[1]

    def get_dependencies(self, candidate: Any) -> Any:
        return self._graph[candidate[0]][candidate[1]]


def _bare(graph: dict[str, dict[Version, Any]], root: str) -> Callable[[], object]:
    def run() -> None:
        resolver = Resolver(_Least(graph), BaseReporter())
        with suppress(ResolutionImpossible):
            resolver.resolve([(root, SpecifierSet())], max_rounds=10**6)

    return run
