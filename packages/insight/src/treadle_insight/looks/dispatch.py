"""Loops of small eager operations, which spend their time on calling and not on computing.

Operations are counted by the line that they come from. How long one of them takes, and how long its kernel alone, is
measured when the findings are asked for, on zeros of the same types. Operations that XLA runs, and functions that are
fused, are not counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Final, final

from treadle_insight.finding import Cost, Finding, seconds_text
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.loop_syntax import Loops, WrittenLoop
from treadle_insight.place import Place
from treadle_insight.spelling import Spelling
from treadle_ir import ArrayType, Operands, Primitive, type_of
from treadle_ir.errors import Source, kind_of_file, user_frame
from treadle_ir.process import fork_safe_lock
from treadle_runtime import observing_operations, seconds_of

KINDS: Final = (
    Kind(
        "dispatch.share",
        "Many small operations are run one by one: most of the time goes into calling them.",
        topic="",
        wrong="""\
import treadle
import treadle.numpy as tnp

x = tnp.ones(3)

with treadle.watch("dispatch") as report:
    y = x
    for _ in range(1000):
        y = y + x
""",
        right="""\
import treadle
import treadle.numpy as tnp

x = tnp.ones(3)

@treadle.jit
def total(x):
    return treadle.lax.fori_loop(0, 1000, lambda _, y: y + x, x)

with treadle.watch("dispatch") as report:
    y = total(x)
""",
    ),
)
MANY: Final = 500  # operations from one place
_SHARE: Final = 0.5  # of the time that goes into calling
_MOST: Final = 4096  # places


@final
@dataclass(slots=True)
class _Counted:
    """The operations that came from one place."""

    code: CodeType  # kept, so that its id stays valid
    offset: int
    count: int = 0
    first: tuple[Primitive, list[ArrayType]] | None = None  # None if the place is in a library
    seconds: tuple[float, float] | None = None  # of one operation, and of its kernel, once measured


@final
class Dispatch(Part):
    """Counts eager operations, and reports places where most of the time goes into calling them."""

    def __init__(self) -> None:
        self._counted: dict[tuple[int, int], _Counted] = {}  # by code and offset
        self._lock = fork_safe_lock()
        self._observing = observing_operations(self)

    def enter(self) -> None:
        """Begin to count."""
        self._observing.__enter__()

    def leave(self) -> None:
        """Stop counting."""
        self._observing.__exit__(None, None, None)

    def evaluating(self, primitive: Primitive, operands: Operands) -> None:
        """Count an operation.

        Args:
            primitive: the operation.
            operands: its operands.
        """
        frame = user_frame()
        if frame is None:
            return
        key = id(frame.f_code), frame.f_lasti
        found = self._counted.get(key)
        if found is not None:
            found.count += 1  # of two threads one may be lost, which does not matter
            return
        with self._lock:
            if len(self._counted) < _MOST:
                found = self._counted.setdefault(key, _Counted(frame.f_code, frame.f_lasti, 1))
                types = [type_of(x) for x in operands]
                if kind_of_file(frame.f_code.co_filename) == "user":
                    found.first = primitive, types

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far; places that have not been reported before are measured now."""
        with self._lock:
            many = [each for each in self._counted.values() if each.count >= MANY]
        for counted in many:
            if counted.first is None:
                continue
            primitive, types = counted.first
            if counted.seconds is None:
                counted.seconds = seconds_of(primitive, types) or (0.0, 0.0)
            whole, computing = counted.seconds
            if whole > 0 and 1 - computing / whole >= _SHARE:
                yield _finding(counted, primitive, types)


def _finding(counted: _Counted, primitive: Primitive, types: list[ArrayType]) -> Finding:
    """Return the finding for a place."""
    assert counted.seconds is not None, "it has been measured"
    whole, computing = counted.seconds
    place = Place.of(Source(counted.code, counted.offset))
    share = f"{100 * (1 - computing / whole):.0f} %"
    lost = counted.count * (whole - computing)
    fix, code = _fix(place)
    return Finding(
        "dispatch.share",
        f"{share} of {seconds_text(counted.count * whole)} is calling, not computing: {counted.count:,} operations at "
        f"{place} ran one by one.",
        (place,),
        (
            f"`{primitive.name}` of {', '.join(map(str, types))} takes {seconds_text(whole)}, of which its kernel "
            f"takes {seconds_text(computing)}.",
        ),
        fix,
        code,
        Cost(seconds=lost),
    )


def _fix(place: Place) -> tuple[str, str]:
    """Return how to run the operations of a place together: one sentence, and code with the loop as it is written."""
    spelled = Spelling.of_file(place.file)
    if place.name in ("", "<module>"):
        fix = f"Move the loop around {place} into a function as a `fori_loop` or `scan`, and jit the function."
    else:
        fix = f"Write the loop around {place} as a `fori_loop` or `scan`, in a function that is jitted."
    jit = f"@{spelled.name('jit')}"
    loop = next(iter(Loops().around(place.file, place.line)), None)
    step = None if loop is None or loop.bounds is None else _only_step(loop)
    if loop is None or loop.bounds is None or step is None:
        return fix, f"{jit}  # above the function with the loop"
    state, value = step
    body = f"lambda {loop.counter}, {state}: {value}"
    looped = f"{spelled.name('lax.fori_loop')}({', '.join(loop.bounds)}, {body}, {state})"
    return fix, f"{jit}\ndef run({state}):\n    return {looped}\n{state} = run({state})"


def _only_step(loop: WrittenLoop) -> tuple[str, str] | None:
    """Return the variable that a loop passes on and its next value, as text; None if the loop does more than that."""
    if not loop.is_plain or not isinstance(loop.node, ast.For) or len(loop.node.body) != 1:
        return None
    (step,) = loop.node.body
    if not isinstance(step, ast.Assign | ast.AugAssign):
        return None
    (target, *others) = step.targets if isinstance(step, ast.Assign) else [step.target]
    if others or not isinstance(target, ast.Name):
        return None
    value = step.value
    if isinstance(step, ast.AugAssign):
        value = ast.BinOp(ast.Name(target.id), step.op, step.value)
    names = [each.id for each in ast.walk(value) if isinstance(each, ast.Name)]
    return (target.id, ast.unparse(value)) if target.id in names else None
