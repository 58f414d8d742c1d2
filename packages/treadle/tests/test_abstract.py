"""Programs seen without running them."""

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, UnsupportedError


def test_axes_that_a_program_names() -> None:
    made = treadle.make_jaxpr(lambda x: lax.psum(x, "i") / lax.axis_size("i"), axis_env=[("i", 4)])
    program = made(1.0)
    assert "'i'" in str(program) or '"i"' in str(program)
    with pytest.raises(NameError):
        treadle.make_jaxpr(lambda x: lax.psum(x, "i"))(1.0)


def test_axes_are_pairs() -> None:
    mistakes: list[Any] = [["i"], [("i", -1)], [("i",)]]
    for wrong in mistakes:
        with pytest.raises(treadle.errors.ArgumentError, match="each of axis_env"):
            treadle.make_jaxpr(lambda x: x, axis_env=wrong)(1.0)


@pytest.mark.parametrize("make", [treadle.make_jaxpr, treadle.xla_computation])
def test_static_arguments_are_those_that_are_named(make: Any) -> None:
    """None of another number is static, where a call leaves one out or there is no such argument."""
    seen: list[Any] = []

    def f(x: Any, n: int = 2) -> Any:
        seen.extend([x, n])
        return x * n

    for number in (1, -1, (1,)):
        make(f, static_argnums=number)(3.0)
        make(f, static_argnums=number)(3.0, 4)
    assert seen[1::2] == [2, 4] * 3
    assert all(isinstance(x, treadle.core.Tracer) for x in seen[::2])

    def several(*xs: Any) -> Any:
        seen.extend(xs)
        return xs[0]

    make(several, static_argnums=(1, 3))(1.0, 2.0)
    assert isinstance(seen[-2], treadle.core.Tracer)
    assert seen[-1] == 2.0
    nothing: list[Any] = [None, (), set()]
    for none in nothing:
        make(f, static_argnums=none)(3.0, 4.0)
        assert all(isinstance(x, treadle.core.Tracer) for x in seen[-2:])
    for second in ({1}, (np.int64(1), 1)):
        make(f, static_argnums=second)(3.0, 4)
        assert seen[-1] == 4
    for wrong in (2, -3, (0, 5)):
        with pytest.raises(ValueError, match="only accepts 2 positional arguments"):
            make(f, static_argnums=wrong)


def test_references_are_not_written() -> None:
    ref, closed = treadle.new_ref(1.0), treadle.new_ref(tnp.ones(2))

    def f(ref: Any, x: Any) -> Any:
        ref[...] = 5.0
        closed[...] = closed[...] * x
        return ref[...] + x, closed[...]

    one, two = treadle.eval_shape(f, ref, 2.0)
    assert (one.shape, two.shape) == ((), (2,))
    assert ref[...] == 1
    assert closed[...].sum() == 2
    inside = treadle.jit(lambda r: (treadle.eval_shape(f, r, 2.0)[0].shape, r[...])[1])
    assert inside(ref) == 1


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.float32, "float32", tnp.float32, float])
def test_whatever_has_a_shape_and_an_element_type_stands_for_an_array(dtype: Any) -> None:
    class Described:
        shape = (2, 3)

    described = Described()
    described.dtype = dtype  # type: ignore[attr-defined]
    found = treadle.eval_shape(lambda x: x.sum(0), described)
    assert (found.shape, found.dtype) == ((3,), np.float32)
    assert treadle.make_jaxpr(lambda x: x.T)(described).out_avals[0].shape == (3, 2)
    with pytest.raises(ArgumentError, match="is not a valid treadle type"):
        treadle.jit(lambda x: x)(described)


def test_described_references() -> None:
    def f(ref: treadle.Ref, x: treadle.Array, other: treadle.Ref) -> tuple[treadle.Array, ...]:
        ref[...] = x + other[0]
        return ref[...] * 2, other[...]

    ref = treadle.ShapeDtypeStruct((3,), "float32", is_ref=True)
    found = treadle.eval_shape(f, ref, tnp.ones(3), treadle.new_ref(tnp.ones(2)))
    assert [each.shape for each in found] == [(3,), (2,)]
    assert not found[0].is_ref
    with pytest.raises(UnsupportedError, match="a reference can only be described"):
        treadle.jit(lambda r: r[...]).lower(ref)
    program = treadle.make_jaxpr(lambda r: r[...])(ref)
    assert [each.shape for each in program.in_avals] == [(3,)]


def test_results_over_the_mesh_of_an_argument() -> None:
    mesh = treadle.make_mesh((1,), ("x",), axis_types=(treadle.sharding.AxisType.Explicit,))
    rows = treadle.sharding.NamedSharding(mesh, treadle.P("x"))
    x = treadle.device_put(tnp.ones((4, 2)), rows)
    found = treadle.eval_shape(lambda x: x.sum(1), x).sharding
    assert found.spec == treadle.P("x")
    assert found.mesh.axes == mesh.axes
    with treadle.set_mesh(mesh):
        assert treadle.eval_shape(lambda x: x.sum(1), x).sharding.spec == treadle.P("x")
