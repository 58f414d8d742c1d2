"""Arrays that a function captured from around it, which are constants of its program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from treadle_insight.finding import Cost, Finding, bytes_text
from treadle_insight.kinds import Kind
from treadle_insight.place import Place
from treadle_insight.subject import Subject

KINDS: Final = (
    Kind(
        "capture.large",
        "A function refers to a large array that is not an argument: it stays in memory as long as the program, and "
        "a changed array means another trace.",
        topic="",
        wrong="""\
import treadle
import treadle.numpy as tnp

weights = tnp.ones((1500, 1500))

def predict(x):
    return x @ weights

report = treadle.explain(predict)(tnp.ones(1500))
""",
        right="""\
import treadle
import treadle.numpy as tnp

weights = tnp.ones((1500, 1500))

def predict(weights, x):
    return x @ weights

report = treadle.explain(predict)(weights, tnp.ones(1500))
""",
    ),
)
LARGE: Final = 1_000_000  # bytes


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each large captured array.

    Args:
        subject: the program, whose first parameters are the captured arrays.
    """
    program = subject.program
    for parameter in program.parameters[: len(subject.captured)]:
        size = parameter.type.nbytes
        if size < LARGE:
            continue
        users = [each for each in program.equations if parameter in each.operands]
        places = tuple([Place.of(each.source) for each in users[:1]])
        yield Finding(
            "capture.large",
            f"{subject.name} captured an array {parameter.type} of {bytes_text(size)}.",
            places,
            ("It stays in memory as long as the compiled function lives.",),
            "Pass it as an argument.",
            cost=Cost(bytes=size),
        )
