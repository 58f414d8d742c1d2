"""The primitives by JAX's names, of lax, of lax.linalg, and the others, each a single object."""

from __future__ import annotations

import pytest

import treadle
from treadle.extend.core import primitives


def test_names() -> None:
    assert primitives.add_p is treadle.lax.add_p
    assert primitives.cholesky_p.name == "cholesky"
    assert primitives.jit_p.multiple_results
    assert {"add_p", "random_bits_p", "svd_p"} <= set(dir(primitives)) == set(primitives.__all__)
    with pytest.raises(AttributeError, match="did you mean 'pad_p'"):
        _ = primitives.ad_p


def test_equations_are_recognised() -> None:
    program = treadle.make_jaxpr(lambda x: treadle.lax.sin(x) * 2)(1.0).program
    found = [
        name
        for equation in program.equations
        for name in ("sin_p", "cos_p", "mul_p", "jit_p")
        if getattr(primitives, name).matches(equation)
    ]
    assert found == ["sin_p", "mul_p"]
