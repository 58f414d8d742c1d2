"""Programs as JAX shows them: traversed, interpreted, decomposed and rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import core, lax
from treadle.errors import ArgumentError
from treadle.extend.core import (
    ClosedJaxpr,
    Jaxpr,
    Literal,
    Primitive,
    Var,
    jaxpr_as_fun,
    jaxprs_in_params,
    new_jaxpr_eqn,
    subjaxprs,
)
from treadle.extend.core.primitives import jit_p, scan_p, while_p
from treadle_ir.analysis import verify

X = np.array([0.1, 0.5, 0.9], np.float32)


def f(x: Any) -> Any:
    y = tnp.exp(tnp.tanh(x))
    z = treadle.jit(lambda y: tnp.sin(y) * 2.0)(y)
    z = lax.scan(lambda c, _: (c * 0.5 + 1.0, None), z, None, length=3)[0]
    z = lax.cond(z[0] > 0, lambda z: z, lambda z: -z, z)
    return lax.while_loop(lambda z: z[0] < 2.0, lambda z: z + 0.5, z).sum()


def interpreted(closed: Any, *args: Any) -> Any:
    """Run JAX's classic interpreter, which works for any operations."""
    jaxpr = closed.jaxpr
    env: dict[Any, Any] = {}
    env.update(zip(jaxpr.constvars, closed.consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(v: Any) -> Any:
        return v.val if type(v) is Literal else env[v]  # type: ignore[attr-defined]

    for eqn in jaxpr.eqns:
        assert all(v.aval.shape == np.shape(read(v)) for v in eqn.invars)
        out = eqn.primitive.bind(*map(read, eqn.invars), **eqn.params)
        outs = out if eqn.primitive.multiple_results else [out]
        env.update(zip(eqn.outvars, outs, strict=True))
    return [read(v) for v in jaxpr.outvars]


def test_a_users_interpreter() -> None:
    closed = treadle.make_jaxpr(f)(X)
    np.testing.assert_allclose(interpreted(closed, X)[0], f(X), rtol=1e-6)
    jitted = treadle.jit(lambda x: interpreted(closed, x)[0])
    np.testing.assert_allclose(jitted(X), f(X), rtol=1e-6)


def test_an_inverse_by_the_names_of_jax() -> None:
    inverses: dict[Any, Callable[..., Any]] = {lax.exp_p: tnp.log, lax.tanh_p: tnp.arctanh}

    def inverse(fun: Any, example: Any) -> Any:
        closed = treadle.make_jaxpr(fun)(example)

        def run(y: Any) -> Any:
            env = dict(zip(closed.jaxpr.outvars, [y], strict=True))
            for eqn in closed.jaxpr.eqns[::-1]:
                assert eqn.primitive in inverses, eqn.primitive
                env[eqn.invars[0]] = inverses[eqn.primitive](env[eqn.outvars[0]])
            return env[closed.jaxpr.invars[0]]

        return run

    y = tnp.exp(tnp.tanh(X))
    np.testing.assert_allclose(inverse(lambda x: tnp.exp(tnp.tanh(x)), X)(y), X, rtol=1e-5)


def test_parts() -> None:
    captured = tnp.arange(3.0)
    closed = treadle.make_jaxpr(lambda x: x * captured * 2.0)(X)
    assert isinstance(closed, ClosedJaxpr)
    assert isinstance(closed.jaxpr, Jaxpr)
    assert [len(closed.jaxpr.constvars), len(closed.jaxpr.invars), len(closed.consts)] == [1, 1, 1]
    eqn, last = closed.eqns
    assert eqn.primitive is lax.mul_p
    assert {type(v) for v in eqn.invars} == {Var}
    assert isinstance(last.invars[1], Literal)
    assert last.invars[1].val == 2.0  # type: ignore[attr-defined]
    assert [aval.str_short() for aval in closed.out_avals] == ["float32[3]"]
    assert [aval.str_short() for aval in closed.in_avals] == ["float32[3]"]
    assert closed.effects == frozenset()
    assert eqn.source_info is not None
    assert "multiply" in str(closed)
    assert "mul" in repr(eqn)
    same = ClosedJaxpr(closed.jaxpr, closed.consts)
    assert same == closed
    assert hash(same) == hash(closed)
    assert closed != ClosedJaxpr(closed.jaxpr, [captured + 1])
    np.testing.assert_allclose(jaxpr_as_fun(closed)(X)[0], 2 * X * np.arange(3), rtol=1e-6)
    runs: list[Any] = [closed, closed.jaxpr, closed.program]
    for run in runs:
        np.testing.assert_allclose(
            core.eval_jaxpr(run, closed.consts, X)[0], 2 * X * np.arange(3.0)
        )


def test_nested_programs_have_the_names_of_jax() -> None:
    eqns = {eqn.primitive: eqn for eqn in treadle.make_jaxpr(f)(X).eqns}
    assert isinstance(eqns[jit_p].params["jaxpr"], ClosedJaxpr)
    assert isinstance(eqns[scan_p].params["jaxpr"], ClosedJaxpr)
    assert {"cond_jaxpr", "body_jaxpr"} <= eqns[while_p].params.keys()
    assert len([*jaxprs_in_params(eqns[while_p].params)]) == 2
    assert (
        len([*subjaxprs(treadle.make_jaxpr(f)(X).jaxpr)]) == 6
    )  # jit, scan, two branches, two of while


def test_programs_are_changed() -> None:
    closed = treadle.make_jaxpr(lambda x: tnp.sin(x) * 2.0)(X)
    sine, product = closed.eqns
    cosine = treadle.make_jaxpr(tnp.cos)(X).eqns[0]
    swapped = closed.jaxpr.replace(
        eqns=[cosine.replace(invars=sine.invars, outvars=sine.outvars), product]
    )
    verify(swapped.program)
    assert swapped.eqns[1] is product  # as kfac_jax finds those again that it did not change
    assert swapped.replace(outvars=swapped.outvars).eqns[1] is product
    np.testing.assert_allclose(core.eval_jaxpr(swapped, [], X)[0], 2 * np.cos(X), rtol=1e-6)
    total = treadle.make_jaxpr(lambda x: x.sum(0))(np.ones((3, 3), np.float32))
    (eqn,) = total.eqns
    other = total.jaxpr.replace(eqns=[eqn.replace(params={"axes": (1,)})])
    x = np.arange(9.0, dtype=np.float32).reshape(3, 3)
    np.testing.assert_allclose(core.eval_jaxpr(other, [], x)[0], x.sum(1))
    mapped = closed.map_jaxpr(lambda jaxpr: jaxpr.replace(outvars=jaxpr.eqns[0].outvars))
    np.testing.assert_allclose(jaxpr_as_fun(mapped)(X)[0], np.sin(X), rtol=1e-6)


def test_programs_are_made() -> None:
    aval = treadle.typeof(X)
    x, y = Var(aval), Var(aval)  # type: ignore[arg-type]
    twice_p = Primitive("test_jaxprs_twice")
    twice_p.def_impl(lambda x: 2 * x)
    twice_p.def_abstract_eval(lambda x: x)
    jaxpr = Jaxpr([], [x], [y], [new_jaxpr_eqn([x], [y], twice_p, {})])
    verify(jaxpr.program)
    np.testing.assert_allclose(core.eval_jaxpr(jaxpr, [], X)[0], 2 * X)
    assert jaxpr.eqns[0].primitive is twice_p


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="a Jaxpr"):
        ClosedJaxpr(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="make_jaxpr"):
        jaxpr_as_fun(3)  # type: ignore[arg-type]


M = np.ones((2, 3), np.float32)
# What JAX 0.10.2 shows for the same functions, found by asking it; parameters that only it has need not be here.
PARAMETERS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "integer_pow": (lambda x: lax.integer_pow(x, 3), {"y": 3}),
    "reduce_sum": (lambda x: x.sum(0), {"axes": (0,), "out_sharding": None}),
    "broadcast_in_dim": (
        lambda x: tnp.broadcast_to(x, (4, 2, 3)),
        {"shape": (4, 2, 3), "broadcast_dimensions": (1, 2), "sharding": None},
    ),
    "reshape": (
        lambda x: x.reshape(3, 2),
        {"new_sizes": (3, 2), "dimensions": None, "sharding": None},
    ),
    "convert_element_type": (
        lambda x: x.astype("int32"),
        {"new_dtype": np.dtype("int32"), "weak_type": False, "sharding": None},
    ),
    "dot_general": (
        lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), precision="highest"),
        {
            "dimension_numbers": (((1,), (1,)), ((), ())),
            "precision": (lax.Precision.HIGHEST, lax.Precision.HIGHEST),
        },
    ),
    "argmax": (
        lambda x: tnp.argmax(x, 0),
        {"axes": (0,), "index_dtype": np.dtype("int32")},
    ),
    "slice": (
        lambda x: lax.slice(x, (0, 0), (2, 2)),
        {"start_indices": (0, 0), "limit_indices": (2, 2), "strides": None},
    ),
    "dynamic_slice": (lambda x: lax.dynamic_slice(x, (0, 1), (2, 2)), {"slice_sizes": (2, 2)}),
    "pad": (
        lambda x: lax.pad(x, 0.0, ((1, 1, 0), (0, 2, 0))),
        {"padding_config": ((1, 1, 0), (0, 2, 0))},
    ),
    "gather": (
        lambda x: x.at[np.array([0, 1])].get(mode="clip"),
        {
            "dimension_numbers": lax.GatherDimensionNumbers((1,), (0,), (0,), (), ()),
            "slice_sizes": (1, 3),
            "mode": lax.GatherScatterMode.CLIP,
        },
    ),
    "scatter-add": (
        lambda x: x.at[np.array([0, 1])].add(1.0),
        {
            "dimension_numbers": lax.ScatterDimensionNumbers((1,), (0,), (0,), (), ()),
            "mode": lax.GatherScatterMode.FILL_OR_DROP,
        },
    ),
    "sort": (lambda x: lax.sort(x, dimension=0), {"dimension": 0, "is_stable": True}),
    "fft": (
        lambda x: lax.fft(x, "rfft", (3,)),
        {"fft_type": lax.FftType.RFFT, "fft_lengths": (3,)},
    ),
    "gt": (lambda x: x > 0, {}),
    "round": (lambda x: lax.round(x), {"rounding_method": lax.RoundingMethod.AWAY_FROM_ZERO}),
    "conv_general_dilated": (
        lambda x: lax.conv(x[None, None], x[None, None], (1, 1), "VALID"),
        {
            "dimension_numbers": lax.ConvDimensionNumbers((0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3)),
            "window_strides": (1, 1),
            "precision": None,
            "preferred_element_type": None,
        },
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_have_the_names_of_jax(name: str) -> None:
    function, expected = PARAMETERS[name]
    eqn = treadle.make_jaxpr(function)(M).jaxpr.eqns[-1]
    assert eqn.primitive.name == name
    assert {key: eqn.params[key] for key in expected} == expected
    assert expected or not eqn.params


def test_operations_of_a_users_own_are_bound_as_all_others() -> None:
    twice_p = Primitive("twice")
    twice_p.def_impl(lambda x: 2 * x)
    twice_p.def_abstract_eval(lambda x: x)
    (eqn,) = treadle.make_jaxpr(twice_p.bind)(X).jaxpr.eqns
    subfuns, params = eqn.primitive.get_bind_params(eqn.params)
    np.testing.assert_array_equal(eqn.primitive.bind(*subfuns, X, **params), 2 * X)


def test_a_missing_element_type_is_refused() -> None:
    with pytest.raises(ArgumentError, match="new_dtype must be an element type"):
        lax.convert_element_type_p.bind(tnp.ones(3), new_dtype=None, weak_type=False)


def test_cases_count_from_false() -> None:
    jaxpr = treadle.make_jaxpr(lambda c, x, y: tnp.where(c, x, y))(M > 0, M, 2 * M).jaxpr
    (eqn,) = jaxpr.eqns
    condition, x, y = jaxpr.invars
    assert (eqn.primitive, eqn.invars) == (lax.select_n_p, [condition, y, x])
    again = jaxpr.replace(eqns=[eqn.replace(params={})])
    verify(again.program)
    np.testing.assert_array_equal(core.eval_jaxpr(again, (), M > 0, M, 2 * M)[0], M)


@pytest.mark.parametrize(
    ("inline", "shown"),
    [(False, False), (treadle.Inline.AUTO, False), (treadle.Inline.XLA_LATE, "xla_late")],
)
def test_calls_say_when_they_are_to_be_inlined(inline: Any, shown: object) -> None:
    f = treadle.jit(lambda x: x * 2, inline=inline)
    (equation,) = treadle.make_jaxpr(lambda x: f(x))(1.0).jaxpr.eqns
    assert sorted(equation.params) == ["inline", "jaxpr", "keep_unused", "name"]
    assert equation.params["inline"] == shown


def test_choices_of_select_have_the_shape_of_the_result() -> None:
    def f(x: Any) -> Any:
        return tnp.where(x > 0, x, 0.0), tnp.where(x[0] > 0, x, 1.0)

    x = tnp.array([-1.0, 0.0, 2.0])
    closed = treadle.make_jaxpr(f)(x)
    selects = [eqn for eqn in closed.eqns if eqn.primitive is lax.select_n_p]
    assert [[each.aval.shape for each in eqn.invars[1:]] for eqn in selects] == [[(3,), (3,)]] * 2
    assert closed.eqns is closed.eqns
    again = ClosedJaxpr(closed.jaxpr.replace(eqns=closed.eqns), closed.consts)
    for one, other in zip(jaxpr_as_fun(again)(x), f(x), strict=True):
        np.testing.assert_array_equal(one, other)
