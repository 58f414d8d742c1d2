"""Every rewriting pass keeps results: of all primitives' examples and all programs of the pool, on NumPy.

What has no name among the simplifications keeps every bit. A named simplification changes how numbers are rounded, so
the results of programs of the pool stay within a tolerance under it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

from conformance.cases import examples
from conformance.compositions import applies, staged_with_operands
from conformance.programs_pool import POOL, Pooled
from conformance.variants import SMALL
from treadle_ir import (
    ArrayType,
    Elementwise,
    Literal,
    Operand,
    Operands,
    Program,
    bind,
    interpret,
    stage,
    type_of,
)
from treadle_ir.analysis import verify
from treadle_ir.core import dtypes
from treadle_ir.core.equality import equal_programs
from treadle_ir.primitives.call import Call, OptimizationBarrier
from treadle_ir.primitives.elementwise import (
    Add,
    Exponential,
    Log,
    Multiply,
    Negate,
    Not,
    Sqrt,
    Subtract,
)
from treadle_ir.primitives.shape import BroadcastInDim, Reshape, Transpose
from treadle_ir.rewrite import ALL, cse, dce, fold, inline, optimise, simplify
from treadle_ir.testing.compare import assert_close
from treadle_ir.testing.examples import Example

pytestmark = pytest.mark.programs

Pass: TypeAlias = Callable[[Program], Program]

EXACT: Final[dict[str, Pass]] = {
    "dce": dce,
    "fold": fold,
    "cse": cse,
    "inline": inline,
    "optimise": lambda program: optimise(program, names=()),
}
NAMED: Final[Mapping[str, Pass]] = {
    name: lambda program, name=name: simplify(program, {name})  # type: ignore[misc]
    for name in sorted(ALL)
}
_COMPOSITIONS: Final = ((), ("grad",), ("vmap", "jit"), ("jvp", "grad"))


def rewritten(program: Program, rewrite: Pass) -> Program:
    """The rewritten program, which keeps its types and effects, and is done: once more changes nothing."""
    result = rewrite(program)
    verify(result)
    assert result.parameter_types == program.parameter_types
    assert result.result_types == program.result_types
    assert result.effects == program.effects
    assert equal_programs(rewrite(result), result), f"not done:\n{result}"
    return result


def same_bits(actual: Operands, expected: Operands, what: str) -> None:
    for x, y in zip(actual, expected, strict=True):
        given, wanted = np.asarray(x), np.asarray(y)
        assert (given.shape, given.dtype) == (wanted.shape, wanted.dtype), what
        if given.tobytes() != wanted.tobytes():  # of nans, any bits are as good
            np.testing.assert_array_equal(given, wanted, what)
            assert not dtypes.is_floating(wanted.dtype) or np.array_equal(
                np.signbit(given[wanted == 0]), np.signbit(wanted[wanted == 0])
            ), what


def check_exact(program: Program, operands: list[Operand], what: str) -> set[str]:
    """Each pass keeps each bit; the names of those that changed something."""
    expected = interpret(program, *operands)
    changed = set()
    for name, rewrite in EXACT.items():
        result = rewritten(program, rewrite)
        if result is not program:
            changed.add(name)
            same_bits(interpret(result, *operands), expected, f"{what} after {name}:\n{result}")
    return changed


# --- examples of primitives ---------------------------------------------------------------------------


def untouched(x: Operand) -> Operand:
    """The same bits, by operations that `fold` leaves out."""
    type = type_of(x)
    assert isinstance(type, ArrayType)
    dtype = type.dtype
    if dtypes.is_bool(dtype):
        (x,) = bind(Not(), *bind(Not(), x))
    elif dtypes.is_floating(dtype) or dtypes.is_integer(dtype):
        (x,) = bind(Multiply(), x, dtype.type(1))
        (x,) = bind(Subtract(), x, dtype.type(0))
    (x,) = bind(Reshape(type.shape), *bind(Reshape((type.size,)), x))
    (x,) = bind(Transpose(tuple(range(type.ndim))), x)
    return x


def elaborate(example: Example) -> Program:
    """An operation done twice, by a call, on operands that nothing was done to, and once for nothing."""
    primitive = example.primitive
    inner = stage(lambda *xs: bind(primitive, *xs), *example.types).program

    def function(*xs: Operand) -> Operands:
        once, twice = bind(primitive, *xs), bind(primitive, *xs)
        called = bind(Call(inner, "inner"), *xs)
        again = bind(primitive, *map(untouched, xs))
        bind(primitive, *map(untouched, xs))
        return [*once, *twice, *called, *again]

    return stage(function, *example.types).program


@pytest.mark.parametrize("example", examples())
def test_passes_keep_what_an_operation_gives(example: Example) -> None:
    program = elaborate(example)
    operands = example.operands()
    changed = check_exact(program, operands, example.id)
    assert "inline" in changed
    if not program.effects and type(example.primitive) is not OptimizationBarrier:
        assert changed >= {"dce", "cse", "optimise"}
        shorter = optimise(program, names=())
        left = [
            each for each in shorter.equations if type(each.primitive) is type(example.primitive)
        ]
        assert len(left) <= (2 if type(example.primitive) is Call else 1)


def _has_literals(example: Example) -> bool:
    return any(not type.shape for type in example.types) or (
        isinstance(example.primitive, Elementwise) and bool(example.types)
    )


@pytest.mark.parametrize("example", examples(_has_literals))
def test_passes_keep_what_an_operation_gives_of_literals(example: Example) -> None:
    """Each scalar, and each operand of an elementwise operation, as a literal; and all of them."""
    operands = example.operands()
    elementwise = isinstance(example.primitive, Elementwise)
    places = [i for i, type in enumerate(example.types) if elementwise or not type.shape]
    for chosen in ([], *([place] for place in places), places):
        literals = {i: _literal(operands[i]) for i in chosen}
        if any(literal is None for literal in literals.values()):
            continue

        def function(*xs: Operand) -> Operands:
            given = iter(xs)
            return bind(
                example.primitive,
                *[
                    _spread(literals[i], type) if i in literals else next(given)  # noqa: B023
                    for i, type in enumerate(example.types)
                ],
            )

        types = [type for i, type in enumerate(example.types) if i not in literals]
        rest = [x for i, x in enumerate(operands) if i not in literals]
        check_exact(stage(function, *types).program, rest, example.id)


def _literal(operand: Operand) -> Literal | None:
    array = np.asarray(operand)
    if array.size == 0:
        return None
    scalar: Any = array.reshape(-1)[0]
    return Literal(scalar, ArrayType((), array.dtype))


def _spread(literal: Literal | None, type: ArrayType) -> Operand:
    assert literal is not None
    if not type.shape:
        return literal  # type: ignore[return-value]  # staging takes it
    return bind(BroadcastInDim(type.shape, ()), literal)[0]  # type: ignore[arg-type]


# --- programs of the pool -----------------------------------------------------------------------------


def pool() -> list[Any]:
    return [
        pytest.param(pooled, composition, id=f"{'.'.join(composition) or 'alone'}-{pooled.name}")
        for pooled, composition in itertools.product(POOL.values(), _COMPOSITIONS)
        if applies(pooled, composition)
    ]


@pytest.mark.parametrize(("pooled", "composition"), pool())
def test_passes_keep_what_a_program_gives(pooled: Pooled, composition: tuple[str, ...]) -> None:
    program, operands = staged_with_operands(pooled, composition)
    check_exact(program, operands, pooled.name)
    expected = [np.asarray(x) for x in interpret(program, *operands)]
    for name, rewrite in (*NAMED.items(), ("all", optimise)):
        result = rewritten(program, rewrite)
        if result is not program:
            for x, y in zip(interpret(result, *operands), expected, strict=True):
                np.testing.assert_allclose(np.asarray(x), y, rtol=1e-11, atol=1e-11, err_msg=name)


# --- the named simplifications ------------------------------------------------------------------------

# The two that stand for all floats of a byte and less: others have too few numbers for units in the last place.
FLOATS: Final = tuple(
    name
    for name, dtype in dtypes.BY_NAME.items()
    if dtypes.is_floating(dtype) and dtype not in SMALL
)
INTEGERS: Final = tuple(name for name, dtype in dtypes.BY_NAME.items() if dtypes.is_integer(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(), (5,), (0, 2)], ids=str)
def test_log_exp_is_x(dtype: str, shape: tuple[int, ...]) -> None:
    type = ArrayType(shape, dtypes.BY_NAME[dtype])
    program = stage(lambda x: bind(Log(), *bind(Exponential(), x)), type).program
    x = numbers(type, 0)
    shorter = rewritten(program, NAMED["log_exp"])
    same_bits(interpret(shorter, x), [x], dtype)
    # and it is what the two give, where nothing overflows, to their own rounding
    small = np.asarray(np.clip(x.astype(np.float64), -2, 2)).astype(type.dtype)
    (y,) = interpret(program, small)
    scale = max(1.0, float(np.max(np.abs(small.astype(np.float64)), initial=0)))
    assert_close(y, interpret(shorter, small)[0], ulps=4, scale=scale)


@pytest.mark.parametrize("dtype", FLOATS)
def test_log_sqrt_is_half_the_log(dtype: str) -> None:
    type = ArrayType((40,), dtypes.BY_NAME[dtype])
    program = stage(lambda x: bind(Log(), *bind(Sqrt(), x)), type).program
    x = np.abs(numbers(type, 0).astype(np.float64)).astype(type.dtype)
    shorter = rewritten(program, NAMED["log_sqrt"])
    assert [each.primitive.name for each in dce(shorter).equations] == ["log", "multiply"]
    with np.errstate(all="ignore"):
        truth = (0.5 * np.log(x.astype(np.float64))).astype(type.dtype)
        (y,) = interpret(shorter, x)
    assert_close(y, truth, ulps=2)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("order", ["(x + y) - x", "(y + x) - x"])
def test_a_sum_less_a_term_is_the_other(dtype: str, order: str) -> None:
    type = ArrayType((40,), dtypes.BY_NAME[dtype])

    def function(x: Operand, y: Operand) -> Operands:
        pair = (x, y) if order.startswith("(x") else (y, x)
        return bind(Subtract(), *bind(Add(), *pair), x)

    program = stage(function, type, type).program
    x, y = numbers(type, 0), numbers(type, 1)
    result = interpret(rewritten(program, NAMED["cancel_add_sub"]), x, y)
    same_bits(result, [y], dtype)
    if dtype in INTEGERS:  # also where the sum wraps around
        same_bits(interpret(program, x, y), [y], dtype)


def numbers(type: ArrayType, seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Of all sizes."""
    random = np.random.default_rng(seed)
    if dtypes.is_integer(type.dtype):
        return np.asarray(random.integers(-(2**40), 2**40, type.shape)).astype(type.dtype)
    sizes = random.choice([1e-3, 1.0, 50.0], type.shape)
    return np.asarray(random.uniform(-1, 1, type.shape) * sizes).astype(type.dtype)


# --- the laws can fail --------------------------------------------------------------------------------


def test_a_pass_that_changes_a_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    type = ArrayType((3,), np.dtype("f4"))
    program = stage(lambda x: bind(Multiply(), x, np.float32(1)), type).program

    def negated(program: Program) -> Program:
        return stage(lambda x: bind(Negate(), x), type).program

    monkeypatch.setitem(EXACT, "dce", negated)
    with pytest.raises(AssertionError, match="after dce"):
        check_exact(program, [np.array([1, 2, 3], np.float32)], "a product")


def test_signs_of_zeros_are_bits() -> None:
    with pytest.raises(AssertionError):
        same_bits([np.float32(0.0)], [np.float32(-0.0)], "zero")
    same_bits([np.float32("nan")], [-np.float32("nan")], "nan")
