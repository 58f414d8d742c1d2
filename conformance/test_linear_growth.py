"""Transformations and analyses take steps in proportion to the programs that they make or look at.

A program that calls another twice, which calls a third twice, is small, though it stands for exponentially many
operations: a pass that enters each call again never comes to an end. Steps are calls of functions, of Python's and of
C's, counted and not timed: from n to 2n levels, and from 2n to 4n, they grow as the resulting program does.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.experimental.checkify import checkify, float_checks
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P
from treadle_ir import Program, analysis
from treadle_ir.analysis import verify
from treadle_ir.core import inside_out, program_hash
from treadle_ir.core.equality import equal_programs
from treadle_ir.rewrite import cse, dce, fold, optimise, simplify
from treadle_ir.settings import ADVICE
from treadle_ir.sharding.varying import program_varying
from treadle_ir.testing.programs import check_programs, recorded
from treadle_ir.text import parse_program

pytestmark = pytest.mark.installed

SIZES: Final = (6, 12, 24)
FIRST: Final = 2  # what is done once in a process is done there
MOST: Final = 3_000_000  # steps; what is exponential takes 2 ** 24
SLACK: Final = 1.1  # what is quadratic takes nearly twice as many steps as what is linear
X: Final = np.ones((8, 4), np.float32)


@pytest.fixture(autouse=True)
def without_advice() -> Iterator[None]:
    """Advice is asked for where tracing has taken seconds, which it does where steps are counted."""
    with ADVICE.override("off"):
        yield


Function = Callable[..., Any]


class _TooMany(BaseException):
    """More steps were taken than anything linear takes; no `Exception`, which somebody might catch."""


def steps(function: Callable[[], Any]) -> tuple[int, Any]:
    """Return the number of function calls that `function` makes, and its result."""
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1
        if count > MOST:
            sys.setprofile(None)
            raise _TooMany(f"more than {MOST} steps")

    sys.setprofile(called)
    try:
        result = function()
    finally:
        sys.setprofile(None)
    return count, result


def size(program: Program) -> int:
    """Parameters, results and operands of a program and of those nested in it, each counted once."""
    return sum(
        len(each.parameters)
        + len(each.results)
        + sum([1 + len(e.operands) + len(e.results) for e in each.equations])
        for each in inside_out(program)
    )


# --- families of programs -----------------------------------------------------------------------------


def with_jvp(f: Function) -> Function:
    """A function with a forward rule that differentiates it."""
    function = treadle.custom_jvp(f)
    function.defjvp(lambda primals, tangents: (f(*primals), treadle.jvp(f, primals, tangents)[1]))
    return function


def with_vjp(f: Function) -> Function:
    """A function with a backward rule that differentiates it."""
    function = treadle.custom_vjp(f)
    function.defvjp(lambda x: (f(x), x), lambda x, ct: treadle.vjp(f, x)[1](ct))
    return function


WRAPPERS: Final[dict[str, Callable[[Function], Function]]] = {
    "jit": lambda f: f,
    "checkpoint": treadle.checkpoint,
    "scan": lambda f: lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0],
    "custom_jvp": with_jvp,
    "custom_vjp": with_vjp,
    "while": lambda f: lambda x: lax.while_loop(lambda _: True, f, x),
    "fori": lambda f: lambda x: lax.fori_loop(0, 3, lambda _, c: f(c), x),
    "cond": lambda f: lambda x: lax.cond(tnp.sum(x) > 0, f, lambda x: x, x),
    "switch": lambda f: lambda x: lax.switch(tnp.int32(2), [lambda x: x, lambda x: x, f], x),
    "eval_shape": lambda f: lambda x: tnp.zeros_like(treadle.eval_shape(f, x)),
}


def leaf(x: Any) -> Any:
    """Compute the innermost function."""
    return x * 2 + 1


def tower(count: int, wrap: Callable[[Function], Function], innermost: Function = leaf) -> Function:
    """A jitted function that calls one twice that calls one twice, so many levels: 2 ** count operations."""

    def above(inner: Function) -> Function:
        return treadle.jit(wrap(lambda x: inner(inner(x))))

    function: Function = treadle.jit(innermost)
    for _ in range(count):
        function = above(function)
    return function


def row(count: int, wrap: Callable[[Function], Function]) -> Function:
    """A function that calls one again and again."""
    inner = treadle.jit(wrap(lambda x: tnp.sin(x) * x))

    def function(x: Any) -> Any:
        for _ in range(count):
            x = inner(x)
        return x

    return function


# Where residuals are stored there are 2 ** count of them, and so large is the program then.
TOWERS: Final = ("jit", "checkpoint", "scan", "custom_jvp", "custom_vjp")
FAMILIES: Final = [("tower", name) for name in TOWERS] + [("row", name) for name in ("jit", "cond")]


# --- what is done to them -----------------------------------------------------------------------------


def scalar(f: Function) -> Function:
    return lambda x: tnp.sum(f(x))


TRANSFORMATIONS: Final[dict[str, Callable[[Function], Function]]] = {
    "itself": lambda f: f,
    "jvp": lambda f: lambda x: treadle.jvp(f, (x,), (x,))[1],
    "grad": lambda f: treadle.grad(scalar(f)),
    "vmap": lambda f: lambda x: treadle.vmap(f)(tnp.stack([x, x])),
    "nested_vmap": lambda f: (
        lambda x: treadle.vmap(treadle.vmap(f))(tnp.stack([tnp.stack([x, x])]))
    ),
    "checkify": lambda f: lambda x: checkify(f, errors=float_checks)(x)[1],
}
CONTEXTS: Final = ("no_mesh", "explicit_axes", "within_shard_map")

AXIS: Final = frozenset({"x"})
PASSES: Final[dict[str, Callable[[Program], object]]] = {
    "print": str,
    "parse": lambda program: parse_program(str(program)),
    "verify": verify,
    "hash": program_hash,
    "equal": lambda program: equal_programs(program, parse_program(str(program))),
    "optimise": optimise,
    "dce": dce,
    "cse": cse,
    "fold": fold,
    "simplify": simplify,
    "nested": lambda program: list(program.nested()),
    "varying": lambda program: program_varying(program, [AXIS] * len(program.parameters), AXIS),
    "program_cost": analysis.program_cost,
    "peak_memory": analysis.peak_memory,
    "distributions": analysis.distributions,
    "program_roofline": analysis.program_roofline,
    "key_reuse": lambda program: analysis.KeyUses().run(program, [None] * len(program.parameters)),
}


@pytest.fixture(autouse=True)
def programs(request: pytest.FixtureRequest) -> Iterator[list[Program]]:
    """All programs that the test makes. Some are checked where they are traced; the others are read from texts."""
    with recorded() as made:
        yield made
    if request.function is test_tracing_and_lowering:
        check_programs(made, most=250)  # they differ in size alone


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """Checks are steps, too: they are for the other laws."""


@contextlib.contextmanager
def over(context: str) -> Iterator[tuple[Any, Callable[[Function], Function]]]:
    """An argument in a context, and what puts a function there."""
    if context == "no_mesh":
        yield X, lambda f: f
        return
    kind = AxisType.Explicit if context == "explicit_axes" else AxisType.Auto
    mesh = treadle.make_mesh((1,), ("x",), axis_types=(kind,))
    if context == "within_shard_map":
        yield X, lambda f: treadle.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
        return
    with treadle.set_mesh(mesh):
        yield treadle.device_put(X, NamedSharding(mesh, P("x", None))), lambda f: f


def grows_linearly(measured: list[tuple[int, int]]) -> None:
    """Steps grow from the second size to the third as from the first to the second, but for what programs do."""
    (a, b, c), (p, q, r) = [[pair[i] for pair in measured] for i in (0, 1)]
    allowed = SLACK * max(2.0, (r - q) / max(q - p, 1))
    assert c - b <= allowed * (b - a) + 500, (measured, allowed)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(
    ("family", "wrapper", "transformation"),
    [
        (*each, transformation)
        for each in FAMILIES
        for transformation in TRANSFORMATIONS
        if (each[1], transformation) != ("custom_vjp", "jvp")  # it has no forward mode
    ],
)
def test_tracing_and_lowering(family: str, wrapper: str, transformation: str, context: str) -> None:
    made = {"tower": tower, "row": row}[family]
    traced, lowered = [], []
    with over(context) as (x, put):
        for count in (FIRST, *SIZES):
            function = put(made(count, WRAPPERS[wrapper]))
            call = treadle.jit(TRANSFORMATIONS[transformation](function))
            number, found = steps(lambda: call.trace(x))  # noqa: B023 - called now
            length = size(found.program)
            traced.append((number, length))
            lowered.append((steps(found.lower)[0], length))
    grows_linearly(traced[1:])
    grows_linearly(lowered[1:])


@functools.cache
def text_of(family: str, wrapper: str, count: int) -> str:
    """The text of a program, made once for all that is done to it."""
    made = {"tower": tower, "row": row}[family]
    return str(treadle.jit(made(count, WRAPPERS[wrapper])).trace(X).program)


def linear(name: str, text: Callable[[int], str]) -> None:
    """Check that the steps of a pass or an analysis grow as programs do, on programs that are new to every cache."""
    measured = []
    for count in (FIRST, *SIZES):
        program = parse_program(text(count))
        measured.append((steps(lambda: PASSES[name](program))[0], size(program)))  # noqa: B023
    grows_linearly(measured[1:])


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("family", ["tower", "row"])
@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "scan", "cond"])
def test_passes_and_analyses(family: str, wrapper: str, name: str) -> None:
    linear(name, lambda count: text_of(family, wrapper, count))


@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "scan", "while"])
def test_keys_through_calls(wrapper: str) -> None:
    def text(count: int) -> str:
        function = tower(count, WRAPPERS[wrapper], lambda key: treadle.random.split(key)[0])
        return str(treadle.jit(function).trace(treadle.random.key(0)).program)

    linear("key_reuse", text)


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "scan", "while", "cond"])
def test_what_devices_exchange_in_calls(wrapper: str, outside: bool) -> None:
    def mapped(function: Function) -> Function:
        return treadle.shard_map(function, mesh=mesh, in_specs=P("x"), out_specs=P("x"))

    def text(count: int) -> str:
        wrap = WRAPPERS[wrapper]
        function = (
            mapped(tower(count, wrap, collective))
            if outside
            else tower(count, wrap, mapped(collective))
        )
        return str(treadle.jit(function).trace(X).program)

    def collective(x: Any) -> Any:
        return x + lax.psum(x, "x")

    mesh = treadle.make_mesh((1,), ("x",))
    linear("distributions", text)
    (found,) = analysis.distributions(parse_program(text(12)))
    (exchange,) = found.exchanges
    times = {"scan": 2 * 3}.get(wrapper, 2) ** 12
    assert exchange.times * found.times == times


def test_lowering_of_ordered_effects_in_calls() -> None:
    def printing(x: Any) -> Any:
        treadle.debug.print("{}", x[0, 0], ordered=True)
        return x * 2

    measured = []
    for count in (FIRST, *SIZES):
        traced = treadle.jit(tower(count, WRAPPERS["jit"], printing)).trace(X)
        measured.append((steps(traced.lower)[0], size(traced.program)))
    grows_linearly(measured[1:])


# --- references ---------------------------------------------------------------------------------------


def nested(count: int, wrapper: str, innermost: Function) -> Function:
    """Operations in one another, so many."""
    for _ in range(count):
        innermost = treadle.jit(innermost) if wrapper == "jit" else WRAPPERS[wrapper](innermost)
    return innermost


@pytest.mark.parametrize(
    "wrapper", ["jit", "checkpoint", "scan", "while", "fori", "cond", "switch", "eval_shape"]
)
def test_bodies_that_use_references_from_outside(wrapper: str) -> None:
    runs: list[int] = []

    def using(count: int, x: Any) -> Any:
        def innermost(x: Any) -> Any:
            runs.append(0)
            for ref in refs:
                ref[...] += x
            return x * 2

        refs = [treadle.new_ref(x), treadle.new_ref(x + 1)]
        y = nested(count, wrapper, innermost)(x)
        return y, [ref[...] for ref in refs]

    measured = []
    for count in (FIRST, 9, 18, 36):  # from eight on, as many programs of one code are compared
        runs.clear()
        function = treadle.jit(functools.partial(using, count))
        number, found = steps(lambda: function.trace(X))  # noqa: B023 - called now
        measured.append((number, size(found.program)))
        assert len(runs) == 2
    grows_linearly(measured[1:])


@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "scan", "fori"])
def test_backward_rules_that_use_references_from_outside(wrapper: str) -> None:
    runs: list[int] = []

    def using(count: int, x: Any) -> Any:
        def backward(_: None, ct: Any) -> tuple[Any]:
            runs.append(0)
            ref[...] += ct
            return (ct,)

        ref = treadle.new_ref(tnp.zeros_like(x))
        innermost = treadle.custom_vjp(lambda x: x * 2)
        innermost.defvjp(lambda x: (x * 2, None), backward)
        return treadle.grad(scalar(nested(count, wrapper, innermost)))(x), ref[...]

    for count in (2, 4, 8):
        runs.clear()
        treadle.jit(functools.partial(using, count)).trace(X)
        assert 1 < len(runs) <= count + 1  # each level comes upon the reference once


@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "scan"])
def test_towers_of_backward_rules_that_use_references(wrapper: str) -> None:
    """Calls of one function share its transpose, though it takes and returns what references hold."""
    runs: list[int] = []

    def using(count: int, x: Any) -> Any:
        def backward(_: None, ct: Any) -> tuple[Any]:
            runs.append(0)
            ref[...] += ct
            return (ct,)

        ref = treadle.new_ref(tnp.zeros_like(x))
        innermost = treadle.custom_vjp(lambda x: x * 2)
        innermost.defvjp(lambda x: (x * 2, None), backward)
        return treadle.grad(scalar(tower(count, WRAPPERS[wrapper], innermost)))(x), ref[...]

    measured = []
    for count in (FIRST, *SIZES):
        runs.clear()
        function = treadle.jit(functools.partial(using, count))
        number, found = steps(lambda: function.trace(X))  # noqa: B023 - called now
        measured.append((number, size(found.program)))
        assert len(runs) == 2  # in vain, to find the reference, and with it
    grows_linearly(measured[1:])
    _, small, middle, large = [length for _, length in measured]
    assert large - middle == 2 * (middle - small)


def test_the_result_of_a_tower_whose_backward_rules_use_references() -> None:
    def using(x: Any, count: int = 3) -> Any:
        def backward(x: Any, ct: Any) -> tuple[Any]:
            ref[...] += ct * x
            return (ct * 2,)

        ref = treadle.new_ref(tnp.zeros_like(x))
        innermost = treadle.custom_vjp(lambda x: x * 2)
        innermost.defvjp(lambda x: (x * 2, x), backward)
        return treadle.grad(scalar(tower(count, WRAPPERS["jit"], innermost)))(x), ref[...]

    for run in (using, treadle.jit(using)):
        gradient, total = run(X)
        np.testing.assert_array_equal(gradient, X * 2**8)
        # the cotangent 2 ** (7 - i) of the call i, times its argument 2 ** i
        np.testing.assert_array_equal(total, X * 8 * 2**7)
