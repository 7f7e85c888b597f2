"""Which release of each extension: a pure question; registries and the index are ports."""

from harnest_ext.resolution.answer import Resolution, Selected
from harnest_ext.resolution.candidate import Candidate, Facts, Origin, OriginKind
from harnest_ext.resolution.provider import CandidateProvider
from harnest_ext.resolution.request import Given, Installed, ResolutionRequest
from harnest_ext.resolution.resolver import resolve

__all__ = [
    "Candidate",
    "CandidateProvider",
    "Facts",
    "Given",
    "Installed",
    "Origin",
    "OriginKind",
    "Resolution",
    "ResolutionRequest",
    "Selected",
    "resolve",
]
