"""Values of types that say themselves how vmap maps over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

from treadle_batching import register_vmappable, unregister_vmappable, vmap
from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.tree import register_pytree_node

ROWS: Final = np.arange(6.0).reshape(2, 3)


class Table:
    """A value, no node of trees."""

    def __init__(self, cells: Any) -> None:
        self.cells = cells


class Node(Table):
    """A value that is a node of trees, too."""


register_pytree_node(Node, lambda node: ((node.cells,), None), lambda _, cells: Node(*cells))


class Along:
    """Which axis of the cells."""

    def __init__(self, axis: int | None) -> None:
        self.axis = axis


def along(axis: int | None) -> Any:
    """Make a spec, as it is used among integers."""
    return Along(axis)


SPECS: Final[list[Any]] = []


def _axis(spec: Along | int | None) -> int | None:
    SPECS.append(spec)
    return spec.axis if isinstance(spec, Along) else spec


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    for kind in (Table, Node):

        def to_elt(of_part: Any, _: Any, value: Any, spec: Any, kind: Any = kind) -> Any:
            return kind(of_part(value.cells, _axis(spec)))

        def from_elt(of_part: Any, size: int, value: Any, spec: Any, kind: Any = kind) -> Any:
            return kind(of_part(size, value.cells, _axis(spec)))

        register_vmappable(kind, Along, int, to_elt, from_elt, None)
    yield
    SPECS.clear()
    unregister_vmappable(Table)
    unregister_vmappable(Node)


@pytest.mark.parametrize("kind", [Table, Node])
def test_specs_say_which_axes(kind: type[Table]) -> None:
    def scaled(table: Table, number: Any) -> Table:
        assert table.cells.shape == (2,)
        return kind(
            ops.multiply(table.cells, ops.broadcast_in_dim(number, shape=(2,), dimensions=()))
        )

    mapped = vmap(scaled, in_axes=(along(1), 0), out_axes=along(-1))
    found = mapped(kind(ROWS), np.arange(3.0))
    np.testing.assert_array_equal(found.cells, ROWS * np.arange(3.0))
    assert type(found) is kind


def test_in_trees_with_arrays() -> None:
    def swapped(tree: dict[str, Any]) -> dict[str, Any]:
        return {"table": Table(tree["array"]), "array": tree["tables"][1].cells}

    tree = {"tables": (Node(ROWS), Table(ROWS)), "array": ROWS}
    found = vmap(
        swapped,
        in_axes=({"tables": along(0), "array": 0},),
        out_axes={"table": along(1), "array": 0},
    )(tree)
    np.testing.assert_array_equal(found["table"].cells, ROWS.T)
    np.testing.assert_array_equal(found["array"], ROWS)


def test_integers_and_none_reach_the_functions() -> None:
    def first(table: Table, _: object) -> Table:
        return Table(table.cells)

    vmap(first)(Table(ROWS), np.arange(2.0))
    assert SPECS == [0, 0]
    SPECS.clear()
    shared = vmap(first, in_axes=(None, 0), out_axes=None)(Table(ROWS), np.arange(2.0))
    assert SPECS == [None, None]
    np.testing.assert_array_equal(shared.cells, ROWS)
    by_name = vmap(lambda array, *, table: Table(table.cells))(np.arange(2.0), table=Table(ROWS))
    np.testing.assert_array_equal(by_name.cells, ROWS)


def test_what_is_shared_is_repeated_in_results() -> None:
    found = vmap(lambda _: Table(np.ones(2)), out_axes=along(0))(np.arange(3.0))
    np.testing.assert_array_equal(found.cells, np.ones((3, 2)))


def test_one_spec_for_all_needs_a_size() -> None:
    def cells(table: Table) -> Array:
        result: Array = table.cells
        return result

    with pytest.raises(ShapeError, match="pass axis_size"):
        vmap(cells, in_axes=along(0))(Table(ROWS))
    found = vmap(cells, in_axes=along(1), axis_size=3)(Table(ROWS))
    np.testing.assert_array_equal(found, ROWS.T)


def test_vmaps_in_vmaps() -> None:
    def negative(table: Table) -> Table:
        assert table.cells.shape == ()
        return Table(ops.negate(table.cells))

    rows = vmap(negative, in_axes=along(0), out_axes=along(0), axis_size=2)
    found = vmap(rows, in_axes=along(1), out_axes=along(0), axis_size=3)(Table(ROWS))
    np.testing.assert_array_equal(found.cells, -ROWS.T)


def test_values_in_values() -> None:
    found = vmap(lambda table, _: Table(Table(table.cells.cells)))(
        Table(Table(ROWS)), np.arange(2.0)
    )
    np.testing.assert_array_equal(found.cells.cells, ROWS)


def test_functions_compute() -> None:
    def to_elt(of_part: Any, index: Any, value: Table, _: object) -> Table:
        return Table(
            ops.add(of_part(value.cells, 0), ops.convert(index(), dtype=np.dtype(np.float64)))
        )

    def from_elt(of_part: Any, size: int, value: Table, _: object) -> list[Any]:
        return [size, of_part(size, ops.negate(value.cells), 0)]

    register_vmappable(Table, Along, int, to_elt, from_elt, None)
    found: Any = vmap(lambda table, _: Table(table.cells))(Table(np.ones(2)), np.arange(2.0))
    assert found[0] == 2
    np.testing.assert_array_equal(found[1], [-1.0, -2.0])


def test_refusals() -> None:
    def cells(table: Table, _: object) -> Any:
        return table.cells

    with pytest.raises(ShapeError, match="to_elt maps over axis 5 of an array that has 2 axes"):
        vmap(cells, in_axes=(along(5), 0))(Table(ROWS), np.arange(2.0))
    with pytest.raises(ShapeError, match="the number of batch elements is 2"):
        vmap(cells, in_axes=(along(1), 0))(Table(ROWS), np.arange(2.0))
    with pytest.raises(ArgumentError, match="to_elt gives 'text'"):
        vmap(cells)(Table("text"), np.arange(2.0))
    with pytest.raises(ArgumentError, match="from_elt gives 'text'"):
        vmap(lambda _: Table("text"))(np.arange(2.0))
    with pytest.raises(ShapeError, match="differs between them"):
        vmap(Table, out_axes=along(None))(np.arange(2.0))
    with pytest.raises(ShapeError, match="must be integers or None"):
        vmap(ops.negate, in_axes=(along(0),))(ROWS)
    with pytest.raises(ArgumentError, match="a class"):
        register_vmappable(3, Along, int, cells, cells, None)  # type: ignore[arg-type]


def test_not_registered_any_more() -> None:
    unregister_vmappable(Table)
    unregister_vmappable(Table)
    with pytest.raises(ArgumentError, match="no axis to map over"):
        vmap(lambda table: table.cells)(Table(ROWS))
