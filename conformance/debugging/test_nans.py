"""`debug_nans` and `debug_infs` name the operation and the user's line, wherever the value was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import NotFiniteError

Call = Callable[[], Any]


def value(x: Any) -> Any:
    y = x - 2.0
    return tnp.log(y) * 2  # the line of the value


def slope(x: Any) -> Any:
    y = tnp.sqrt(x)  # the line of the slope
    return y * 0


def scanned(x: Any) -> Any:
    def body(carry: Any, _: None) -> tuple[Any, None]:
        lower = carry - 1.0
        return tnp.sqrt(lower), None  # the line of the body

    return lax.scan(body, x, None, length=4)[0]


def repeated(x: Any) -> Any:
    def body(state: Any) -> Any:
        i, y = state
        return i + 1, tnp.sqrt(y - 1.0)  # the line of the body

    return lax.while_loop(lambda state: state[0] < 4, body, (0, x))[1]


def chosen(x: Any) -> Any:
    return lax.cond(x < 2, lambda y: tnp.log(y - 3.0), lambda y: y, x)  # the line of the branch


inner = treadle.jit(value)


def outer(x: Any) -> Any:
    return inner(x) + 1


X = np.float32(1.5)
MANY = np.full(3, 1.5, np.float32)
IN_VALUES: dict[str, tuple[Call, str, str]] = {
    "eager": (lambda: value(tnp.asarray(X)), "log", "the line of the value"),
    "jit": (lambda: treadle.jit(value)(X), "log", "the line of the value"),
    "jit in jit": (lambda: treadle.jit(outer)(X), "log", "the line of the value"),
    "vmap": (lambda: treadle.vmap(value)(MANY), "log", "the line of the value"),
    "jit of vmap": (lambda: treadle.jit(treadle.vmap(outer))(MANY), "log", "the line of the value"),
    "scan": (lambda: scanned(X), "sqrt", "the line of the body"),
    "jit of scan": (lambda: treadle.jit(scanned)(X), "sqrt", "the line of the body"),
    "while": (lambda: repeated(X), "sqrt", "the line of the body"),
    "jit of while": (lambda: treadle.jit(repeated)(X), "sqrt", "the line of the body"),
    "cond": (lambda: chosen(X), "log", "the line of the branch"),
    "jit of cond": (lambda: treadle.jit(chosen)(X), "log", "the line of the branch"),
    "donated": (
        lambda: treadle.jit(value, donate_argnums=0)(tnp.asarray(MANY)),
        "log",
        "the line of the value",
    ),
    "compiled ahead of time": (
        lambda: treadle.jit(value).lower(X).compile()(X),
        "log",
        "the line of the value",
    ),
    "checkpoint": (lambda: treadle.checkpoint(value)(X), "log", "the line of the value"),
}
IN_SLOPES: dict[str, tuple[Call, str, str]] = {
    "grad": (lambda: treadle.grad(slope)(0.0), "multiply", "the line of the slope"),
    "jit of grad": (
        lambda: treadle.jit(treadle.grad(slope))(0.0),
        "multiply",
        "the line of the slope",
    ),
    "grad of jit": (
        lambda: treadle.grad(treadle.jit(slope))(0.0),
        "multiply",
        "the line of the slope",
    ),
    "jit of vmap of grad of jit": (
        lambda: treadle.jit(treadle.vmap(treadle.grad(treadle.jit(slope))))(tnp.zeros(2)),
        "multiply",
        "the line of the slope",
    ),
    "grad of scan": (
        lambda: treadle.grad(lambda x: scanned(x) * 0)(1.0),
        "sqrt",
        "the line of the body",
    ),
}


@pytest.mark.parametrize("name", [*IN_VALUES, *IN_SLOPES])
def test_the_operation_and_the_line_are_named(name: str) -> None:
    call, operation, line = (IN_VALUES | IN_SLOPES)[name]
    call()  # without the setting nothing is raised
    with treadle.debug_nans(), pytest.raises(NotFiniteError) as caught:
        call()
    assert isinstance(caught.value, FloatingPointError)
    assert f"(nan) encountered in {operation}:" in str(caught.value)
    assert line in caught.value.__notes__[0]
    call()


def test_the_iteration_and_what_was_given_are_named() -> None:
    with treadle.debug_nans(), pytest.raises(NotFiniteError) as caught:
        treadle.jit(scanned)(X)
    assert "given -0.29289" in str(caught.value)  # sqrt(1.5 - 1) - 1
    assert "iteration 1 of scan" in "".join(caught.value.__notes__)


def test_the_index_is_named() -> None:
    x = tnp.array([[1.0, 4.0], [9.0, -1.0]])
    with treadle.debug_nans(), pytest.raises(NotFiniteError, match=r"at index \(1, 1\), given -1"):
        tnp.sqrt(x)


def test_what_does_not_reach_the_results_of_a_compiled_function_is_let_be() -> None:
    def guarded(x: Any) -> Any:
        return tnp.where(x > 0, tnp.log(x), 0.0)

    with treadle.debug_nans():
        assert treadle.jit(guarded)(-1.0) == 0
        with pytest.raises(NotFiniteError):  # eagerly, each operation is a result
            guarded(tnp.float32(-1.0))


def test_a_masked_nan_is_not_taken_for_the_culprit() -> None:
    def f(x: Any) -> Any:
        masked = tnp.where(x > 0, tnp.log(x), 0.0)
        return masked + tnp.arccos(x - 1.0)

    with treadle.debug_nans(), pytest.raises(NotFiniteError, match="encountered in acos"):
        treadle.jit(f)(-1.0)


def test_a_nan_that_came_in_is_said_to_have_come_in() -> None:
    with treadle.debug_nans(), pytest.raises(NotFiniteError) as caught:
        treadle.jit(lambda x, y: x + y)(1.0, np.float32(np.nan))
    assert "came in with argument 1" in "".join(caught.value.__notes__)


def test_an_operand_that_held_it_is_named() -> None:
    x = tnp.array([1.0, np.nan])
    with treadle.debug_nans(), pytest.raises(NotFiniteError, match="in add") as caught:
        tnp.ones(2) + x
    assert "  operand 1 held one already" in caught.value.__notes__


def test_callbacks_and_large_arrays_are_looked_at_too() -> None:
    def back(x: Any) -> Any:
        scalar = treadle.ShapeDtypeStruct((), "float32")
        return treadle.pure_callback(lambda _: np.float32(np.nan), scalar, x) + 1

    large = tnp.full((1200, 1000), -1.0)
    with treadle.debug_nans():
        with pytest.raises(NotFiniteError, match="in pure_callback"):
            treadle.jit(back)(1.0)
        with pytest.raises(NotFiniteError, match=r"in log: .* at index \(0, 0\), given -1"):
            tnp.log(large)


def test_functions_of_several_operations_are_looked_at_each_time() -> None:
    x = tnp.array([1.0, np.inf])
    for _ in range(4):  # the third call would run a plan of it
        tnp.var(x)
        with treadle.debug_nans(), pytest.raises(NotFiniteError, match="in subtract"):
            tnp.var(x)


def test_infinities_are_the_other_setting() -> None:
    def f(x: Any) -> Any:
        return 1 / x

    with treadle.debug_nans():
        assert np.isinf(f(tnp.zeros(())))
        assert np.isinf(treadle.jit(f)(0.0))
    with treadle.debug_infs():
        for call in (lambda: f(tnp.zeros(())), lambda: treadle.jit(f)(0.0)):
            with pytest.raises(NotFiniteError, match=r"\(inf\) encountered in divide"):
                call()
        assert np.isnan(tnp.log(-1.0))


def test_integers_and_empty_arrays_hold_neither() -> None:
    with treadle.debug_nans(), treadle.debug_infs():
        assert tnp.arange(3).sum() == 3
        assert treadle.jit(lambda x: x * 2)(tnp.zeros((0, 2))).shape == (0, 2)
        assert treadle.jit(lambda x: (x, x + 1j))(1.0)[1] == 1 + 1j


def test_the_process_and_other_threads_have_it_by_config() -> None:
    treadle.config.update("jax_debug_nans", True)
    with pytest.raises(FloatingPointError):
        tnp.log(-1.0)
    treadle.config.update("jax_debug_nans", False)
    assert np.isnan(tnp.log(-1.0))


def test_donated_arrays_are_kept_and_then_given_away_again() -> None:
    f = treadle.jit(lambda x: x + 1, donate_argnums=0)
    x, y = tnp.ones(3), tnp.ones(3)
    with treadle.debug_nans():
        f(x)
    assert not x.is_deleted()
    f(y)
    assert y.is_deleted()
