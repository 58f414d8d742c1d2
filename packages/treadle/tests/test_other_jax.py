"""Values of the real jax: refused with what to do about them, whether they are arrays or being traced.

The classes here have what jax's have: the module, `aval`, and `__jax_array__` as a property of what is traced.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle  # noqa: F401 - installs what is known of the real jax
from treadle_ir import ArgumentError, Array, ops, stage
from treadle_ir.calling import as_array, as_operand
from treadle_ir.core.types import ArrayType


def _of_jax(module: str, **attributes: object) -> Any:
    return type("Value", (), {"__module__": module, "aval": None, **attributes})()


TRACED = _of_jax("jax._src.core", __jax_array__=property(lambda self: 1 / 0))
HELD = _of_jax("jaxlib._jax", __array__=lambda self: np.ones(3))


@pytest.mark.parametrize("take", [as_operand, as_array])
def test_what_the_real_jax_traces_is_refused_with_the_hook(take: Any) -> None:
    with pytest.raises(ArgumentError, match="is traced by the real jax") as caught:
        take(TRACED)
    assert "python -m treadle_jax" in "\n".join(caught.value.__notes__)
    with pytest.raises(ArgumentError, match="is an array of the real jax") as caught:
        take(HELD)
    assert "`treadle.numpy.asarray(x)`" in "\n".join(caught.value.__notes__)


def test_a_conversion_that_is_a_property_is_none() -> None:
    class Odd:
        __jax_array__ = property(lambda self: 1 / 0)

    with pytest.raises(ArgumentError, match="is not a valid"):
        as_operand(Odd())


@pytest.mark.parametrize(
    "message",
    [
        "Argument 'x' of type <class 'treadle.interpreters.partial_eval.DynamicJaxprTracer'> is not a valid JAX type.",
        "Error interpreting argument to add as a JAX value. The problematic value is of type <class 'treadle'>",
    ],
)
def test_a_refusal_by_the_real_jax_names_the_hook(message: str) -> None:
    def update(x: Array) -> list[Array]:
        raise TypeError(message)

    def nested(x: Array) -> list[Array]:
        stage(update, ArrayType((), np.dtype(np.float32)))
        return [x]

    with pytest.raises(TypeError) as caught:
        stage(nested, ArrayType((), np.dtype(np.float32)))
    hints = [note for note in caught.value.__notes__ if "python -m treadle_jax" in note]
    assert len(hints) == 1


def test_other_errors_stay_as_they_are() -> None:
    def wrong(x: Array) -> list[Array]:
        raise ValueError("treadle is a word, and so is JAX")

    with pytest.raises(ValueError, match="is a word") as caught:
        stage(wrong, ArrayType((), np.dtype(np.float32)))
    assert "treadle_jax" not in str(getattr(caught.value, "__notes__", ""))
    assert ops.negate(np.float32(1)) == -1
