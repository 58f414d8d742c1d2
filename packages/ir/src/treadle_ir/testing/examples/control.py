"""Examples of control flow: small programs, staged when this module is imported."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ops
from treadle_ir.core.program import Program
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.testing.examples import Draw, Example, array_type, example, sample
from treadle_ir.tracing.array import Function, Operand
from treadle_ir.tracing.staging import stage
from treadle_ir.tracing.trace import bind

_ONE: Final = np.int32(1)


def _staged(function: Function, *types: str) -> Program:
    return stage(function, *map(array_type, types)).program


def _below_limit(carry: str) -> Program:
    """Return the condition of a loop that carries a counter and an array; it captured the limit."""
    return _staged(
        lambda limit, i, x: [ops.compare(i, limit, direction="lt")], "i32[]", "i32[]", carry
    )


def _indexed(low: int, high: int) -> Draw:
    """Return operands of a case: an index in a range, two arrays."""

    def draw(random: np.random.Generator) -> list[Operand]:
        index = np.asarray(random.integers(low, high + 1)).astype("i4")
        return [index, *[random.uniform(-1, 1, 3) for _ in range(2)]]

    return draw


def _counted(low: int, high: int) -> Draw:
    """Return operands of a while loop: a number of iterations in a range, a counter, two arrays."""

    def draw(random: np.random.Generator) -> list[Operand]:
        iterations = np.asarray(random.integers(low, high + 1)).astype("i4")
        scale, x = random.uniform(0.5, 1, 3), random.uniform(-1, 1, (2, 3))
        return [iterations, scale, np.asarray(np.int32(0)), x]

    return draw


def _one(shape: tuple[int, ...]) -> Draw:
    """Return operands of a case of one or two branches: an index, two arrays of a shape."""

    def draw(random: np.random.Generator) -> list[Operand]:
        index = np.asarray(random.integers(0, 2)).astype("i4")
        return [index, *[np.asarray(random.uniform(-1, 1, shape)) for _ in range(2)]]

    return draw


def _turns(shape: tuple[int, ...], *, scaled: bool) -> Draw:
    """Operands of a while loop of two iterations: the number, perhaps a scalar, a counter, an array of a shape."""

    def draw(random: np.random.Generator) -> list[Operand]:
        scale = [np.asarray(random.uniform(0.5, 1))] if scaled else []
        x = np.asarray(random.uniform(-1, 1, shape))
        return [np.asarray(np.int32(2)), *scale, np.asarray(np.int32(0)), x]

    return draw


_BRANCHES: Final = (
    _staged(lambda x, y: [ops.multiply(ops.sine(x), y), x], "f64[3]", "f64[3]"),
    _staged(lambda x, y: [ops.exponential(x), ops.multiply(x, x)], "f64[3]", "f64[3]"),
    _staged(lambda x, y: [y, ops.subtract(x, y)], "f64[3]", "f64[3]"),
)

# Iterate until a counter meets a limit; the body captured an array.
_COND: Final = _below_limit("f64[2,3]")


def _while_turn(scale: Operand, i: Operand, x: Operand) -> list[Operand]:
    spread = ops.broadcast_in_dim(scale, shape=(2, 3), dimensions=(1,))
    return [ops.add(i, _ONE), ops.sine(ops.multiply(spread, x))]


_BODY: Final = _staged(_while_turn, "f64[3]", "i32[]", "f64[2,3]")
_WHILE_TYPES: Final = ("i32[]", "f64[3]", "i32[]", "f64[2,3]")


def _scan_turn(w: Operand, c: Operand, n: Operand, x: Operand) -> list[Operand]:
    y = ops.tanh(ops.add(ops.multiply(ops.cosine(w), c), x))
    return [y, ops.add(n, _ONE), ops.multiply(y, x), n]


_SCANNED: Final = _staged(_scan_turn, "f64[3]", "f64[3]", "i32[]", "f64[3]")
_SCAN_TYPES: Final = ("f64[3]", "f64[3]", "i32[]", "f64[5,3]")
_EMPTY_TYPES: Final = ("f64[3]", "f64[3]", "i32[]", "f64[0,3]")
_LINEAR: Final = _staged(
    lambda w, c, x: [ops.add(ops.multiply(w, c), x), ops.subtract(c, x)],
    "f64[3]",
    "f64[3]",
    "f64[3]",
)
_SCALARS: Final = _staged(
    lambda w, c, x: [ops.add(ops.multiply(w, c), x), ops.subtract(c, x)], "f64[]", "f64[]", "f64[]"
)
_NOTHING: Final = _staged(lambda x, y: [ops.multiply(x, y)], "f64[0]", "f64[0]")
_PRODUCT: Final = _staged(lambda x, y: [ops.multiply(x, y)], "f64[]", "f64[]")
_SCALAR_COND: Final = _below_limit("f64[]")
_SCALAR_BODY: Final = _staged(
    lambda scale, i, x: [ops.add(i, _ONE), ops.sine(ops.multiply(scale, x))],
    "f64[]",
    "i32[]",
    "f64[]",
)
_EMPTY_COND: Final = _below_limit("f64[0]")
_EMPTY_BODY: Final = _staged(lambda i, x: [ops.add(i, _ONE), ops.sine(x)], "i32[]", "f64[0]")
_NO_CARRY: Final = _staged(lambda x: [ops.sine(x)], "f64[3]")


# The exponential of a carry would multiply its error by the carry, iteration after iteration.
_TANH: Final = _staged(lambda x, y: [ops.tanh(x), ops.multiply(x, x)], "f64[3]", "f64[3]")


def _nested_turn(c: Operand, x: Operand) -> list[Operand]:
    inner = bind(
        Scan(_LINEAR, 3, 1, 1), x, c, ops.broadcast_in_dim(x, shape=(3, 3), dimensions=(1,))
    )
    above = ops.convert(
        ops.compare(ops.reduce_add(x, axes=(0,)), np.float64(0), direction="gt"),
        dtype=np.dtype("i4"),
    )
    first, second = bind(Case((_BRANCHES[0], _TANH)), above, inner[0], x)
    return [first, second]


_NESTED: Final = _staged(_nested_turn, "f64[3]", "f64[3]")


def _splitting(key: Operand, x: Operand) -> list[Operand]:
    bits = ops.convert(ops.random_bits(key, shape=(), bit_width=8), dtype=np.dtype("f8"))
    return [ops.random_fold_in(key, np.uint32(1)), key, ops.multiply(x, bits)]


_SPLITTING: Final = _staged(_splitting, "key<fry>[]", "f64[]")
_SPLITTING_WIDE: Final = _staged(_splitting, "key<rbg>[]", "f64[]")
_KEY_BRANCHES: Final = (
    _staged(lambda a, b: [a], "key<fry>[]", "key<fry>[]"),
    _staged(lambda a, b: [ops.random_fold_in(b, np.uint32(3))], "key<fry>[]", "key<fry>[]"),
)
_SCALAR_KEY_COND: Final = _below_limit("key<fry>[]")
_SCALAR_KEY_BODY: Final = _staged(
    lambda i, key: [ops.add(i, _ONE), ops.random_fold_in(key, np.uint32(2))], "i32[]", "key<fry>[]"
)


def _keys_case(random: np.random.Generator) -> list[Operand]:
    index = np.asarray(random.integers(0, 2)).astype("i4")
    return [index, *[sample(random, array_type("key<fry>[]"), (0.0, 1.0)) for _ in range(2)]]


def _keys_while(random: np.random.Generator) -> list[Operand]:
    iterations = np.asarray(random.integers(1, 4)).astype("i4")
    return [
        iterations,
        np.asarray(np.int32(0)),
        sample(random, array_type("key<fry>[]"), (0.0, 1.0)),
    ]


_CASE_TYPES: Final = ("i32[]", "f64[3]", "f64[3]")
_UNIT: Final = (-1.0, 1.0)

EXAMPLES: Final[list[Example]] = [
    *[
        example(Case(_BRANCHES), *_CASE_TYPES, draw=_indexed(index, index), label=f"index{index}")
        for index in (-3, 0, 1, 2, 9)
    ],
    example(Case(_BRANCHES), *_CASE_TYPES, draw=_indexed(-1, 3), label="any"),
    example(Case(_BRANCHES[:2]), *_CASE_TYPES, draw=_indexed(-1, 2), label="two"),
    example(Case(_BRANCHES[1:2]), *_CASE_TYPES, draw=_indexed(0, 0), label="one"),
    *[
        example(
            While(_COND, _BODY, 1, 1),
            *_WHILE_TYPES,
            draw=_counted(low, high),
            reversible=False,
            label=f"iterations{low}to{high}",
        )
        for low, high in ((0, 0), (1, 5))
    ],
    example(While(_COND, _BODY, 1, 1, 2), *_WHILE_TYPES, draw=_counted(3, 5), label="bound"),
    example(While(_COND, _BODY, 1, 1, 5), *_WHILE_TYPES, draw=_counted(0, 4), label="bounded"),
    example(Scan(_SCANNED, 5, 1, 2), *_SCAN_TYPES, domain=_UNIT),
    example(Scan(_SCANNED, 5, 1, 2, reverse=True), *_SCAN_TYPES, domain=_UNIT, label="reverse"),
    example(Scan(_SCANNED, 5, 1, 2, unroll=2), *_SCAN_TYPES, domain=_UNIT, label="unroll"),
    example(
        Scan(_SCANNED, 5, 1, 2, reverse=True, unroll=9),
        *_SCAN_TYPES,
        domain=_UNIT,
        label="unrolled",
    ),
    example(Scan(_SCANNED, 0, 1, 2), *_EMPTY_TYPES, domain=_UNIT, label="no iterations"),
    example(Scan(_LINEAR, 4, 1, 1), "f64[3]", "f64[3]", "f64[4,3]", domain=_UNIT, label="linear"),
    example(Scan(_NO_CARRY, 4), "f64[4,3]", label="no carry"),
    example(Scan(_SCALARS, 3, 1, 1), "f64[]", "f64[]", "f64[3]", domain=_UNIT, label="scalars"),
    example(Scan(_PRODUCT, 3, 1, 1), "f64[]", "f64[]", domain=_UNIT, label="rank 0"),
    example(Case((_PRODUCT, _PRODUCT)), "i32[]", "f64[]", "f64[]", draw=_one(()), label="rank 0"),
    example(Case((_NOTHING,)), "i32[]", "f64[0]", "f64[0]", draw=_one((0,)), label="empty"),
    example(
        While(_SCALAR_COND, _SCALAR_BODY, 1, 1, 4),
        *("i32[]", "f64[]", "i32[]", "f64[]"),
        draw=_turns((), scaled=True),
        label="rank 0",
    ),
    example(
        While(_EMPTY_COND, _EMPTY_BODY, 1, 0, 4),
        *("i32[]", "i32[]", "f64[0]"),
        draw=_turns((0,), scaled=False),
        label="empty",
    ),
    example(Scan(_NESTED, 3, 0, 1), "f64[3]", "f64[3,3]", domain=_UNIT, label="nested"),
    example(Scan(_SPLITTING, 4, 0, 1), "key<fry>[]", "f64[4]", differentiable=False, label="keys"),
    example(
        Scan(_SPLITTING_WIDE, 4, 0, 1),
        "key<rbg>[]",
        "f64[4]",
        differentiable=False,
        label="wide keys",
    ),
    example(Scan(_SPLITTING, 0, 0, 1), "key<fry>[]", "f64[0]", label="keys, no iterations"),
    example(
        Case(_KEY_BRANCHES),
        "i32[]",
        "key<fry>[]",
        "key<fry>[]",
        draw=_keys_case,
        label="keys",
    ),
    example(
        While(_SCALAR_KEY_COND, _SCALAR_KEY_BODY, 1, 0, 4),
        "i32[]",
        "i32[]",
        "key<fry>[]",
        draw=_keys_while,
        label="keys",
    ),
]
