"""Examples of elementwise arithmetic: each operation over the element types it takes, and the shapes."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.elementwise import Binary, Unary
from treadle_ir.testing.examples import Draw, Example, example
from treadle_ir.tracing.array import Operand

Interval = tuple[float, float]
_POSITIVE: Final = (0.3, 3.0)

_ROWS: Final = sorted(
    [
        (primitive, row)
        for primitive, row in e.OPERATIONS.items()
        if primitive not in e.WITH_FORMULA
    ],
    key=lambda pair: pair[0].__name__,
)
# Where each function has finite values and derivatives (and finite differences make sense).
UNARY: Final[dict[type[Unary], Interval]] = {
    primitive: row.domain for primitive, row in _ROWS if issubclass(primitive, Unary)
}
BINARY: Final[dict[type[Binary], Interval]] = {
    primitive: row.domain for primitive, row in _ROWS if issubclass(primitive, Binary)
}

# Element types to try, by the kinds a primitive takes.
_BY_KIND: Final = {
    "b": ("bool",),
    "i": ("i32", "i8"),
    "u": ("u8", "u32"),
    "f": ("f32", "f64"),
    "c": ("c64", "c128"),
}


def _unary(primitive: type[Unary], domain: Interval) -> list[Example]:
    operation = primitive()
    examples = []
    for kind in primitive.kinds:
        for name, shape in zip(_BY_KIND[kind], ("[2,3]", "[]"), strict=False):
            examples.append(example(operation, name + shape, domain=domain))
    if "f" in primitive.kinds:
        examples.append(example(operation, "bf16[5]", domain=domain))
    examples.append(example(operation, f"{_BY_KIND[primitive.kinds[-1]][0]}[0,2]", domain=domain))
    return examples


def _binary(primitive: type[Binary], domain: Interval) -> list[Example]:
    operation = primitive()
    kinds = primitive.kinds
    last = _BY_KIND[kinds[-1]][0]
    examples = []
    for kind in kinds:
        for name, shape in zip(_BY_KIND[kind], ("[2,3]", "[]"), strict=False):
            examples.append(example(operation, name + shape, name + shape, domain=domain))
    if "f" in kinds and primitive is not e.Complex:
        examples.append(example(operation, "bf16[5]", "bf16[5]", domain=domain))
    wide = "f64" if "f" in kinds else "i32"
    examples.append(example(operation, f"{wide}[3]", f"{wide}[]", domain=domain))
    examples.append(example(operation, f"{wide}[]", f"{wide}[3]", domain=domain))
    examples.append(example(operation, f"{last}[0,2]", f"{last}[0,2]", domain=domain))
    return examples


def _special_values(count: int) -> Draw:
    """Every pair of zeros, ones, infinities, NaN, halves, whole numbers and great and small ones."""
    signless = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 7.25, 1e-30, 1e30, np.inf]
    values = np.asarray([*signless, *(-x for x in signless), np.nan], np.float32)
    spread = np.resize(values, 65)

    def draw(random: np.random.Generator) -> list[Operand]:
        pairs = np.meshgrid(spread, spread)
        return [np.ascontiguousarray(x.reshape(-1)) for x in pairs[:count]]

    return draw


EXAMPLES: Final = [
    *(one for primitive, domain in UNARY.items() for one in _unary(primitive, domain)),
    *(one for primitive, domain in BINARY.items() for one in _binary(primitive, domain)),
    *(
        example(e.IntegerPower(exponent), type, domain=_POSITIVE)
        for exponent, type in (
            (0, "f32[3]"),
            (1, "f64[3]"),
            (2, "i32[2,3]"),
            (3, "f64[]"),
            (7, "u8[4]"),
            (-1, "f32[2,3]"),
            (-3, "f64[4]"),
            (3, "c128[2]"),
            (-2, "c64[2]"),
            (5, "bf16[3]"),
            (2, "f32[0]"),
        )
    ),
    example(e.Abs(), "f64[4]", domain=(-3.0, -0.5), label="negative"),
    example(e.Cbrt(), "f64[4]", domain=(-3.0, -0.5), label="negative"),
    example(e.Digamma(), "f64[4]", domain=(-0.7, -0.3), label="negative"),
    example(e.Lgamma(), "f64[4]", domain=(-0.7, -0.3), label="negative"),
    example(e.Divide(), "i32[5]", "i32[5]", domain=(-3.0, 3.0), label="signs-and-zero"),
    example(e.Remainder(), "i32[5]", "i32[5]", domain=(-3.0, 3.0), label="signs-and-zero"),
    example(e.Remainder(), "f64[5]", "f64[5]", domain=(-5.0, -0.7), label="negative"),
    example(e.Power(), "i32[20]", "i32[20]", domain=(-4.0, 6.0), label="signs"),
    example(e.Power(), "u8[200]", "u8[200]", domain=(0.0, 255.0), label="all exponents"),
    example(e.Power(), "u32[200]", "u32[200]", domain=(0.0, 2.0**32 - 1), label="all exponents"),
    example(e.Atan2(), "f64[5]", "f64[5]", domain=(-3.0, -0.5), label="third-quadrant"),
    example(e.Add(), "f16[3]", "f16[3]"),
    example(e.Multiply(), "i64[3]", "i64[]"),
    # Large arrays have a lowering of their own on the CPU.
    *(
        example(primitive(), *["f32[4200]"] * count, domain=domain, label=label)
        for primitive, count, domain, label in (
            (e.Sine, 1, (-9e5, 9e5), "large"),
            (e.Sine, 1, (-1e12, 1e12), "large-far"),
            (e.Cosine, 1, (-9e5, 9e5), "large"),
            (e.Cosine, 1, (-1e12, 1e12), "large-far"),
            (e.Tan, 1, (-9e5, 9e5), "large"),
            (e.Atan, 1, (-30.0, 30.0), "large"),
            (e.Atan2, 2, (-9.0, 9.0), "large"),
            (e.Cbrt, 1, (-1e6, 1e6), "large"),
            (e.Power, 2, (0.0, 9.0), "large"),
            (e.Power, 2, (-9.0, 9.0), "large-signs"),
        )
    ),
    *(
        example(
            primitive(),
            *["f32[4225]"] * count,
            draw=_special_values(count),
            differentiable=False,
            label="special",
        )
        for primitive, count in (
            (e.Sine, 1),
            (e.Cosine, 1),
            (e.Tan, 1),
            (e.Atan, 1),
            (e.Atan2, 2),
            (e.Cbrt, 1),
            (e.Power, 2),
        )
    ),
]
