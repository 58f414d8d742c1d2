"""What a traced call tells about itself: donation, static values, costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.events import DonationRefused, listening
from treadle_runtime import Donation, jit

ONES = np.ones(3, np.float32)


def add(x: Any, y: Any) -> Any:
    return ops.add(x, y)


def facts(given: tuple[Donation, ...]) -> list[tuple[str, int | None, str]]:
    return [(each.argument, each.result, each.refusal) for each in given]


def test_donation_by_path() -> None:
    traced = jit(add, donate_argnums=(0, 1)).trace(ONES, ONES)
    assert facts(traced.donation(["x", "y"])) == [("x", 0, ""), ("y", None, "count")]
    assert facts(traced.donation()) == [("0", 0, ""), ("1", None, "count")]


@pytest.mark.parametrize(
    ("donate", "refusals"),
    [
        ({"donate_argnums": 1}, [("y", None, "keyword")]),
        ({"donate_argnums": 1, "donate_argnames": "y"}, [("y", 0, "")]),
        ({"donate_argnums": 0}, [("x", 0, "")]),
        ({}, []),
    ],
)
def test_donation_of_keywords(donate: dict[str, Any], refusals: list[object]) -> None:
    traced = jit(add, **donate).trace(ONES, y=ONES)
    assert facts(traced.donation(["x", "y"])) == refusals


def test_types_and_shapes_that_no_result_has() -> None:
    def both(state: Any) -> Any:
        return ops.convert(state["a"], dtype=np.dtype("int32")), state["c"]

    state = {"a": ONES, "b": np.ones((2, 2), np.float32), "c": np.ones(5, np.float32)}
    traced = jit(both, donate_argnums=0).trace(state)
    found = traced.donation(["state"])
    assert facts(found) == [
        ("state['a']", None, "element type"),
        ("state['b']", None, "shape"),
        ("state['c']", 1, ""),
    ]
    assert [str(each) for each in found[0].others] == ["i32[3]"]


def test_an_event_for_each_array_that_keeps_its_memory() -> None:
    heard: list[Any] = []
    function = jit(add, donate_argnums=(0, 1))
    with listening(heard.append), pytest.warns(UserWarning, match="not usable"):
        function.trace(ONES, ONES).lower()
    (event,) = [each for each in heard if isinstance(each, DonationRefused)]
    assert (event.name, event.function, event.argument) == ("add", add, "y")
    assert event.place.function == "test_an_event_for_each_array_that_keeps_its_memory"


def test_no_event_without_donation() -> None:
    heard: list[Any] = []
    with listening(heard.append):
        jit(add).trace(ONES, ONES).lower()
    assert not [each for each in heard if isinstance(each, DonationRefused)]


def test_static_values() -> None:
    def scaled(x: Any, n: int, *, mode: str = "a") -> Any:
        return ops.multiply(x, np.float32(n))

    traced = jit(scaled, static_argnums=1, static_argnames="mode").trace(ONES, 3, mode="b")
    assert traced.static_values(["x", "n"]) == {"n": 3, "mode": "b"}
    assert traced.static_values() == {"1": 3, "mode": "b"}
    assert jit(add).trace(ONES, ONES).static_values(["x", "y"]) == {}


def test_costs() -> None:
    (cost,) = jit(add).trace(ONES, ONES).costs
    assert (cost.flops, cost.bytes, cost.exact) == (3, 36, True)
