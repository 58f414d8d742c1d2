from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import grad, jvp
from treadle_ir import ArgumentError, ArrayType, stage
from treadle_ir.primitives.composite import Composite
from treadle_numpy import lax, numpy as tnp


def tangent(x, *, scale=1.0):
    return {"out": scale * tnp.sin(x) / tnp.cos(x)}


def test_values_and_derivatives_are_those_of_the_decomposition() -> None:
    function = lax.composite(tangent, "my.tangent")
    np.testing.assert_allclose(function(0.5, scale=2.0)["out"], 2 * np.tan(0.5), rtol=1e-6)
    expected = 1 / np.cos(0.5) ** 2
    np.testing.assert_allclose(grad(lambda x: function(x)["out"])(0.5), expected, rtol=1e-6)
    np.testing.assert_allclose(jvp(function, (0.5,), (1.0,))[1]["out"], expected, rtol=1e-6)


def test_what_stands_in_the_program() -> None:
    function = lax.composite(tangent, "my.tangent", version=3)
    program = stage(
        lambda x: [function(x, scale=np.float64(2.0))["out"]], ArrayType((), np.dtype("f4"))
    ).program
    (equation,) = program.equations
    assert isinstance(equation.primitive, Composite)
    assert equation.primitive.label == "my.tangent"
    assert equation.primitive.version == 3
    assert equation.primitive.settings == (("scale", 2.0),)


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="the name is 'tangent' and the version 0"):
        lax.composite(tangent, "tangent")(0.5)
    with pytest.raises(ArgumentError, match="the name is 3"):
        lax.composite(tangent, 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="version"):
        lax.composite(tangent, "my.tangent", "x")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="the setting scale is"):
        lax.composite(tangent, "my.tangent")(0.5, scale=np.ones(3))
    with pytest.raises(ArgumentError, match="more than 64 bits"):
        lax.composite(tangent, "my.tangent")(0.5, scale=2**64)
    with pytest.raises(ArgumentError, match="decomposition"):
        lax.composite(None, "my.tangent")  # type: ignore[arg-type]
