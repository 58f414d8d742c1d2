"""Shardings are drawn, and given to functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec, PlacementError
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


def test_under_jit_the_constraint_is_what_is_known() -> None:
    seen: list[Any] = []
    sharding = NamedSharding(Mesh(devices(), ("x",)), PartitionSpec(None, "x"))

    def constrained(x: Any) -> Any:
        y = with_sharding_constraint(x, sharding)
        inspect_array_sharding(y, callback=seen.append)
        return y

    found = jit(constrained)(np.ones((2, 3)))
    assert len(seen) == 1
    assert seen[0].is_equivalent_to(sharding, 2)
    assert found.sharding.is_equivalent_to(sharding, 2)

    def looked(x: Any) -> Any:
        inspect_array_sharding(with_sharding_constraint(x, sharding) + 1, callback=seen.append)
        return x

    for call in (looked, lambda x: inspect_array_sharding(x, callback=seen.append)):
        with pytest.raises(PlacementError, match="decided by the compiler"):
            jit(call)(np.ones((2, 3)))
    assert len(seen) == 1


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
