from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from treadle_ir import bind, ops
from treadle_ir.primitives.window import (
    ReduceWindowAdd,
    ReduceWindowFamily,
    ReduceWindowMaximum,
    SelectAndGatherAdd,
    SelectAndScatterAdd,
    Windowed,
)
from treadle_ir.testing.examples import Example
from treadle_ir.testing.examples.window import EXAMPLES

WIDE = [example for example in EXAMPLES if example.types[0].dtype == np.float64]


def seen(p: Windowed, shape: tuple[int, ...], place: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The elements that a window sees, in row-major order."""
    for k in np.ndindex(*p.window_dimensions):
        at = []
        for axis, (o, step) in enumerate(zip(place, k, strict=True)):
            position = (
                o * p.window_strides[axis] + step * p.window_dilation[axis] - p.padding[axis][0]
            )
            source, hole = divmod(position, p.base_dilation[axis])
            if hole or not 0 <= source < shape[axis]:
                break
            at.append(source)
        else:
            yield tuple(at)


@pytest.mark.parametrize("example", WIDE, ids=lambda example: example.id)
def test_windows_agree_with_their_definition(example: Example) -> None:
    operands = [np.asarray(x) for x in example.operands()]
    p: Any = example.primitive
    x = operands[-1]
    (result_type,) = p.infer(*example.types)
    places = p.places(example.types[-1])
    expected = np.zeros(result_type.shape)
    for place in np.ndindex(*places):
        elements = list(seen(p, x.shape, place))
        values = [x[at] for at in elements]
        if isinstance(p, ReduceWindowFamily):
            if isinstance(p, ReduceWindowAdd):
                expected[place] = sum(values)
            elif isinstance(p, ReduceWindowMaximum):
                expected[place] = max(values, default=-np.inf)
            else:
                expected[place] = min(values, default=np.inf)
        elif elements:
            extreme = max(values) if p.select == "ge" else min(values)
            chosen = elements[values.index(extreme)]
            if isinstance(p, SelectAndGatherAdd):
                expected[place] = operands[0][chosen]
            else:
                assert isinstance(p, SelectAndScatterAdd)
                expected[chosen] += operands[0][place]
    np.testing.assert_allclose(np.asarray(bind(p, *operands)[0]), expected, rtol=1e-13, atol=1e-13)


def test_maximum_hands_on_nan() -> None:
    x = np.array([1.0, np.nan, 0.0, 5.0])
    result = ops.reduce_window_maximum(x, window_dimensions=(2,))
    np.testing.assert_array_equal(result, [np.nan, np.nan, 5.0])


def test_the_first_of_equal_elements_is_selected() -> None:
    x = np.array([2.0, 2.0, 1.0, 2.0])
    result = ops.select_and_scatter_add(np.array([10.0]), x, select="ge", window_dimensions=(4,))
    np.testing.assert_array_equal(result, [10, 0, 0, 0])
