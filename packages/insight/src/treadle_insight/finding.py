"""A finding: one thing that a user should know about a program, with its place, its evidence and its remedy.

All doors (`explain`, `watch`, advice, the doctor) give findings; text, HTML, JSON, SARIF, warnings and logs are views
of them (`treadle_insight.views`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from treadle_insight.place import Place

_BYTES_PER_SECOND = (
    1e10  # of memory traffic: orders findings that cost bytes among findings that cost seconds
)


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """What a finding costs the user: seconds that were lost, or bytes that were moved or kept for nothing.

    Example:
        >>> print(Cost(seconds=1.25)), print(Cost(bytes=9_000_000))
        1.2 s
        9 MB
        (None, None)
    """

    seconds: float = 0.0
    bytes: int = 0

    @property
    def weight(self) -> float:
        """Seconds, with bytes counted at the speed of memory: for ordering."""
        return self.seconds + self.bytes / _BYTES_PER_SECOND

    def __str__(self) -> str:
        parts = []
        if self.seconds:
            parts.append(seconds_text(self.seconds))
        if self.bytes:
            parts.append(bytes_text(self.bytes))
        return ", ".join(parts)


NOTHING = Cost()


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a user should know about a program.

    Attributes:
        kind: a stable code, such as `recompile.shape`; `treadle.findings` lists all.
        what: one sentence, with the user's names.
        where: places in the user's source, innermost first.
        why: the evidence, one clause each: numbers, counts, seconds, bytes.
        fix: one imperative sentence.
        code: the fix as code, if it is code; one expression or a few lines.
        cost: what was lost, for ordering.
        certain: whether it is proved, rather than suspected.
    """

    kind: str
    what: str
    where: tuple[Place, ...] = ()
    why: tuple[str, ...] = ()
    fix: str = ""
    code: str = ""
    cost: Cost = NOTHING
    certain: bool = True

    @property
    def place(self) -> Place | None:
        """The innermost place; None if there is none."""
        return self.where[0] if self.where else None

    def __str__(self) -> str:
        from treadle_insight.views.text import finding_text  # noqa: PLC0415 - views know findings

        return finding_text(self)


def seconds_text(seconds: float) -> str:
    """Return a duration as text.

    Args:
        seconds: the duration, in seconds.

    Example:
        >>> seconds_text(0.00021), seconds_text(0.25), seconds_text(83.0)
        ('210 us', '250 ms', '83 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return (
                f"{seconds / size:.2g} {unit}"
                if seconds < 100 * size
                else f"{seconds / size:.0f} {unit}"
            )
    return f"{seconds * 1e6:.2g} us" if seconds < 1e-4 else f"{seconds * 1e6:.0f} us"


def bytes_text(count: float) -> str:
    """Return a number of bytes as text.

    Args:
        count: the number of bytes.

    Example:
        >>> bytes_text(12), bytes_text(9_000_000), bytes_text(2_400_000_000)
        ('12 B', '9 MB', '2.4 GB')
    """
    return f"{count_text(count)}B"


def count_text(count: float) -> str:
    """Return a number with a unit prefix, such as `9 M`.

    Args:
        count: the number.

    Example:
        >>> count_text(12), count_text(1_500), count_text(2.4e9)
        ('12 ', '1.5 k', '2.4 G')
    """
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            scaled = count / size
            return f"{scaled:.0f} {prefix}" if scaled >= 100 else f"{scaled:.2g} {prefix}"
    return f"{count:.0f} "
