"""First to third derivatives are the true ones where functions are smooth: by all modes, eagerly and jitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.derivatives import law
from conformance.derivatives.row import Row, scalar
from conformance.derivatives.table import ROWS


def names(rows: tuple[Row, ...]) -> list[str]:
    """Rows by their names, counted where a function has several."""
    seen: dict[str, int] = {}
    found = []
    for row in rows:
        seen[row.name] = seen.get(row.name, 0) + 1
        found.append(row.name if seen[row.name] == 1 else f"{row.name}-{seen[row.name]}")
    return found


@pytest.mark.parametrize("row", ROWS, ids=names(ROWS))
def test_derivatives_are_the_true_ones(row: Row) -> None:
    truth = law.true(row)
    for jitted in (False, True):
        said = law.wrong(row, jitted, truth)
        assert not said, f"{'jitted' if jitted else 'eager'}:\n" + "\n".join(said)


@pytest.mark.parametrize("jitted", [False, True])
def test_a_wrong_second_derivative_is_found(jitted: bool) -> None:
    @treadle.custom_jvp
    def cube(x: Any) -> Any:
        return x**3

    @cube.defjvp
    def cube_jvp(primals: Any, tangents: Any) -> Any:
        return cube(*primals), 3 * treadle.lax.stop_gradient(primals[0]) ** 2 * tangents[0]

    row = scalar("numpy.power", lambda x: x**3, 2.0, function=cube)
    said = law.wrong(row, jitted, law.true(row))
    assert [each.partition(" ")[0] for each in said] == [
        mode for mode in law.MODES if len(mode) > 1
    ]
    right = scalar("numpy.power", lambda x: x**3, 2.0, function=lambda x: tnp.power(x, 3))
    assert not law.wrong(right, jitted, law.true(right))


@pytest.mark.parametrize("function", [tnp.divide, tnp.arctan2])
@pytest.mark.parametrize("scale", [2.0**-80, 2.0**80])
def test_compiled_slopes_of_quotients_do_not_square(function: Any, scale: float) -> None:
    """XLA makes `x / (y y)` of `(x / y) / y`."""
    slopes = treadle.grad(lambda y, x: function(y, x).sum(), argnums=(0, 1))
    y, x = [np.float32(scale) * np.array(v, np.float32) for v in ([0.75, 2.0], [1.5, -1.0])]
    expected = [np.asarray(v) / np.float32(scale) for v in slopes(y / scale, x / scale)]
    for evaluated in (slopes, treadle.jit(slopes)):
        for found, true in zip(evaluated(y, x), expected, strict=True):
            np.testing.assert_allclose(found, true, rtol=1e-5)
