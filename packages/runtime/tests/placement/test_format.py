"""Formats: what they take, which arrays have, and orders within compiled programs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    ArgumentError,
    AxisType,
    PartitionSpec,
    ShapeError,
    TreadleError,
    UnsupportedError,
    ops,
)
from treadle_runtime import (
    Format,
    Layout,
    NamedSharding,
    ShapeDtypeStruct,
    device_put,
    from_host,
    jit,
    make_array_from_callback,
    make_mesh,
    with_layout_constraint,
)
from treadle_runtime.placement.current_mesh import set_mesh

X = from_host(np.arange(6, dtype=np.float32).reshape(2, 3))
HERE = X.sharding
WRONG: Any = 3
WORD: Any = "x"
ROWS, COLUMNS = Layout((0, 1)), Layout((1, 0))


def test_what_a_layout_says() -> None:
    assert Layout([1, 0]) == COLUMNS != ROWS  # type: ignore[arg-type]
    assert repr(COLUMNS) == (
        "Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)"
    )
    assert Layout((1, 0), [[8, 128]]).tiling == ((8, 128),)  # type: ignore[arg-type]
    assert repr(Layout.AUTO) == "AUTO"
    for each in (Format(Layout.AUTO), Format(), Format(COLUMNS, HERE)):
        assert pickle.loads(pickle.dumps(each)) == each


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Layout(WRONG), ArgumentError),
        (lambda: Layout((0, 1), WRONG), ArgumentError),
        (lambda: Layout((0, 1), ((1,),), WORD), ArgumentError),
        (lambda: Format(COLUMNS), ArgumentError),
        (lambda: Format(WRONG, HERE), ArgumentError),
        (lambda: Format(ROWS, WRONG), ArgumentError),
        (lambda: device_put(X, Format(COLUMNS, HERE)), UnsupportedError),
        (lambda: device_put(X, Format(Layout((0, 1), ((8, 128),)), HERE)), UnsupportedError),
        (lambda: device_put(X, Format(Layout((0,)), HERE)), ShapeError),
        (lambda: jit(lambda x: x, out_shardings=Format(COLUMNS, HERE)), UnsupportedError),
        (lambda: jit(lambda x: x, in_shardings=(Format(COLUMNS, HERE),)), UnsupportedError),
        (lambda: ShapeDtypeStruct((2, 3), "f4", sharding=Format(COLUMNS, HERE)), UnsupportedError),
        (
            lambda: make_array_from_callback((2, 3), Format(COLUMNS, HERE), lambda i: X[i]),
            UnsupportedError,
        ),
        (lambda: with_layout_constraint(X, None), ArgumentError),
        (lambda: with_layout_constraint(X, Layout.AUTO), ArgumentError),
        (lambda: with_layout_constraint([X, X], [COLUMNS, None]), ArgumentError),
        (lambda: with_layout_constraint(X, Layout((0,))), ShapeError),
        (lambda: with_layout_constraint(X, Layout((0, 0))), ShapeError),
        (lambda: with_layout_constraint(X, Layout((1, 0), ((8, 128),))), UnsupportedError),
        (lambda: with_layout_constraint("x", Layout(())), ArgumentError),
    ],
)
def test_what_is_refused(call: Callable[[], Any], error: type[TreadleError]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("layout", [None, Layout.AUTO, ROWS])
def test_formats_that_arrays_have(layout: Any) -> None:
    format = Format(layout, HERE)
    put = device_put(X, format)
    assert put.committed
    assert put.format == X.format == Format(Layout((0, 1), ()), HERE)
    f = jit(lambda x: ops.add(x, x), in_shardings=format, out_shardings=format)
    assert f(X).tolist() == [[0, 2, 4], [6, 8, 10]]
    compiled = f.lower(ShapeDtypeStruct((2, 3), np.float32, sharding=format)).compile()
    assert compiled.input_formats == ((X.format,), {})
    assert compiled.output_formats == X.format


def test_the_compiler_obeys_within_a_program() -> None:
    def text(layout: Layout) -> str:
        function = jit(lambda x: ops.sine(with_layout_constraint(ops.cosine(x), layout)))
        assert np.allclose(function(X), np.sin(np.cos(np.asarray(X))), rtol=1e-6)
        found: str = function.lower(X).compile().as_text()
        return found

    assert "f32[2,3]{0,1}" in text(COLUMNS)
    assert "f32[2,3]{0,1}" not in text(ROWS)


def test_trees_of_arrays() -> None:
    tree: Any = {"a": X, "b": (X, X)}
    for layouts in (COLUMNS, {"a": COLUMNS, "b": ROWS}):
        found = with_layout_constraint(tree, layouts)
        assert found["b"][1].tolist() == X.tolist()
        assert found["a"].format == X.format  # outside of programs arrays stay row-major


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_over_several_devices(kind: AxisType) -> None:
    mesh = make_mesh((2,), ("x",), axis_types=(kind,))
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    x = device_put(np.arange(12, dtype=np.float32).reshape(4, 3), Format(ROWS, sharding))
    f = jit(lambda x: ops.negate(with_layout_constraint(ops.square(x), COLUMNS)))
    with set_mesh(mesh):
        found = f(x)
    assert np.array_equal(found, -(np.asarray(x) ** 2))
    assert found.sharding.is_equivalent_to(sharding, 2)


def test_layouts_changed_and_compared_with_shapes() -> None:
    layout = Layout((0, 1), ())
    assert layout.update(major_to_minor=(1, 0)) == Layout((1, 0), ())
    layout.check_compatible_aval((2, 3))
    with pytest.raises(ShapeError, match="is for 2 axes, but the array has 1"):
        layout.check_compatible_aval((2,))
