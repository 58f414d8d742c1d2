"""The kinds of findings: what each code means, with a wrong and a right program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final, final


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding, as docs/findings.md describes it.

    Attributes:
        code: the stable code, such as `recompile.shape`. Its first part names a part of `watch`, or a topic.
        summary: one sentence: when it is reported.
        topic: the question of docs/faq.md that it answers, as a heading there; empty if there is none.
        wrong: a complete program that binds `report` to a report with the finding.
        right: the same program, mended: its `report` does not have the finding.
        devices: how many devices the programs need.
    """

    code: str
    summary: str
    topic: str = ""
    wrong: str = ""
    right: str = ""
    devices: int = 1

    def __str__(self) -> str:
        return f"{self.code}: {self.summary}"


# The modules that declare kinds, in the order of the documentation.
MODULES: Final = (
    "treadle_insight.looks.captures",
    "treadle_insight.looks.loops",
    "treadle_insight.looks.donation",
    "treadle_insight.looks.recompile",
    "treadle_insight.looks.static_arguments",
    "treadle_insight.looks.placement",
    "treadle_insight.looks.transfer",
    "treadle_insight.looks.zeros",
    "treadle_insight.looks.nans",
    "treadle_insight.looks.digits",
    "treadle_insight.looks.frozen",
    "treadle_insight.looks.effects",
    "treadle_insight.looks.clock",
    "treadle_insight.looks.leaks",
    "treadle_insight.looks.keys",
    "treadle_insight.looks.dispatch",
    "treadle_insight.doctor",
)


@final
class Kinds(Mapping[str, Kind]):
    """All kinds of findings by code: `treadle.findings`.

    Example:
        >>> from treadle_insight import findings
        >>> "loop.unrolled" in findings
        True
    """

    def __init__(self) -> None:
        self._known: dict[str, Kind] = {}

    def _all(self) -> dict[str, Kind]:
        """Return all kinds, after the modules that declare them have been imported."""
        if not self._known:
            found: dict[str, Kind] = {}
            for module in MODULES:
                for kind in import_module(module).KINDS:
                    if kind.code in found:
                        raise ValueError(f"two modules declare the kind {kind.code!r}")
                    found[kind.code] = kind
            self._known = found
        return self._known

    def __getitem__(self, code: str) -> Kind:
        return self._all()[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return "\n".join([str(kind) for kind in self._all().values()])


findings: Final = Kinds()
