from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import core, lax
from treadle.errors import ArgumentError, ShapeError, TreadleError
from treadle.sharding import PartitionSpec as P


def test_a_staged_function_can_be_run_and_transformed() -> None:
    captured = tnp.arange(3.0)
    made = treadle.make_jaxpr(lambda x: (tnp.sin(x) * captured, x))(captured)

    def run(x: Any) -> Any:
        return core.eval_jaxpr(made, made.consts, x)[0].sum()

    x = tnp.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(run(x), (np.sin(x) * np.arange(3)).sum(), rtol=1e-6)
    np.testing.assert_allclose(treadle.jit(run)(x), run(x), rtol=1e-6)
    np.testing.assert_allclose(treadle.grad(run)(x), np.cos(x) * np.arange(3), rtol=1e-6)
    assert len(core.eval_jaxpr(made.program, made.consts, x)) == 2


def test_programs_are_run_with_their_own_types() -> None:
    made = treadle.make_jaxpr(lambda x: x + 1)(tnp.zeros(3))
    with pytest.raises(ArgumentError, match="takes 1 arrays, but got 0 constants and 2 arguments"):
        core.eval_jaxpr(made, [], 1.0, 2.0)
    with pytest.raises(ShapeError, match=r"array 0 is f32\[2\]"):
        core.eval_jaxpr(made, [], tnp.zeros(2))
    with pytest.raises(ArgumentError, match="make_jaxpr"):
        core.eval_jaxpr(3, [])  # type: ignore[arg-type]


def test_operations_run_at_once_in_the_eval_context() -> None:
    seen = []

    def f(x: Any) -> Any:
        with core.eval_context():
            seen.append(float(tnp.sin(0.5)))
        return x

    treadle.jit(f)(1.0)
    assert seen == [pytest.approx(np.sin(0.5))]


def test_names_of_types() -> None:
    assert isinstance(tnp.ones(3).aval, core.AbstractValue)
    assert (core.max_dim(2, 3), core.min_dim(2, 3)) == (3, 2)
    with pytest.raises(ArgumentError, match="max_dim"):
        core.max_dim(2.5, 3)  # type: ignore[arg-type]


def test_types_say_over_which_axes_a_value_varies() -> None:
    seen: dict[str, core.ShapedArray] = {}

    def part(x: Any, y: Any) -> Any:
        summed = lax.scan(
            lambda c, row: (c + row, None), lax.pcast(tnp.zeros(3), "x", to="varying"), x
        )[0]
        values = {"x": x, "y": y, "both": x * y, "sum": lax.psum(x, "x"), "scan": summed}
        values["cast"] = lax.pcast(y, ("x", "y"), to="varying")
        values["gradient"] = treadle.grad(lambda y: (x * y).sum())(y)
        seen.update({name: treadle.typeof(value) for name, value in values.items()})
        return x * y

    mesh = treadle.make_mesh((1, 1), ("x", "y"))
    for wrap in (lambda f: f, treadle.jit):
        seen.clear()
        wrap(treadle.shard_map(part, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x")))(
            tnp.ones((2, 3)), 2.0
        )
        assert {name: {*type.vma} for name, type in seen.items()} == {
            "x": {"x"},
            "y": set(),
            "both": {"x"},
            "sum": set(),
            "scan": {"x"},
            "cast": {"x", "y"},
            "gradient": set(),
        }
    assert seen["x"].mat == core.ManualAxisType(varying=frozenset({"x"}))
    assert repr(seen["cast"]) == "ShapedArray(float32[]{V:x,y}, weak_type=True)"
    assert str(seen["cast"]) == "~float32[]{V:x,y}"
    assert seen["x"] != seen["x"].update(vma=()) == treadle.typeof(tnp.ones((2, 3)))
    assert treadle.typeof(2.0).vma == frozenset()


def test_the_axes_over_which_values_differ() -> None:
    i, j = frozenset("i"), frozenset("j")
    axes = core.ManualAxisType(varying=i, unreduced=j, reduced=j)
    assert axes.vur == {"i", "j"}
    assert not axes.empty
    assert axes.update(unreduced=set(), reduced=set()) == core.ManualAxisType(varying=i)
    assert repr(core.ManualAxisType(varying=i)) == (
        "ManualAxisType(varying=frozenset({'i'}), unreduced=frozenset(), reduced=frozenset())"
    )
    for wrong in ({"varying": "i"}, {"varying": {"i"}, "reduced": {"i"}}, {"unreduced": 3}):
        with pytest.raises(ValueError, match="ManualAxisType"):
            core.ManualAxisType(**wrong)


def test_tangents_are_sharded_as_their_primals() -> None:
    with treadle.set_mesh(treadle.make_mesh((1,), ("rows",))):
        x = treadle.typeof(treadle.reshard(tnp.ones((8, 4)), P("rows")))
        assert x.to_tangent_aval() == x.to_ct_aval() == x
        assert x.to_tangent_aval().sharding == x.sharding
        whole = treadle.typeof(treadle.reshard(tnp.arange(8), P("rows"))).to_tangent_aval()
        assert str(whole) == "float0[8@rows]"


def test_what_is_traced_is_a_tracer() -> None:
    def look(x: Any) -> Any:
        assert isinstance(x, core.Tracer)
        assert issubclass(type(x), core.Tracer)
        return x

    treadle.jit(look)(1.0)
    treadle.grad(look)(1.0)
    treadle.vmap(look)(tnp.ones(2))
    assert not isinstance(tnp.ones(2), core.Tracer)
    assert not isinstance(1.0, core.Tracer)


def test_the_printed_type_of_a_number_says_that_it_is_weak() -> None:
    assert repr(treadle.typeof(1.0)) == "ShapedArray(float32[], weak_type=True)"
    assert repr(treadle.typeof(tnp.float32(1))) == "ShapedArray(float32[])"


def test_the_weak_mark_is_changed_alone() -> None:
    aval = treadle.typeof(treadle.numpy.ones(2))
    assert aval.update_weak_type(True).weak_type
    assert aval.update_weak_type(True).update_weak_type(False) == aval


hostile: Any = core  # whose arguments have types


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: hostile.ShapedArray(None, np.float32), "ShapedArray: shape must be"),
        (lambda: hostile.ShapedArray((2, 1.5), np.float32), "ShapedArray: shape"),
        (lambda: hostile.ShapedArray((2, 2**70), np.float32), "more than 64 bits"),
        (lambda: hostile.ShapedArray((-1,), np.float32), "has a negative size"),
        (lambda: hostile.ShapedArray((2,), "abc"), "ShapedArray: 'abc' is not an element type"),
        (lambda: hostile.ShapedArray((2,), ...), "is not an element type"),
        (lambda: hostile.ShapedArray((2,), np.float32, "yes"), "weak_type"),
        (lambda: hostile.ShapedArray((2,), np.float32, vma=3), "vma must be a set of names"),
        (lambda: hostile.ConcreteArray(3), "val must be an array of NumPy's"),
        (lambda: hostile.aval(None), "aval: x must be an array"),
        (lambda: hostile.eval_jaxpr(treadle.make_jaxpr(lambda x: x)(1.0), 3), "consts must be"),
        (lambda: hostile.eval_jaxpr(treadle.make_jaxpr(lambda x: x)(1.0), [], None), "None"),
    ],
)
def test_hostile_arguments_are_refused_in_our_words(make: Any, says: str) -> None:
    with pytest.raises(TreadleError, match=says):
        make()
