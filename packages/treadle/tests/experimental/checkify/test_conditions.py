from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, FailedCheckError, UnsupportedError
from treadle.experimental import checkify


def positive(x: Any) -> Any:
    checkify.check(x > 0, "{x} is not positive", x=x)
    return tnp.log(x)


def test_outside_of_every_transformation_it_raises_at_once() -> None:
    assert float(positive(1.0)) == 0
    with pytest.raises(FailedCheckError, match=r"-1\.0 is not positive") as raised:
        positive(-1.0)
    assert "in positive" in raised.value.__notes__[0]


@pytest.mark.parametrize(
    "transformed",
    [treadle.grad(positive), lambda x: treadle.vmap(positive)(tnp.stack([x, x]))],
    ids=["grad", "vmap"],
)
def test_also_under_transformations_that_know_the_values(transformed: Any) -> None:
    transformed(tnp.float32(2.0))
    with pytest.raises(FailedCheckError, match=r"-2\.0 is not positive"):
        transformed(tnp.float32(-2.0))


def test_what_is_compiled_must_be_transformed_first() -> None:
    with pytest.raises(UnsupportedError, match="a compiled function cannot raise") as raised:
        treadle.jit(positive)(1.0)
    assert "in positive" in raised.value.__notes__[0]


def test_a_debug_check_means_nothing_outside() -> None:
    def f(x: Any) -> Any:
        checkify.debug_check(x > 0, "{} is not positive", x)
        return x

    assert float(f(-1.0)) == -1
    assert float(treadle.jit(f)(-1.0)) == -1
    assert checkify.checkify(f)(-1.0)[0].get() == "-1.0 is not positive (`check` failed)"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1, "m"), {}, "must be a scalar boolean"),
        ((np.array([True, False]), "m"), {}, "must be a scalar boolean"),
        ((True, 3), {}, "msg must be a string"),
        ((True, "{}"), {}, r"names \{0\}, but no value"),
        ((True, "{} {1}", 2.0), {}, "no value"),
        ((True, "{a.b}"), {"c": 1}, r"names \{a\}"),
        ((True, "{"), {}, "not a format string"),
        ((True, "{}", "text"), {}, "not an array or a number"),
    ],
)
def test_wrong_arguments_are_named_at_their_line(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        checkify.check(*args, **kwargs)


def test_trees_are_formatted_by_their_parts() -> None:
    def f(x: Any) -> None:
        checkify.check(x["a"] > 3, "{d[a]:.2f} and {0[1]}", (x["a"], x["b"]), d=x)

    error, _ = checkify.checkify(f)({"a": 1.0, "b": tnp.arange(2)})
    assert error.get() == "1.00 and [0 1] (`check` failed)"


def test_an_empty_batch_has_nothing_to_check() -> None:
    error, _ = checkify.checkify(treadle.vmap(positive))(tnp.zeros((0,)))
    assert error.get() is None


def test_the_first_batch_element_that_fails_is_reported() -> None:
    error, _ = checkify.checkify(treadle.vmap(positive))(tnp.array([1.0, -2.0, -3.0]))
    assert error.get() == "-2.0 is not positive (`check` failed)"

    def late(x: Any, y: Any) -> None:
        checkify.check(y > 0, "{}", x)

    error, _ = checkify.checkify(treadle.vmap(late, (0, None)))(tnp.arange(3), 0)
    assert error.get() == "0 (`check` failed)"


def test_random_keys_are_reported() -> None:
    def f(key: Any) -> None:
        checkify.check(tnp.sum(treadle.random.key_data(key)) < 0, "bad {key}", key=key)

    key = treadle.random.key(3)
    for checked in (checkify.checkify(f), treadle.jit(checkify.checkify(f))):
        assert checked(key)[0].get() == f"bad {key} (`check` failed)"


def test_arrays_in_trees_are_shown_as_arrays() -> None:
    error, _ = checkify.checkify(lambda x: checkify.check(False, "{x}", x={"a": x}))(np.ones(2))
    assert error.get() == "{'a': Array([1., 1.], dtype=float32)} (`check` failed)"
