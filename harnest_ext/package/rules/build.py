"""Rules of building a wheel. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = ["MOMENT", "NOT_A_FOLDER", "UNWRITABLE"]

MOMENT = Rule(
    id="build.source-date-epoch",
    kind="usage",
    why="The time that goes into the wheel must be the same for everybody who builds it.",
    example="SOURCE_DATE_EPOCH=yesterday",
    fix="Set SOURCE_DATE_EPOCH to seconds since 1970, or unset it.",
)
NOT_A_FOLDER = Rule(
    id="build.not-a-folder",
    kind="usage",
    why="A wheel is built of the source, never of another wheel.",
    example="harnest extensions build demo.whl",
    fix="Name the folder of the extension.",
)
UNWRITABLE = Rule(
    id="build.unwritable",
    kind="io-error",
    why="The wheel could not be written where it was asked for.",
    example="A folder without write permission; a full disk.",
    fix="Name another folder with --out, or make room.",
)
