from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, DerivativeMismatchError, StructureError
from treadle.test_util import check_grads, check_jvp, check_vjp


@treadle.custom_jvp
def wrong(x: Any, y: Any) -> Any:
    return {"product": x * y["k"], "first": x}


@wrong.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return wrong(x, y), {"product": dx * y["k"] + 2 * dy["k"] * x, "first": dx}


@pytest.mark.parametrize(
    ("dtype", "order"), [("bfloat16", 1), ("float16", 1), ("float32", 2), ("complex64", 2)]
)
def test_right_derivatives_pass_in_every_element_type(dtype: str, order: int) -> None:
    check_grads(lambda x: tnp.sin(x) * x, (tnp.full((2, 3), 0.7, dtype),), order)


def test_right_derivatives_pass_to_third_order() -> None:
    with treadle.enable_x64(True):
        check_grads(lambda x, y: (tnp.exp(x) @ y, 3), (np.ones((2, 3)), np.ones(3)), 3)


def test_integers_among_results_and_empty_arrays_are_no_obstacle() -> None:
    check_grads(lambda x: (x, tnp.arange(3)), (tnp.zeros((0, 2)),), 1)


def test_a_wrong_tangent_is_named_with_its_result() -> None:
    with pytest.raises(
        DerivativeMismatchError, match=r"tangent of result\['product'\] is .* off by"
    ):
        check_grads(wrong, (1.0, {"k": 2.0}), 1, modes=["fwd"])


def test_a_wrong_cotangent_is_named_with_its_argument() -> None:
    with pytest.raises(AssertionError, match=r"cotangent of args\[1\]\['k'\]") as raised:
        check_grads(wrong, (1.0, {"k": 2.0}), 1, modes="rev")
    assert "order 1 by modes rev" in "".join(raised.value.__notes__)


def test_a_derivative_that_is_wrong_only_at_second_order_is_found() -> None:
    @treadle.custom_jvp
    def cube(x: Any) -> Any:
        return x**3

    cube.defjvps(lambda dx, y, x: 3 * treadle.lax.stop_gradient(x) ** 2 * dx)
    check_grads(cube, (1.5,), 1)
    with pytest.raises(DerivativeMismatchError) as raised:
        check_grads(cube, (1.5,), 2, modes=["fwd"])
    assert "order 2" in "".join(raised.value.__notes__)


def test_a_wrong_value_is_found() -> None:
    with pytest.raises(DerivativeMismatchError, match="mine: the value from f_jvp is 2"):
        check_jvp(lambda x: x, lambda x, t: (2 * x[0], t[0]), (1.0,), err_msg="mine")
    with pytest.raises(DerivativeMismatchError, match="the value from f_vjp"):
        check_vjp(lambda x: x, lambda x: (2 * x, lambda ct: (ct,)), (1.0,))


def test_tolerances_are_the_caller_s() -> None:
    near = lambda x, t: (x[0], 1.01 * t[0])  # noqa: E731 - a rule that is nearly right
    check_jvp(lambda x: x, near, (1.0,), rtol=0.05)
    with pytest.raises(DerivativeMismatchError, match="rtol=1e-05"):
        check_jvp(lambda x: x, near, (1.0,), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("key", [np.float32, "float32", tnp.float32, np.dtype("float32")])
def test_tolerances_may_go_by_element_type(key: Any) -> None:
    near = lambda x, t: (x[0], 1.01 * t[0])  # noqa: E731 - a rule that is nearly right
    check_jvp(lambda x: x, near, (1.0,), rtol={key: 0.05, tnp.bfloat16: 1e-9})
    with pytest.raises(DerivativeMismatchError, match="rtol=1e-05"):
        check_jvp(lambda x: x, near, (1.0,), atol={key: 1e-5}, rtol={key: 1e-5})
    with pytest.raises(
        DerivativeMismatchError, match=r"rtol=0\.002"
    ):  # the default, of what is left out
        check_jvp(lambda x: x, near, (1.0,), rtol={np.float64: 0.05})
    check_grads(tnp.sin, (1.0,), 2, atol={key: 0.1}, rtol={np.float64: 1e-12})
    with pytest.raises(DerivativeMismatchError, match="allowed are atol=1e-30"):
        check_vjp(tnp.sin, lambda x: treadle.vjp(tnp.sin, x), (1.0,), {key: 1e-30}, {key: 0.0})


def test_element_types_of_tolerances_are_checked() -> None:
    with pytest.raises(ArgumentError, match=r"a key of atol must be an element type, got 'text'"):
        check_grads(tnp.sin, (1.0,), 1, atol={"text": 1.0})
    with pytest.raises(ArgumentError, match=r"rtol\[float32\] must be a real number"):
        check_grads(tnp.sin, (1.0,), 1, rtol={"float32": "much"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        (1.0, {}, "args must be a tuple"),
        ((1,), {}, r"args\[0\] is 1 of type int32, which has no tangents"),
        (("text",), {}, "which has no tangents"),
        ((1.0,), {"modes": ["forward"]}, "'forward' is not a mode"),
    ],
)
def test_arguments_are_checked(args: Any, options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        check_grads(tnp.sin, args, 1, **options)


def test_structures_must_agree() -> None:
    with pytest.raises(StructureError, match="1 cotangents came back for 2"):
        check_vjp(lambda x, y: x, lambda x, y: (x, lambda ct: (ct,)), (1.0, 2.0))
    with pytest.raises(StructureError, match="has structure"):
        check_jvp(lambda x: x, lambda x, t: ((x[0],), (t[0],)), (1.0,))


def test_functions_that_vary_quickly_are_checked_at_a_smaller_step() -> None:
    check_grads(lambda x: tnp.sin(200 * x), (np.float32(0.3),), order=1)
    with pytest.raises(DerivativeMismatchError):
        check_grads(lambda x: tnp.sin(200 * x), (np.float32(0.3),), order=1, eps=0.005)
