"""NaNs: the operation that made the first one, and the zero and the infinity that it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from treadle_insight.evaluation import Element, Elements, Run, Test, first_element, quiet
from treadle_insight.expressions import guarded, written_name
from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.place import Place
from treadle_insight.subject import Subject
from treadle_ir import ArrayType, Atom, Elementwise, Equation, UnsupportedError, Value
from treadle_ir.errors import Source
from treadle_ir.primitives.shape import BroadcastInDim, Reshape, Transpose

_TOPIC: Final = "Why is my gradient NaN where I used `where`?"

KINDS: Final = (
    Kind(
        "nan.where",
        "A gradient is NaN, because the side that `where` did not choose has an infinite derivative: its slope is 0 "
        "times infinity.",
        topic=_TOPIC,
        wrong="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    return tnp.sum(tnp.where(x > 0, tnp.sqrt(x), 0.0))

report = treadle.explain(treadle.grad(loss), values=True)(tnp.array([1.0, 0.0]))
""",
        right="""\
import treadle
import treadle.numpy as tnp

def loss(x):
    return tnp.sum(tnp.where(x > 0, tnp.sqrt(tnp.where(x > 0, x, 1.0)), 0.0))

report = treadle.explain(treadle.grad(loss), values=True)(tnp.array([1.0, 0.0]))
""",
    ),
    Kind(
        "nan.made",
        "An operation makes a NaN of numbers: the square root of a negative number, 0 / 0, 0 times infinity.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def entropy(p):
    return -tnp.sum(p * tnp.log(p))

report = treadle.explain(entropy, values=True)(tnp.array([0.5, 0.0]))
""",
        right="""\
import treadle
import treadle.numpy as tnp
from treadle.scipy.special import xlogy

def entropy(p):
    return -tnp.sum(xlogy(p, p))

report = treadle.explain(entropy, values=True)(tnp.array([0.5, 0.0]))
""",
    ),
    Kind(
        "nan.given",
        "An argument holds a NaN already.",
        wrong="""\
import treadle
import treadle.numpy as tnp

def mean(data):
    return tnp.mean(data)

report = treadle.explain(mean, values=True)(tnp.array([1.0, tnp.nan]))
""",
        right="""\
import treadle
import treadle.numpy as tnp

def mean(data):
    return tnp.nanmean(data)

report = treadle.explain(mean, values=True)(tnp.array([1.0, tnp.nan]))
""",
    ),
)

_MOST: Final = 3  # findings


@final
@dataclass(frozen=True)
class Origin:
    """Where a kind of element was made: by an operation, or outside of the program.

    Attributes:
        run: the run of the program that has the value.
        value: the value; a parameter of the whole program if `equation` is None.
        at: the element.
        equation: the operation that made it.
    """

    run: Run
    value: Atom
    at: Element
    equation: Equation | None


def look(subject: Subject) -> Iterator[Finding]:
    """Yield findings on the NaNs in the results of a program.

    Args:
        subject: a program, run only if values are asked for.
    """
    if not subject.values or len(subject.operands) != len(subject.program.parameters):
        return
    try:
        run = Run.of(quiet(subject.program), subject.operands)
    except UnsupportedError:  # an effect
        return
    seen: set[object] = set()
    for result in run.program.results:
        elements = run.elements(result)
        at = None if elements is None else first_element(elements, np.isnan)
        if at is None:
            continue
        passed: list[Origin] = []
        origin = origin_of(run, result, at, np.isnan, passed)
        cause = origin.equation.source if origin.equation else origin.value
        key = (cause.code, cause.offset) if isinstance(cause, Source) else cause
        if key in seen or len(seen) >= _MOST:
            continue
        seen.add(key)
        yield _finding(subject, origin, passed)


def origin_of(
    run: Run, atom: Atom, at: Element, test: Test, passed: list[Origin] | None = None
) -> Origin:
    """Return where an element that passes a test was made: by an operation with no such operand.

    Args:
        run: a run of a program.
        atom: a value of it.
        at: the element, which passes the test.
        test: which elements to look for, such as `isnan`.
        passed: gets the operations that passed such an element on, the last one first.
    """
    while True:
        if not isinstance(atom, Value):
            return Origin(run, atom, at, None)
        if atom in run.origins:
            run, atom, at = run.came_from(atom, at)
            continue
        equation = run.makers.get(atom)
        if equation is None:
            return Origin(run, atom, at, None)
        inner = run.entered(equation, atom, at)
        if inner is not None:
            run, atom, at = inner
            continue
        earlier = _earlier(run, equation, at, test)
        if earlier is None:
            return Origin(run, atom, at, equation)
        if passed is not None:
            passed.append(Origin(run, atom, at, equation))
        atom, at = earlier


def _earlier(run: Run, equation: Equation, at: Element, test: Test) -> tuple[Atom, Element] | None:
    """Return the operand, and its element, that passed the test before; None if there is none."""
    for place, atom in enumerate(equation.operands):
        elements = run.elements(atom)
        if elements is None or not isinstance(atom, Value):
            continue
        index = operand_element(equation, place, at)
        if index is not None:
            if test(elements[index]):
                return atom, index
        else:
            found = first_element(elements, test)
            if found is not None:
                return atom, found
    return None


def operand_element(equation: Equation, place: int, at: Element) -> Element | None:
    """Return the element of an operand that an element of the result is made of; None if it is made of several.

    Args:
        equation: an operation with one result.
        place: the position of the operand.
        at: the element of the result.
    """
    type, primitive = equation.operands[place].type, equation.primitive
    result = equation.results[0].type
    assert isinstance(type, ArrayType)
    if isinstance(primitive, BroadcastInDim):
        return tuple(
            [
                at[dimension] if type.shape[i] != 1 else 0
                for i, dimension in enumerate(primitive.dimensions)
            ]
        )
    if isinstance(primitive, Transpose):
        found = dict(zip(primitive.permutation, at, strict=True))
        return tuple([found[i] for i in range(len(at))])
    if isinstance(primitive, Reshape) and isinstance(result, ArrayType):
        flat = np.ravel_multi_index(at, result.shape) if at else 0
        return tuple([int(i) for i in np.unravel_index(int(flat), type.shape)])
    if isinstance(primitive, Elementwise):
        return at if type.shape else ()
    return None


def _finding(subject: Subject, origin: Origin, passed: Sequence[Origin]) -> Finding:
    """Return the finding on a NaN, which some operations passed on to the result."""
    if origin.equation is None:
        return _given(subject, origin)
    for step in (origin, *reversed(passed)):
        factors = _factors(step)
        if factors is not None and _chooses(factors[0].equation):
            return _of_where(subject, step, *factors)
    return _made(subject, origin, _factors(origin))


def _given(subject: Subject, origin: Origin) -> Finding:
    """Return the finding on a NaN that is an argument's."""
    path, element = _argument(subject, origin), _element(origin.at)
    users = [x for x in origin.run.program.equations if origin.value in x.operands]
    return Finding(
        "nan.given",
        f"{path} {origin.value.type} is nan{element}, and {subject.name} was given it so.",
        tuple([Place.of(each.source) for each in users[:1]]),
        (),
        f"Replace what is not a number in {path} before the call, or leave it out.",
        f"jnp.nan_to_num({path.strip('`')})" if path.startswith("`") else "",
    )


def _argument(subject: Subject, origin: Origin) -> str:
    """Return how a finding calls a value from outside of the program."""
    if not isinstance(origin.value, Value):
        return "a constant"
    if origin.run.inside or origin.value not in subject.program.parameters:
        return "an operand"
    path = subject.parameters[subject.program.parameters.index(origin.value)]
    return f"`{path.removeprefix('argument ')}`" if path.startswith("argument ") else path


def _element(at: Element) -> str:
    """Return which element it is, as a part of a sentence."""
    return f" at element {at}" if at else ""


def _factors(origin: Origin) -> tuple[Origin, Origin] | None:
    """Return where the zero, and the infinity or NaN, were made whose product is the NaN; None for other operations."""
    equation, run = origin.equation, origin.run
    assert equation is not None
    if equation.primitive.name not in ("multiply", "dot_general"):
        return None
    zero = infinity = None
    for place, atom in enumerate(equation.operands):
        elements = run.elements(atom)
        if elements is None:
            return None
        index = operand_element(equation, place, origin.at)
        if index is None:
            return None
        if not np.isfinite(elements[index]):
            test = np.isnan if np.isnan(elements[index]) else np.isinf
            infinity = origin_of(run, atom, index, test)
        elif elements[index] == 0:
            zero = origin_of(run, atom, index, _is_zero)
    return (zero, infinity) if zero is not None and infinity is not None else None


def _is_zero(elements: Elements) -> Elements:
    """Return which elements are zero."""
    return np.asarray(elements == 0)


def _chooses(equation: Equation | None) -> bool:
    """Return whether an operation is a `where`, or its derivative, which gives 0 to the side that it did not choose."""
    if equation is None:
        return False
    return equation.primitive.name == "select" and equation.source.derivative_of in ("", "select")


def _of_where(subject: Subject, origin: Origin, zero: Origin, infinity: Origin) -> Finding:
    """Return the finding on a NaN that is 0, from a `where`, times an infinite derivative."""
    assert zero.equation is not None
    where, slope = Place.of(zero.equation.source), _place(infinity)
    what = (
        f"{_whole(subject)} is nan{_element(origin.at)}: it is 0, from the side that `where` at {where} did not "
        f"choose, times {_number(infinity)}."
    )
    places = tuple([place for place in (slope, where) if place is not None])
    why = [f"{_number(infinity)} is {_described(subject, infinity)}."]
    why += [f"It is made in {each}." for each in origin.run.inside[-1:]]
    on_true = not _is_literal_zero(zero.equation.operands[1])
    code = "" if slope is None else guarded(slope, where, on_true=on_true)
    name = "" if slope is None else written_name(slope)
    operation = f"`{name}`" if name else "the operation"
    return Finding(
        "nan.where",
        what,
        places,
        tuple(why),
        f"Give {operation} a harmless operand where its result is not chosen; keep the `where` outside of it, too.",
        code,
    )


def _number(origin: Origin) -> str:
    """Return the number that an element is: inf, nan or 0."""
    elements = origin.run.shown(origin.value)
    number = elements[origin.at] if elements.ndim == len(origin.at) else elements.ravel()[0]
    return "nan" if np.isnan(number) else "inf" if np.isinf(number) else f"{number:g}"


def _is_literal_zero(atom: Atom) -> bool:
    """Return whether an operand is the number 0."""
    return not isinstance(atom, Value) and not np.any(np.asarray(atom.value))


def _place(origin: Origin) -> Place | None:
    """Return the place of an operation; None of a value from outside."""
    return None if origin.equation is None else Place.of(origin.equation.source)


def _whole(subject: Subject) -> str:
    """Return what the result of the program is, at the beginning of a sentence."""
    return (
        f"The gradient of {subject.name}"
        if subject.is_gradient
        else f"The result of {subject.name}"
    )


def _described(subject: Subject, origin: Origin) -> str:
    """Return what an element is: the derivative of an operation at a place and at a value, or its result."""
    equation, run = origin.equation, origin.run
    if equation is None:
        return _argument(subject, origin)
    place = Place.of(equation.source)
    operation = equation.source.derivative_of
    name = written_name(place) or (operation or equation.primitive.name).strip("_")
    if not operation:
        return f"the result of `{name}` at {place}{_of_operands(run, equation, origin.at)}"
    forward = _forward(run, equation.source)
    value = ""
    if forward is not None:
        value = _of_operands(run, forward, origin.at, "at")
    return f"the derivative of `{name}` at {place}{value}"


def _forward(run: Run, source: Source) -> Equation | None:
    """Return the operation whose derivative an equation at a location is; None if another program has it."""
    here: Run | None = run
    while here is not None:
        for equation in here.program.equations:
            own = equation.source
            if (
                own.code is source.code
                and own.offset == source.offset
                and not own.derivative_of
                and equation.primitive.name == source.derivative_of
            ):
                return equation
        outer = next(iter(here.origins.values()), None)
        here = None if outer is None or outer[0] is here else outer[0]
    return None


def _of_operands(run: Run, equation: Equation, at: Element, preposition: str = "of") -> str:
    """Return the operands of an operation at an element, as a part of a sentence; empty if they are many."""
    shown = []
    for place, atom in enumerate(equation.operands[:3]):
        index = operand_element(equation, place, at) if isinstance(atom.type, ArrayType) else None
        known = isinstance(atom, Value) and atom not in run.values
        if index is None or known:
            return ""
        elements = run.shown(atom)
        if len(index) != elements.ndim or any(
            i >= size for i, size in zip(index, elements.shape, strict=True)
        ):
            return ""
        shown.append(f"{elements[index]}")
    return f", {preposition} {', '.join(shown)}" if shown else ""


def _made(subject: Subject, origin: Origin, product: tuple[Origin, Origin] | None) -> Finding:
    """Return the finding on an operation that made a NaN."""
    equation = origin.equation
    assert equation is not None
    place = Place.of(equation.source)
    operation = equation.source.derivative_of
    name = written_name(place) or (operation or equation.primitive.name).strip("_")
    maker = f"the derivative of `{name}`" if operation else f"`{name}`"
    operands = _of_operands(origin.run, equation, origin.at)
    what = f"{_whole(subject)} is nan: made by {maker} at {place}{_comma(_element(origin.at))}{operands}."
    why = [f"It is made in {each}." for each in origin.run.inside[-1:]]
    places = [place]
    if product is not None:
        zero, infinity = product
        why.append(f"0 is {_described(subject, zero)}.")
        why.append(f"{_number(infinity)} is {_described(subject, infinity)}.")
        places += [x for x in (_place(infinity),) if x is not None and x != place]
    sentence = _remedy(equation, product)
    return Finding("nan.made", what, tuple(places), tuple(why), sentence)


def _comma(text: str) -> str:
    """Return a part of a sentence after a comma; empty if it is."""
    return f",{text.replace(' at element', ' element')}" if text else ""


def _remedy(equation: Equation, product: tuple[Origin, Origin] | None) -> str:
    """Return how to prevent such a NaN."""
    infinity = product[1].equation if product is not None else None
    name = (infinity.source.derivative_of or infinity.primitive.name) if infinity else ""
    if name == "exponential":
        return "Use `nn.logsumexp` or `nn.log_softmax`, which do not overflow."
    if name in ("sqrt", "rsqrt", "cbrt"):
        return "Keep the root away from 0: add a small number under it, or choose its operand by `where`."
    if name == "log":
        return "Keep the logarithm away from 0: use `scipy.special.xlogy`, or replace the operand by `where`."
    made = equation.source.derivative_of or equation.primitive.name
    if made == "divide":
        return "Keep the divisor away from 0: `x / jnp.where(y == 0, 1.0, y)`."
    if made in ("sqrt", "log", "log_plus_one", "rsqrt", "power", "asin", "acos", "acosh", "atanh"):
        return "Keep the operand inside of the function's domain: `jnp.where` or `jnp.maximum` before it."
    return "Keep infinities out: scale the operands, or use `jnp.where` or `jnp.clip` before the operation."
