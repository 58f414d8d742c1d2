from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError, ArrayType
from treadle_runtime import (
    DeviceArray,
    StaticArgumentError,
    default_device,
    devices,
    from_host,
    jit,
)
from treadle_runtime.signature import Split, abstract_key, as_argument, name_of, take_apart

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def test_numbers_are_transferred_once() -> None:
    assert as_argument(2.5) is as_argument(2.5)
    assert as_argument(1).dtype == np.int32
    assert as_argument(1.0).dtype == np.float32
    assert as_argument(True).dtype == np.bool_
    assert math.copysign(1, float(as_argument(-0.0))) == -1
    assert math.copysign(1, float(as_argument(0.0))) == 1
    with default_device(devices()[1]):
        assert as_argument(2.5).device is devices()[1]


def test_a_donated_number_comes_back() -> None:
    f = jit(lambda x: ops.add(x, x), donate_argnums=0)
    assert [float(f(1.25)), float(f(1.25))] == [2.5, 2.5]


def test_integers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OverflowError):
        as_argument(2**40)


def test_arguments_are_rebuilt_as_they_were() -> None:
    split = Split(static_argnums=(1,), static_argnames=frozenset({"n"}))
    given = take_apart(split, "f", ({"a": 1.0}, "static", [2.0]), {"n": 3, "x": 4.0})
    assert given.leaves == [1.0, 2.0, 4.0]
    assert given.rebuilt([*given.leaves]) == (({"a": 1.0}, "static", [2.0]), {"n": 3, "x": 4.0})
    assert given.paths() == ["argument 0['a']", "argument 2[0]", "argument x"]


def test_donated_leaves_by_position_and_name() -> None:
    split = Split(donate_argnums=(1,), donate_argnames=frozenset({"z"}))
    given = take_apart(split, "f", (1.0, [2.0, 3.0]), {"y": 4.0, "z": {"a": 5.0}})
    assert [given.leaves[i] for i in given.donated()] == [2.0, 3.0, 5.0]
    assert take_apart(split, "f", (1.0,), {}).donated() == []


def test_a_hash_that_fails_is_named() -> None:
    class Broken:
        def __hash__(self) -> int:
            raise RuntimeError("no")

    with pytest.raises(StaticArgumentError, match="RuntimeError: no"):
        take_apart(Split(static_argnums=(0,)), "f", (Broken(),), {})


def test_keys_of_what_has_no_elements() -> None:
    x = from_host(np.ones(2, "f4"))
    assert abstract_key(x) is x.type
    assert abstract_key(np.ones(2)) is ArrayType((2,), np.dtype("f4"))
    assert abstract_key(2).weak  # type: ignore[union-attr]
    with pytest.raises(ArgumentError):
        abstract_key("text")


def test_names() -> None:
    import functools  # noqa: PLC0415

    def f(x: DeviceArray) -> DeviceArray:
        return x

    assert name_of(f) == "f"
    assert name_of(functools.partial(f)) == "f"
    assert name_of(Split()) == "Split"
