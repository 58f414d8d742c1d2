"""Examples of sliding windows."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir.primitives.window import (
    ReduceWindowAdd,
    ReduceWindowMaximum,
    ReduceWindowMinimum,
    SelectAndGatherAdd,
    SelectAndScatterAdd,
)
from treadle_ir.testing.examples import Example, example

Sizes: TypeAlias = tuple[int, ...]
Settings: TypeAlias = tuple[Sizes, Sizes, tuple[tuple[int, int], ...], Sizes, Sizes]


def _settings(
    window: tuple[int, ...],
    strides: tuple[int, ...] = (),
    padding: tuple[tuple[int, int], ...] = (),
    base: tuple[int, ...] = (),
    holes: tuple[int, ...] = (),
) -> Settings:
    ones = (1,) * len(window)
    return window, strides or ones, padding or ((0, 0),) * len(window), base or ones, holes or ones


# name, settings, shape of x, places
_CASES: Final[list[tuple[str, Settings, str, str]]] = [
    ("plain", _settings((3,)), "7", "5"),
    ("pooling", _settings((2, 2), (2, 2)), "4,6", "2,3"),
    ("overlapping", _settings((3, 2), (2, 1), ((1, 1), (0, 1))), "5,4", "3,4"),
    ("left over", _settings((2,), (3,)), "7", "2"),
    ("window dilation", _settings((2,), (1,), ((1, 0),), (), (2,)), "5", "4"),
    ("base dilation", _settings((3,), (2,), ((2, 1),), (2,)), "4", "4"),
    ("cut", _settings((2,), (1,), ((-1, -2),)), "7", "3"),
    ("dilated and cut", _settings((2,), (2,), ((-1, 3),), (3,), (2,)), "4", "5"),
    (
        "with other axes",
        _settings((1, 3, 1), (1, 2, 1), ((0, 0), (1, 1), (0, 0))),
        "2,5,2",
        "2,3,2",
    ),
    ("no place", _settings((5,)), "3", "0"),
    ("nothing", _settings((2,), (1,), ((2, 2),)), "0", "3"),
    ("rank 0", _settings(()), "", ""),
]


def _selects(name: str, settings: Settings, shape: str, places: str) -> list[Example]:
    return [
        *[
            example(
                SelectAndGatherAdd(*settings, select),
                f"f64[{shape}]",
                f"f64[{shape}]",
                label=f"{name}, {select}",
            )
            for select in ("ge", "le")
        ],
        example(
            SelectAndScatterAdd(*settings, "ge"), f"f64[{places}]", f"f64[{shape}]", label=name
        ),
    ]


def _with_ties(random: np.random.Generator) -> list[Any]:
    return [random.uniform(-2, 2, 3), np.array([1.0, 1.0, 0.0, 2.0, 2.0])]


EXAMPLES: Final[list[Example]] = [
    *[
        example(
            operation(*settings),
            f"f64[{shape}]",
            label=name,
            # an empty window's extreme is infinite
            differentiable=operation is ReduceWindowAdd
            or name not in ("dilated and cut", "nothing"),
        )
        for name, settings, shape, _ in _CASES
        for operation in (ReduceWindowAdd, ReduceWindowMaximum, ReduceWindowMinimum)
    ],
    *[
        example(operation(*_CASES[2][1]), f"{dtype}[5,4]", domain=(0, 9), label="overlapping")
        for dtype in ("f32", "bf16", "f16", "i32", "u8", "i8")
        for operation in (ReduceWindowAdd, ReduceWindowMaximum, ReduceWindowMinimum)
    ],
    example(ReduceWindowAdd(*_CASES[2][1]), "c64[5,4]", label="overlapping"),
    example(ReduceWindowMaximum(*_CASES[2][1]), "bool[5,4]", label="overlapping"),
    *[one for case in _CASES for one in _selects(*case)],
    example(SelectAndScatterAdd(*_CASES[2][1], "le"), "f32[3,4]", "f32[5,4]", label="overlapping"),
    example(SelectAndGatherAdd(*_CASES[2][1], "ge"), "bf16[5,4]", "bf16[5,4]", label="overlapping"),
    example(
        SelectAndScatterAdd(*_settings((3,)), "ge"),
        "f64[3]",
        "f64[5]",
        draw=_with_ties,
        differentiable=False,
        label="ties",
    ),
]
