"""Shardings are drawn, and given to functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec, ops
from treadle_runtime import (
    Mesh,
    NamedSharding,
    device_put,
    devices,
    inspect_array_sharding,
    jit,
    visualize_array_sharding,
    visualize_sharding,
    with_sharding_constraint,
)


def test_an_array_is_drawn_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    visualize_array_sharding(device_put(np.ones((2, 2)), devices()[1]))
    assert capsys.readouterr().out == "+-------+\n| CPU 1 |\n+-------+\n"


def test_a_cell_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    mesh = Mesh(devices(), ("x",))
    visualize_sharding((3,), NamedSharding(mesh, PartitionSpec("x")))
    visualize_sharding((3, 2), NamedSharding(mesh, PartitionSpec("x")))
    visualize_array_sharding(device_put(np.ones((3, 2)), NamedSharding(mesh, PartitionSpec())))
    line, row = "+-------+", "| CPU {} |"
    columns = [line + line[1:] * 2, "| CPU 0 | CPU 1 | CPU 2 |", line + line[1:] * 2]
    rows = [line, *[text for number in range(3) for text in (row.format(number), line)]]
    whole = ["+-----------+", "| CPU 0,1,2 |", "+-----------+"]
    assert capsys.readouterr().out.splitlines() == [*columns, *rows, *whole]


def test_widths(capsys: pytest.CaptureFixture[str]) -> None:
    sharding = device_put(np.ones(3)).sharding
    visualize_sharding((3,), sharding, min_width=20)
    visualize_sharding((3,), sharding, max_width=6)
    wide, narrow = capsys.readouterr().out.splitlines()[1::3]
    assert len(wide) == 20
    assert len(narrow) == 6


def test_shardings_are_given_to_a_function() -> None:
    seen: list[Any] = []
    x = device_put(np.ones(3), NamedSharding(Mesh(devices(), ("x",)), PartitionSpec("x")))
    inspect_array_sharding({"a": x, "b": [x]}, callback=seen.append)
    assert seen == [x.sharding] * 2


def looked_at(function: Any, *args: Any) -> tuple[Any, list[Any]]:
    """The results of a jitted function that is given `look`, and what it has seen."""
    seen: list[Any] = []

    def look(x: Any) -> None:
        inspect_array_sharding(x, callback=seen.append)

    traced = jit(lambda *args: function(look, *args))
    results = traced(*args)
    count = len(seen)
    traced(*args)
    assert len(seen) == count  # compiled once
    return results, seen


def over(*spec: Any) -> NamedSharding:
    """Over three devices in a row."""
    return NamedSharding(Mesh(devices(), ("x",)), PartitionSpec(*spec))


def test_the_compiler_reports_the_sharding_of_traced_arrays() -> None:
    def function(look: Any, x: Any) -> Any:
        y = ops.sine(x)
        look({"y": y, "total": ops.reduce_add(y, axes=(0, 1))})
        return y

    x = device_put(np.ones((3, 6), "f4"), over("x"))
    result, seen = looked_at(function, x)
    assert [each.spec for each in seen] == [
        PartitionSpec(),  # trees have their keys in order
        PartitionSpec("x"),
    ]
    assert all(each.mesh == x.sharding.mesh for each in seen)
    assert seen[1].is_equivalent_to(result.sharding, 2)


def test_a_constraint_is_seen() -> None:
    def function(look: Any, x: Any) -> Any:
        y = with_sharding_constraint(x, over(None, "x"))
        look(y)
        return y

    result, seen = looked_at(function, np.ones((2, 3), "f4"))
    assert [each.spec for each in seen] == [PartitionSpec(None, "x")]
    assert seen[0].is_equivalent_to(result.sharding, 2)


def test_arrays_of_one_device_are_there() -> None:
    _, seen = looked_at(lambda look, x: look(x), device_put(np.ones(3, "f4"), devices()[1]))
    assert [each.device for each in seen] == [devices()[1]]


def test_unused_values_are_inspected_too() -> None:
    def function(look: Any, x: Any) -> Any:
        look(ops.cosine(x))
        return x

    _, seen = looked_at(function, device_put(np.ones(3, "f4"), over("x")))
    assert [each.spec for each in seen] == [PartitionSpec("x")]


def test_words_of_a_key() -> None:
    keys = ops.random_wrap(np.zeros((3, 2), "u4"))
    _, seen = looked_at(lambda look, keys: look(keys), device_put(keys, over("x")))
    assert [each.spec for each in seen] == [PartitionSpec("x")]


def test_what_a_callback_raises_comes_out() -> None:
    def refuse(sharding: Any) -> None:
        raise KeyError("no")

    def function(x: Any) -> Any:
        inspect_array_sharding(ops.sine(x), callback=refuse)
        return x

    for where in (over("x"), devices()[0]):
        with pytest.raises(KeyError, match="no"):
            jit(function)(device_put(np.ones(3, "f4"), where))


def test_what_cannot_be_drawn() -> None:
    sharding = device_put(np.ones(3)).sharding
    for call in (
        lambda: visualize_sharding((), sharding),
        lambda: visualize_sharding((1, 2, 3), sharding),
        lambda: visualize_sharding((1,), 3),  # type: ignore[arg-type]
        lambda: visualize_array_sharding(3),
        lambda: inspect_array_sharding("x", callback=print),
        lambda: inspect_array_sharding(device_put(1.0), callback=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(ArgumentError):
            call()
