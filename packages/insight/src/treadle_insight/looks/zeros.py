"""Gradients that are zero: which operation, at which line, lets nothing through, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from treadle_autodiff import Flat
from treadle_insight.differentiation import Differentiation, differentiation_of
from treadle_insight.evaluation import Run, quiet
from treadle_insight.expressions import operand_text, written_name
from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.place import Place
from treadle_insight.recording import Read
from treadle_insight.slopes import Cut, Slopes
from treadle_insight.spelling import Spelling
from treadle_insight.subject import Subject
from treadle_ir import Atom, Equation, UnsupportedError, Value
from treadle_ir.primitives.call import CustomJvpStaged

_TOPIC: Final = "Why are gradients of comparisons and sorting zero?"

KINDS: Final = (
    Kind(
        "zero.flat",
        "A gradient is zero everywhere, because each way from the argument to the result passes an operation that is "
        "flat: a comparison, a rounding, a position, an integer.",
        topic=_TOPIC,
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    return tnp.sum(tnp.round(x) ** 2)

report = treadle.explain(treadle.grad(loss))(tnp.array([0.3, 1.7]))
""",
        right="""\
import treadle
import treadle.numpy as tnp
from treadle import lax

def loss(x):
    rounded = x + lax.stop_gradient(tnp.round(x) - x)
    return tnp.sum(rounded ** 2)

report = treadle.explain(treadle.grad(loss))(tnp.array([0.3, 1.7]))
""",
    ),
    Kind(
        "zero.unused",
        "A gradient is zero, because the result does not use the argument.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(params):
    return tnp.sum(params["w"] ** 2)

params = {"w": tnp.ones(2), "b": tnp.ones(2)}
report = treadle.explain(treadle.grad(loss))(params)
""",
        right="""\
import treadle
import treadle.numpy as tnp

def loss(params):
    return tnp.sum((params["w"] + params["b"]) ** 2)

params = {"w": tnp.ones(2), "b": tnp.ones(2)}
report = treadle.explain(treadle.grad(loss))(params)
""",
    ),
    Kind(
        "zero.here",
        "A gradient is zero for these values, though not for all: a clip at its limit, a relu of negative numbers, a "
        "`where` that chose the other side.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    return tnp.sum(tnp.clip(x, 0.0, 1.0))

report = treadle.explain(treadle.grad(loss), values=True)(tnp.array([2.0, -1.0]))
""",
        right="""\
import treadle
import treadle.numpy as tnp
from treadle import nn

def loss(x):
    return tnp.sum(nn.sigmoid(x))

report = treadle.explain(treadle.grad(loss), values=True)(tnp.array([2.0, -1.0]))
""",
    ),
    Kind(
        "zero.constant",
        "A gradient is zero, because Python read the elements of a traced value: what it computes with them is "
        "constant.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    scale = x.item()
    return tnp.sin(scale)

report = treadle.explain(treadle.grad(loss), values=True)(2.0)
""",
        right="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    return tnp.sin(x)

report = treadle.explain(treadle.grad(loss), values=True)(2.0)
""",
    ),
    Kind(
        "zero.path",
        "A gradient is zero, because an `if` chose a side by the value of the argument, and that side does not depend "
        "on it.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    if x > 0:
        return tnp.float32(1.0)
    return tnp.float32(0.0)

report = treadle.explain(treadle.grad(loss), values=True)(2.0)
""",
        right="""\
import treadle
import treadle.numpy as tnp
from treadle import nn

def loss(x):
    return nn.sigmoid(x)

report = treadle.explain(treadle.grad(loss), values=True)(2.0)
""",
    ),
)

_WHY: Final = {
    Flat.COMPARISON: "it is a comparison: its result jumps and is constant elsewhere",
    Flat.ROUNDING: "it is constant except where it jumps",
    Flat.POSITION: "it gives positions, which do not change when the numbers change a little",
    Flat.INTEGER: "it makes integers or truth values, which have no slope",
    Flat.ASKED: "it was asked to let no derivative through",
    Flat.EFFECT: "no result depends on it",
    Flat.CONSTANT: "its result is the same for all values of this operand",
    None: "its own derivative rule gives zero",
}
_FIX: Final = {
    Flat.COMPARISON: (
        "Use a smooth function in the place of the comparison.",
        "{nn.sigmoid}({x} / temperature)",
    ),
    Flat.ROUNDING: (
        "Let the derivative pass the rounding.",
        "{x} + {lax.stop_gradient}({call} - {x})",
    ),
    Flat.POSITION: (
        "Use a smooth function of the numbers in the place of their positions.",
        "{nn.softmax}({x})",
    ),
    Flat.INTEGER: ("Keep the numbers floating where the derivative passes.", ""),
    Flat.ASKED: ("Remove `stop_gradient`, if the derivative is meant to pass.", ""),
    Flat.EFFECT: ("Use the value in the result.", ""),
    Flat.CONSTANT: ("Use a function of the value.", ""),
    None: ("Return a tangent that depends on the argument's from the derivative rule.", ""),
}
_MOST: Final = 4  # operations and paths that are named


def look(subject: Subject) -> Iterator[Finding]:
    """Yield findings on the leaves for which a gradient is zero.

    Args:
        subject: a gradient; for other functions there is nothing to say.
    """
    found = differentiation_of(subject)
    if found is None or not found.wanted:
        return
    slopes = Slopes(found.program, found.wanted)
    sloped = made_from = 0
    for result in slopes.results:
        sloped |= result.slope
        made_from |= result.made_from
    without = [number for number in range(len(found.wanted)) if not sloped >> number & 1]
    yield from _structural(found, slopes, without, made_from)
    if subject.values and len(without) < len(found.wanted):
        yield from _here(found, set(without))


def _structural(
    found: Differentiation, slopes: Slopes, without: Sequence[int], made_from: int
) -> Iterator[Finding]:
    """Yield findings on the leaves without any slope, leaves with the same causes together."""
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    cuts: dict[int, Cut] = {}
    for number in without:
        lost = slopes.lost(number)
        cuts.update([(id(cut), cut) for cut in lost])
        reads = [
            i
            for i, read in enumerate(found.reads)
            if read.value in slopes.values and slopes.values[read.value].made_from >> number & 1
        ]
        groups.setdefault((tuple(map(id, lost)), tuple(reads)), []).append(number)
    for (lost_ids, read_numbers), numbers in groups.items():
        paths = _paths(found, numbers)
        reads_of = [found.reads[i] for i in read_numbers]
        yield from _of_reads(paths, reads_of)
        if lost_ids:
            yield _of_cuts(paths, [cuts[each] for each in lost_ids])
        elif not reads_of:
            yield Finding(
                "zero.unused",
                f"The gradient with respect to {paths} is zero: the result of {found.name} does not use it.",
                _first_places(found),
                (),
                f"Use {paths} in the result of {found.name}, or do not differentiate with respect to it.",
            )


def _first_places(found: Differentiation) -> tuple[Place, ...]:
    """Return the place where the result is made, for what has no place of its own."""
    makers = {value: each for each in found.program.equations for value in each.results}
    for result in found.program.results:
        if isinstance(result, Value) and result in makers:
            return (Place.of(makers[result].source),)
    return ()


def _paths(found: Differentiation, numbers: Sequence[int]) -> str:
    """Return the paths of leaves, as text."""
    paths = [f"`{found.path(found.wanted[number])}`" for number in numbers]
    shown = paths[:_MOST]
    rest = len(paths) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _of_cuts(paths: str, cuts: Sequence[Cut]) -> Finding:
    """Return the finding on leaves of which each way to the result is cut."""
    first = cuts[0]
    why = []
    for cut in cuts[:_MOST]:
        inside = f", inside the {cut.inside[-1].primitive.name}" if cut.inside else ""
        place = Place.of(cut.equation.source)
        why.append(f"{_called(cut.equation)} at {place}{inside}: {_WHY[cut.reason]}.")
    if len(cuts) > _MOST:
        why.append(f"{len(cuts) - _MOST} more operations cut a way.")
    cutting = (
        f"{_called(first.equation)} cuts the way to the result"
        if len(cuts) == 1
        else "each way to the result is cut"
    )
    sentence, code = _FIX[first.reason]
    place = Place.of(first.equation.source)
    code = _written(code, place)
    if code and first.reason is Flat.ROUNDING:
        sentence = (
            f"Let the derivative pass the rounding: replace `{place.marked}` by what follows."
        )
    return Finding(
        "zero.flat",
        f"The gradient with respect to {paths} is zero everywhere: {cutting}.",
        tuple([Place.of(cut.equation.source) for cut in cuts]),
        tuple(why),
        sentence,
        code,
    )


def _called(equation: Equation) -> str:
    """Return how a finding calls an operation: by the function or operator that the user wrote, else by its name."""
    name = equation.source.derivative_of or equation.primitive.name
    if isinstance(equation.primitive, CustomJvpStaged):
        name = equation.primitive.label
    return f"`{written_name(Place.of(equation.source)) or name.strip('_')}`"


def _written(code: str, place: Place) -> str:
    """Return the code of a fix, with the operand and the call that the user wrote at a place."""
    if not code:
        return ""
    operand = operand_text(place)
    if not operand:
        return ""
    spelled = Spelling.of_file(place.file)
    names = {name: spelled.name(name) for name in ("lax.stop_gradient", "nn.sigmoid", "nn.softmax")}
    for name, own in names.items():
        code = code.replace(f"{{{name}}}", own)
    return code.format(x=operand, call=place.marked)


def _of_reads(paths: str, reads: Sequence[Read]) -> Iterator[Finding]:
    """Yield findings on leaves whose elements Python read."""
    constants = [read for read in reads if not read.chooses]
    choices = [read for read in reads if read.chooses]
    if constants:
        places = tuple([Place.of(read.source) for read in constants])
        yield Finding(
            "zero.constant",
            f"The gradient with respect to {paths} is zero: `{places[0].marked}` at {places[0]} takes it out of the "
            "derivative.",
            places,
            ("Python read its elements there; what it computes with them is constant.",),
            "Keep it an array: use functions of treadle.numpy on it in the place of Python's numbers.",
        )
    if choices:
        places = tuple([Place.of(read.source) for read in choices])
        yield Finding(
            "zero.path",
            f"The gradient with respect to {paths} is zero: {places[0]} chose a side by its value, and that side does "
            "not depend on it.",
            places,
            (f"A derivative is of the side that was chosen: `{places[0].text}`.",),
            "Make the result a smooth function of it, such as `nn.sigmoid(x)`, or of both sides by `where`.",
        )


def _here(found: Differentiation, without: set[int]) -> Iterator[Finding]:
    """Yield findings on leaves whose gradient is zero for these values."""
    try:
        program, operands, cotangents = found.gradient()
        run = Run.of(quiet(program), operands, range(len(operands) - cotangents, len(operands)))
    except UnsupportedError:  # of an effect, or a derivative that does not exist
        return
    groups: dict[tuple[int, ...], list[int]] = {}
    ends: dict[int, tuple[Run, Equation]] = {}
    for number, result in enumerate(run.program.results):
        if number in without or not _is_zero(run, result):
            continue
        last = _last_slopes(run, result)
        ends.update([(id(equation), (where, equation)) for where, equation in last])
        groups.setdefault(tuple([id(equation) for _, equation in last]), []).append(number)
    for ids, numbers in groups.items():
        if not ids:
            continue
        paths = _paths(found, numbers)
        lost = [ends[each] for each in ids]
        where, equation = lost[0]
        place = Place.of(equation.source)
        inside = f", in {where.inside[-1]}" if where.inside else ""
        yield Finding(
            "zero.here",
            f"The gradient with respect to {paths} is zero here, though not everywhere: the last slope is lost in "
            f"{_called(equation)} at {place}{inside}.",
            tuple([Place.of(each.source) for _, each in lost]),
            _evidence(where, equation),
            _remedy(equation),
        )


_LIMITS: Final = ("clip", "clamp", "minimum", "maximum", "min", "max")
_SATURATED: Final = (
    "tanh",
    "sigmoid",
    "logistic",
    "softmax",
    "log_softmax",
    "exp",
    "exponential",
    "erf",
)


def _remedy(equation: Equation) -> str:
    """Return how to get a slope where an operation has lost it."""
    name = _called(equation).strip("`")
    operation = equation.source.derivative_of or equation.primitive.name
    if name == "relu":
        return "Begin with other values, or use a function with a slope on both sides, such as `nn.leaky_relu`."
    if name in _LIMITS:
        return "Use values inside of the limits, or a smooth limit, such as `nn.sigmoid` or `tnp.tanh`."
    if name in ("where", "select") or operation == "select":
        return "Use values for which the other side is chosen, or let both sides depend on it."
    if name in _SATURATED or operation in _SATURATED:
        return "Scale its operand down: it is so great that the function does not change to the last digit."
    return "Begin with other values: the slope is exactly 0 for these."


def _is_zero(run: Run, atom: Atom) -> bool:
    """Return whether all elements of a value are zero, and it has some."""
    elements = run.elements(atom)
    return elements is not None and elements.size > 0 and not np.any(elements)


def _last_slopes(run: Run, result: Atom) -> list[tuple[Run, Equation]]:
    """Return the operations that made zeros of cotangents that were not zero, on the way to a result."""
    ends: dict[int, tuple[Run, Equation]] = {}
    todo: list[tuple[Run, Atom]] = [(run, result)]
    seen: set[tuple[int, Atom]] = set()
    while todo:
        where, value = todo.pop()
        if not isinstance(value, Value) or (id(where), value) in seen:
            continue
        seen.add((id(where), value))
        if value in where.origins:
            outer, atom = where.origins[value]
            if _is_zero(outer, atom):
                todo.append((outer, atom))
            continue
        equation = where.makers.get(value)
        if equation is None:
            continue
        linear = [atom for atom in equation.operands if atom in where.tracked]
        zero = [atom for atom in linear if _is_zero(where, atom)]
        if zero and len(zero) == len(linear):
            todo += [(where, atom) for atom in zero]
            continue
        inner = None if _is_stacked(equation, value) else where.entered(equation, value, ())
        if inner is not None and _is_zero(*inner[:2]):
            todo.append(inner[:2])
        else:
            ends[id(equation)] = where, equation
    return list(ends.values())


def _is_stacked(equation: Equation, value: Value) -> bool:
    """Return whether a result of a loop has the results of all iterations."""
    flows = equation.primitive.flows()
    if flows is None or flows.stacked is None:
        return False
    return equation.results.index(value) >= flows.stacked


def _evidence(run: Run, equation: Equation) -> tuple[str, ...]:
    """Return what the operation was given besides the cotangent."""
    shown = []
    for atom in equation.operands:
        if atom not in run.tracked:
            elements = run.shown(atom)
            text = np.array2string(elements.ravel()[:4], precision=4, threshold=4)
            shown.append(f"{atom.type} {text}" if elements.ndim else f"{elements}")
    return (f"Its slope was given {', '.join(shown)}.",) if shown else ()
