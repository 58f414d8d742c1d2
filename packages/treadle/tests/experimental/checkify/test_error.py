from __future__ import annotations

from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import (
    ArgumentError,
    CheckError,
    ConcretizationError,
    DivisionByZeroError,
    OutOfBoundsError,
)
from treadle.experimental import checkify


def f(x: Any) -> Any:
    checkify.check(x > 0, "{} is not positive", x)
    return 1 / tnp.arange(3.0)[tnp.int32(x)]


checked = checkify.checkify(f, errors=checkify.all_checks)


def test_each_category_has_a_class() -> None:
    checked(1.0)[0].throw()
    with pytest.raises(CheckError, match="not positive"):
        checked(-2.0)[0].throw()
    with pytest.raises(IndexError, match="index 7"):
        checked(7.0)[0].throw()
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        checked(0.5)[0].throw()
    assert issubclass(OutOfBoundsError, checkify.JaxRuntimeError)
    assert issubclass(DivisionByZeroError, ValueError)


def test_an_error_is_a_tree_of_arrays() -> None:
    error, _ = treadle.jit(checked)(-2.0)
    leaves, structure = treadle.tree.flatten(error)
    assert treadle.tree.unflatten(structure, leaves).get() == error.get()
    assert repr(error) == "Error(-2.0 is not positive (`check` failed))"
    assert treadle.jit(lambda e: e)(error).get() == error.get()
    assert checkify.init_error.get() is None
    checkify.init_error.throw()


def test_batches_of_batches_name_both_indices() -> None:
    error, _ = treadle.vmap(treadle.vmap(checkify.checkify(f)))(
        tnp.array([[1.0, 2.0], [2.0, -1.0]])
    )
    assert error.get() == "at mapped index 1, 1: -1.0 is not positive (`check` failed)"
    with pytest.raises(CheckError, match="mapped index 1, 1"):
        error.throw()


def test_errors_of_errors() -> None:
    def outer(x: Any) -> Any:
        error, y = checked(x)
        checkify.check_error(error)
        return y

    wanted = checkify.user_checks | checkify.index_checks
    assert checkify.checkify(outer, errors=wanted)(-2.0)[0].get() == checked(-2.0)[0].get()
    assert (
        treadle.jit(checkify.checkify(outer, errors=wanted))(9.0)[0].get() == checked(9.0)[0].get()
    )
    assert checkify.checkify(outer)(9.0)[0].get() is None  # indices are not asked for
    with pytest.raises(CheckError, match="not positive"):
        outer(-2.0)

    def batched(xs: Any) -> None:
        errors, _ = treadle.vmap(checked)(xs)
        checkify.check_error(errors)

    error, _ = checkify.checkify(batched)(tnp.array([1.0, -3.0, -4.0]))
    assert error.get() == "-3.0 is not positive (`check` failed)"


def test_a_traced_error_cannot_be_looked_at() -> None:
    def outer(x: Any) -> Any:
        error, y = checked(x)
        assert "traced" in repr(error)
        error.throw()
        return y

    with pytest.raises(ConcretizationError, match="whether something failed"):
        treadle.jit(outer)(1.0)


def test_check_error_takes_errors() -> None:
    with pytest.raises(ArgumentError, match="an `Error`"):
        checkify.check_error("text")  # type: ignore[arg-type]
