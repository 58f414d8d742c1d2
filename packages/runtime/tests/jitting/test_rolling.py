"""Unrolled loops are compiled as loops where that is certain to win, or as `roll` says."""

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ops
from treadle_ir.settings import ROLL
from treadle_runtime import jit


def steps(x: Any, w: Any) -> Any:
    for _ in range(60):
        x = ops.tanh(ops.dot_general(x, w, contracting=((1,), (0,)), batching=((), ())))
    return x


DRAW = np.random.default_rng(0)
X, W = [DRAW.standard_normal(shape).astype(np.float32) / 2 for shape in ((4, 8), (8, 8))]


def has_loop(function: Any) -> bool:
    return "stablehlo.while" in function.lower(X, W).as_text()


def test_a_loop_of_small_steps_is_rolled() -> None:
    assert has_loop(jit(steps))
    np.testing.assert_allclose(jit(steps)(X, W), jit(steps, roll="off")(X, W), rtol=1e-4, atol=1e-5)


def test_the_program_that_users_see_is_not() -> None:
    assert len(jit(steps).trace(X, W).program.equations) == 120


def test_the_option_wins() -> None:
    assert not has_loop(jit(steps, roll="off"))
    assert not has_loop(jit(steps, roll=False))
    with ROLL.override("off"):
        assert has_loop(jit(steps, roll="all"))
        assert not has_loop(jit(steps))


def test_all_rolls_also_what_is_not_certain_to_win() -> None:
    def few(x: Any, w: Any) -> Any:
        for _ in range(8):
            x = ops.sine(ops.multiply(ops.add(x, x), x))
        return x

    assert not has_loop(jit(few))
    assert has_loop(jit(few, roll="all"))


def test_a_changed_setting_compiles_again() -> None:
    function = jit(lambda x, w: steps(x, w))
    with ROLL.override("off"):
        assert not has_loop(function)
    assert has_loop(function)


def test_other_platforms_wait_for_measurements() -> None:
    lowered = jit(steps).trace(X, W).lower(lowering_platforms=("cuda",))
    assert "stablehlo.while" not in lowered.as_text()
    lowered = jit(steps, roll="all").trace(X, W).lower(lowering_platforms=("cuda",))
    assert "stablehlo.while" in lowered.as_text()


def test_steps_within_a_loop_are_rolled() -> None:
    inner = jit(lambda x, w: steps(steps(x, w), w))
    assert inner.lower(X, W).as_text().count("stablehlo.while") == 1


def test_a_wrong_option() -> None:
    with pytest.raises(ArgumentError, match=r"roll.*'sometimes'"):
        jit(steps, roll="sometimes")
