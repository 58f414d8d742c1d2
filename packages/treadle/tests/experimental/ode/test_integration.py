from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, DerivativeError, ShapeError, StructureError
from treadle.experimental.ode import odeint, ravel_first_arg
from treadle.flatten_util import ravel_pytree
from treadle.test_util import check_grads


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


TIMES = np.array([0.0, 0.3, 1.0, 1.1, 2.5])


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-10])
def test_closed_forms_to_the_tolerance(rtol: float) -> None:
    y = odeint(lambda y, t, a: -a * t * y, 2.0, TIMES, 0.7, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(y, 2 * np.exp(-0.35 * TIMES**2), rtol=100 * rtol)
    wave = odeint(lambda y, t: 1j * y, 1.0 + 0j, TIMES, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(wave, np.exp(1j * TIMES), atol=100 * rtol)


def test_trees_agree_with_scipy() -> None:
    def lorenz(y: Any, t: Any, sigma: Any) -> Any:
        x, (u, v) = y["x"], y["uv"]
        return {
            "x": sigma * (u - x),
            "uv": tnp.stack([x * (28.0 - v) - u, x * u - 8 / 3 * v]) * (1 + 0.1 * tnp.sin(t)),
        }

    def flat(t: float, y: Any) -> Any:
        x, u, v = y
        s = 1 + 0.1 * np.sin(t)
        return [10 * (u - x), (x * (28 - v) - u) * s, (x * u - 8 / 3 * v) * s]

    y = odeint(lorenz, {"x": 1.0, "uv": np.array([1.0, 2.0])}, TIMES, 10.0)
    known = solve_ivp(flat, (0, 2.5), [1, 1, 2], t_eval=TIMES, rtol=1e-11, atol=1e-11).y
    assert y["uv"].shape == (5, 2)
    np.testing.assert_allclose(y["x"], known[0], rtol=2e-5)
    np.testing.assert_allclose(y["uv"], known[1:].T, rtol=2e-5)


def test_gradients_by_state_times_parameters_and_captured_arrays() -> None:
    captured = tnp.array([0.5, 1.5])

    def final(y0: Any, t: Any, p: Any, captured: Any) -> Any:
        def f(y: Any, t: Any, p: Any, count: Any) -> Any:
            return tnp.sin(y) * p["a"] + captured * t * count

        return odeint(f, y0, t, p, 2)

    args = (np.array([1.0, 2.0]), np.array([0.1, 0.4, 0.9]), {"a": 0.8}, captured)
    check_grads(final, args, 1, modes=["rev"], rtol=1e-5, atol=1e-6)


def test_gradients_of_complex_states() -> None:
    def f(y0: Any, a: Any) -> Any:
        return odeint(lambda y, t, a: a * y, y0, np.array([0.0, 0.5, 1.0]), a)

    check_grads(f, (1.0 + 0.5j, 0.3 + 2j), 1, modes=["rev"], rtol=1e-5, atol=1e-6)


def test_second_derivatives_in_reverse() -> None:
    def f(a: Any) -> Any:
        return odeint(lambda y, t, a: -a * y, 1.0, np.array([0.0, 1.0]), a)[-1]

    np.testing.assert_allclose(treadle.grad(f)(0.5), -np.exp(-0.5), rtol=1e-7)
    np.testing.assert_allclose(treadle.grad(treadle.grad(f))(0.5), np.exp(-0.5), rtol=1e-6)


def test_it_is_compiled_and_vectorised() -> None:
    def f(rate: Any) -> Any:
        return odeint(lambda y, t, rate: -rate * y, 1.0, TIMES, rate)

    rates = np.array([0.1, 1.0, 20.0])
    expected = np.exp(-np.outer(rates, TIMES))
    found = treadle.jit(treadle.vmap(f))(rates)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    slope = treadle.jit(treadle.vmap(treadle.grad(lambda a: f(a)[-1])))(rates)
    np.testing.assert_allclose(slope, -2.5 * expected[:, -1], rtol=1e-5, atol=1e-6)


def test_one_time_gives_the_state_itself() -> None:
    assert odeint(lambda y, t: y, np.ones(3), np.array([0.5])).shape == (1, 3)
    assert odeint(lambda y, t: y, np.ones(0), TIMES).shape == (5, 0)


def test_steps_are_bounded_in_size_and_number() -> None:
    calls = []

    def f(y: Any, t: Any) -> Any:
        treadle.debug.callback(lambda t: calls.append(float(t)), t)
        return -y

    odeint(f, 1.0, np.array([0.0, 1.0]), hmax=0.01)
    treadle.effects_barrier()
    assert len(calls) > 600
    rough = odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0]), mxstep=2)
    assert abs(float(rough[1]) - np.exp(-1)) > 1e-3


def test_a_nan_ends_the_integration() -> None:
    y = odeint(lambda y, t: tnp.log(y - 2), 1.0, TIMES)
    assert np.isnan(y[1:]).all()


def test_forward_mode_is_refused() -> None:
    f = lambda a: odeint(lambda y, t, a: a * y, 1.0, TIMES, a)  # noqa: E731
    with pytest.raises(DerivativeError, match="backward rule only"):
        treadle.jvp(f, (1.0,), (1.0,))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: odeint(3, 1.0, TIMES),  # type: ignore[arg-type]  # no function
            ArgumentError,
            "func",
        ),
        (lambda: odeint(lambda y, t: y, 1, TIMES), ArgumentError, "must be floating or complex"),
        (lambda: odeint(lambda y, t: y, "a", TIMES), ArgumentError, "y0"),
        (lambda: odeint(lambda y, t, a: y, 1.0, TIMES, "a"), ArgumentError, "args"),
        (lambda: odeint(lambda y, t: y, 1.0, 2.0), ShapeError, "must be a vector"),
        (lambda: odeint(lambda y, t: y, 1.0, np.zeros(0)), ShapeError, "at least one time"),
        (lambda: odeint(lambda y, t: (y, y), 1.0, TIMES), StructureError, "func returns"),
        (lambda: odeint(lambda y, t: y[:2], np.ones(3), TIMES), ShapeError, "part 0 of the state"),
    ],
)
def test_arguments_are_checked(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_function_of_trees_is_one_of_vectors() -> None:
    flat, unravel = ravel_pytree({"a": np.ones(2), "b": 3.0})
    ravelled = ravel_first_arg(lambda y, t: {"a": y["a"] * t, "b": y["b"]}, unravel)
    np.testing.assert_array_equal(ravelled(flat, 5.0), [5, 5, 3])
