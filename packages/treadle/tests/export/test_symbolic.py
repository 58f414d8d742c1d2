"""Shapes with sizes that stay open: how they are made, and what a call with arrays makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export
from treadle.export import body
from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.errors import SymbolicSizeError, TreeError
from treadle_ir.rewrite.sizes import substitute

F32 = tnp.float32


def _struct(text: str, **kwargs: Any) -> treadle.ShapeDtypeStruct:
    return treadle.ShapeDtypeStruct(export.symbolic_shape(text, **kwargs), F32)


def test_shapes() -> None:
    b, n, three = export.symbolic_shape("b, 4*n + 1, 3")
    assert (str(b), str(n), three) == ("b", "4*n + 1", 3)
    assert export.is_symbolic_dim(b)
    assert not export.is_symbolic_dim(three)
    assert export.symbolic_dim_bounds(n) == (5, np.inf)
    assert export.symbolic_dim_bounds(7) == (7, 7)
    assert export.symbolic_shape(None, like=(2, 3)) == (2, 3)
    assert export.symbolic_shape("_, b", like=(2, None))[0] == 2
    (other,) = export.symbolic_shape("b", scope=b.scope)
    assert other == b


def test_scopes_and_constraints() -> None:
    scope = export.SymbolicScope(["b >= 8"])
    (b,) = export.symbolic_shape("b", scope=scope)
    assert b >= 8
    with pytest.raises(ArgumentError, match="constraints and a scope"):
        export.symbolic_shape("b", constraints=["b >= 2"], scope=scope)
    with pytest.raises(ArgumentError, match="scope must be a SymbolicScope"):
        export.symbolic_shape("b", scope=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a shape must be a string"):
        export.symbolic_shape(3)  # type: ignore[arg-type]


def test_specs_of_trees() -> None:
    args = {"x": tnp.ones((2, 3)), "y": [np.ones((4, 5), np.int32), 1.0]}
    found = export.symbolic_args_specs(args, {"x": "a, ...", "y": ["_, b", None]})
    assert [*map(str, found["x"].shape)] == ["a", "3"]
    assert [*map(str, found["y"][0].shape)] == ["4", "b"]
    assert (found["y"][0].dtype, found["y"][1].shape) == (np.int32, ())
    same = export.symbolic_args_specs((tnp.ones((2, 2)), tnp.ones((3, 1))), "a, b")
    assert same[0].shape == same[1].shape
    with pytest.raises(TreeError):
        export.symbolic_args_specs((tnp.ones(2), tnp.ones(3)), ("a",))


def test_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """One artefact, many shapes; each is compiled once."""
    traced = []

    @treadle.jit
    def function(x: Any, y: Any) -> Any:
        traced.append(x.shape)
        return {"sum": x.sum() / x.shape[0], "y": y[:-1] * 2}

    scope = export.SymbolicScope(["a >= 2"])
    exported = export.export(function)(
        _struct("a, 3", scope=scope), _struct("2*b + 1, a", scope=scope)
    )
    again = export.deserialize(exported.serialize())
    substituted: list[Any] = []

    def counted(*arguments: Any) -> Any:
        substituted.append(arguments)
        return substitute(*arguments)

    monkeypatch.setattr(body, "substitute", counted)
    assert repr(again.out_avals[1].shape) == "(2*b, a)"
    for each in (exported, again):
        for a, b in ((2, 1), (5, 3), (2, 1)):
            found = each.call(tnp.ones((a, 3)), tnp.ones((2 * b + 1, a)))
            assert float(found["sum"]) == 3
            np.testing.assert_array_equal(found["y"], np.full((2 * b, a), 2.0))
        assert len(substituted) == 2
        substituted.clear()
    assert len(traced) == 1


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (((1, 3), (3, 1)), "the constraint a >= 2 does not hold, since a is 1, b is 1"),
        (((2, 3), (4, 2)), "args[1].shape[0] is 4, which 2*b + 1 cannot be for any integer b"),
        (
            ((2, 3), (5, 3)),
            "args[1].shape[1]: the exported function expects a, which is 2 since a is 2 by ",
        ),
        (
            ((2, 4), (5, 2)),
            "Shape mismatch for args[0].shape[1]: the exported function expects 3, got 4",
        ),
        (((2, 3), (1, 2)), "args[1].shape[0] is 1, so b is 0, but sizes of names are at least 1"),
        (
            ((2, 3, 1), (5, 2)),
            "Shape mismatch for args[0]: expected (a, 3) and called with (2, 3, 1)",
        ),
    ],
)
def test_shapes_that_do_not_fit(shapes: Any, says: str) -> None:
    def function(x: Any, y: Any) -> Any:
        return x, y

    scope = export.SymbolicScope(["a >= 2"])
    specs = _struct("a, 3", scope=scope), _struct("2*b + 1, a", scope=scope)
    exported = export.export(treadle.jit(function))(*specs)
    with pytest.raises((ShapeError, ArgumentError)) as caught:
        exported.call(*map(tnp.ones, shapes))
    assert says in str(caught.value)


def test_inside_of_transformations() -> None:
    exported = export.export(treadle.jit(lambda x: tnp.sin(x).sum(0)))(_struct("b, 2"))
    again = export.deserialize(exported.serialize(vjp_order=2))
    x = tnp.arange(12.0).reshape(2, 3, 2)
    np.testing.assert_allclose(treadle.vmap(again.call)(x), np.sin(x).sum(1), atol=1e-6)
    np.testing.assert_allclose(treadle.jit(again.call)(x[0]), np.sin(x[0]).sum(0), atol=1e-6)
    second = treadle.grad(lambda x: treadle.grad(lambda y: again.call(y).sum())(x).sum())(x[0])
    np.testing.assert_allclose(second, -np.sin(x[0]), rtol=1e-6)


def test_a_call_in_another_export() -> None:
    inner = export.export(treadle.jit(lambda x: x.reshape(-1) / x.shape[0]))(
        _struct("b, 2", constraints=["b <= 10"])
    )
    with pytest.raises(ShapeError, match="the constraint b <= 10 does not hold"):
        export.export(treadle.jit(inner.call))(_struct("k, 2"))
    outer = export.export(treadle.jit(lambda x: inner.call(x) * 2))(
        _struct("3*k, 2", constraints=["k <= 3"])
    )
    assert repr(outer.out_avals[0].shape) == "(6*k,)"
    again = export.deserialize(outer.serialize())
    np.testing.assert_allclose(again.call(tnp.ones((6, 2))), np.full(12, 2 / 6), rtol=1e-6)


def test_sizes_that_shapes_do_not_tell() -> None:
    with pytest.raises(ArgumentError, match="the sizes a, b cannot be found"):
        export.export(treadle.jit(lambda x: x))(_struct("a*b"))


def test_what_needs_known_sizes() -> None:
    x = _struct("b")
    exported = export.export(treadle.jit(lambda x: x + 1))(x)
    with pytest.raises(UnsupportedError, match="mlir_module: <lambda> has symbolic sizes"):
        exported.mlir_module()
    with pytest.raises(UnsupportedError, match=r"f32\[b\] cannot be compiled"):
        treadle.jit(lambda x: x + 1).lower(x)
    with pytest.raises(SymbolicSizeError, match="symbolic dimension b was used"):
        export.export(treadle.jit(lambda x: [*x]))(x)
    with pytest.raises(UnsupportedError, match="axis 0 of f32"):
        export.export(treadle.jit(tnp.cumprod))(x).serialize(vjp_order=1)
    with pytest.raises(ShapeError, match="cannot reshape"):
        export.export(treadle.jit(lambda x: x.reshape(2, -1)))(x)
    with pytest.raises(UnsupportedError, match="arange: the step is"):
        export.export(treadle.jit(lambda x: tnp.arange(0, 9, x.shape[0])))(x)


def test_formats() -> None:
    """Artefacts without symbolic sizes stay readable for releases that know none."""
    open_size = export.export(treadle.jit(lambda x: x))(_struct("b")).serialize()
    known = export.export(treadle.jit(lambda x: x))(treadle.ShapeDtypeStruct((2,), F32)).serialize()
    assert b'"format": 2' in open_size or b'"format":2' in open_size
    assert b'"format": 1' in known or b'"format":1' in known


def test_texts_may_come_in_a_list() -> None:
    args = (tnp.ones((2, 3)), tnp.ones(2))
    of_list = export.symbolic_args_specs(args, ["b, _", "b"])
    assert isinstance(of_list, tuple)
    assert [str(spec.shape) for spec in of_list] == ["(b, 3)", "(b,)"]


def test_products_of_several_arrays_of_open_sizes() -> None:
    a, b, c = export.symbolic_shape("a, b, c")
    shapes: Any = [(a, b), (b, c), (c, a)]
    types = [treadle.ShapeDtypeStruct(shape, "float32") for shape in shapes]
    xs = [np.ones(shape, np.float32) for shape in ((2, 3), (3, 4), (4, 2))]
    for function in (
        lambda *xs: tnp.einsum("ij,jk,kl->il", *xs),
        lambda *xs: tnp.linalg.multi_dot(xs),
    ):
        exported = export.export(treadle.jit(function))(*types)
        np.testing.assert_array_equal(exported.call(*xs), np.full((2, 2), 12))


def test_sizes_of_scopes_with_different_constraints_are_not_mixed() -> None:
    (a,) = export.symbolic_shape("a", constraints=["a >= 2"])
    (other,) = export.symbolic_shape("a", constraints=["a >= 8"])
    (b,) = export.symbolic_shape("b")
    for size in (other, b):
        x, y = treadle.ShapeDtypeStruct((a,), F32), treadle.ShapeDtypeStruct((size,), F32)
        with pytest.raises(ArgumentError, match="invalid mixing of symbolic scopes"):
            export.export(treadle.jit(lambda x, y: (x, y)))(x, y)
        with pytest.raises(ArgumentError, match="of different scopes"):
            treadle.eval_shape(lambda x, y: tnp.concatenate([x, y]), x, y)
    (same,) = export.symbolic_shape("a", constraints=["a >= 2"])
    x, y = treadle.ShapeDtypeStruct((a,), F32), treadle.ShapeDtypeStruct((same,), F32)
    exported = export.export(treadle.jit(lambda x, y: x + y))(x, y)
    assert exported.call(tnp.ones(3), tnp.ones(3)).tolist() == [2.0] * 3
