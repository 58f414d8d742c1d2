"""Operations that call programs: what their derivatives and batches are, and that they are calls of the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.extend import core
from treadle.interpreters import mlir
from treadle.test_util import check_grads

JAXPR = treadle.make_jaxpr(lambda x, y: (tnp.sin(x) * y, x + 1))(1.0, 2.0)
named_p = core.create_call_primitive("named")


def named(x: Any, y: Any) -> list[Any]:
    return named_p.bind(x, y, call_jaxpr=JAXPR, tag=3)


def primitives_of(f: Any, *args: Any) -> set[str]:
    """The names of the operations that a function stages."""
    return {str(eqn.primitive) for eqn in treadle.make_jaxpr(f)(*args).eqns}


def test_it_computes_what_the_program_does() -> None:
    want = [np.sin(1.0) * 2, 2.0]
    for f in (named, treadle.jit(named)):
        np.testing.assert_allclose([float(x) for x in f(1.0, 2.0)], want, rtol=1e-6)
    (eqn,) = treadle.make_jaxpr(named)(1.0, 2.0).eqns
    assert eqn.primitive is named_p
    assert eqn.params == {"call_jaxpr": JAXPR, "tag": 3}


def test_derivatives_are_right_to_the_second_order() -> None:
    check_grads(lambda x, y: named(x, y)[0], (0.7, 1.3), order=2)
    check_grads(lambda x: named(x, 2.0), (0.7,), order=2, modes=("fwd", "rev"))


def test_derivatives_and_batches_are_calls_of_it() -> None:
    first = lambda x, y: named(x, y)[0]  # noqa: E731
    batch = tnp.ones(3)
    assert primitives_of(treadle.vmap(named), batch, batch) == {"named"}
    assert primitives_of(lambda x, y: treadle.jvp(first, (x, y), (x, y)), 1.0, 2.0) == {"named"}
    assert "sin" not in primitives_of(treadle.grad(first), 1.0, 2.0)
    (result, unmapped) = treadle.vmap(named, (None, 0))(1.0, tnp.arange(3.0))
    np.testing.assert_allclose(result, np.sin(1.0) * np.arange(3), rtol=1e-6)
    assert unmapped.tolist() == [2, 2, 2]


def test_compiled_code_of_a_librarys_own_is_what_derivatives_run() -> None:
    seen: list[int] = []
    own_p = core.create_call_primitive("own")

    def compiled(*xs: Any, call_jaxpr: Any, **params: Any) -> list[Any]:
        seen.append(len(call_jaxpr.eqns))
        return core.jaxpr_as_fun(call_jaxpr)(*xs)

    mlir.register_lowering(own_p, mlir.lower_fun(compiled))
    f = treadle.jit(treadle.grad(lambda x: own_p.bind(x, 2.0, call_jaxpr=JAXPR)[0]))
    np.testing.assert_allclose(f(1.0), 2 * np.cos(1.0), rtol=1e-6)
    assert len(seen) >= 2


def test_a_transpose_of_ones_own() -> None:
    seen: list[Any] = []

    def transposed(prim: Any, ct: Any, *args: Any, **params: Any) -> Any:
        seen.append(params["tag"])
        return core.eval_jaxpr_transpose(prim, ct, *args, **params)

    turned_p = core.Primitive("turned")
    core.register_call_primitive_rules(turned_p, "turned", transpose_rule=transposed)
    f = lambda x, y: turned_p.bind(x, y, call_jaxpr=JAXPR, tag="t")[0]  # noqa: E731
    np.testing.assert_allclose(
        treadle.grad(f, (0, 1))(1.0, 2.0), [2 * np.cos(1), np.sin(1)], rtol=1e-6
    )
    assert seen == ["t"]


def test_constants_of_the_program_are_taken_along() -> None:
    scale = tnp.arange(3.0)
    jaxpr = treadle.make_jaxpr(lambda x: x * scale)(1.0)
    f = lambda x: named_p.bind(x, call_jaxpr=jaxpr)[0].sum()  # noqa: E731
    for g in (f, treadle.jit(f)):
        assert float(g(2.0)) == 6.0
        assert float(treadle.grad(g)(2.0)) == 3.0
    assert treadle.vmap(f)(tnp.ones(2)).tolist() == [3.0, 3.0]


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ArgumentError, match="prim must be a Primitive"):
        core.register_call_primitive_rules("name")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="jaxpr"):
        treadle.jit(lambda x: named_p.bind(x, call_jaxpr=3))(1.0)
    with pytest.raises(ArgumentError, match="jaxpr"):
        named_p.bind(1.0, call_jaxpr=lambda x: x)
    with pytest.raises(ArgumentError, match="transpose_rule"):
        core.register_call_primitive_rules(named_p, transpose_rule=3)  # type: ignore[arg-type]


def test_new_variables_and_tags() -> None:
    new = core.gensym()
    x, y = new(treadle.typeof(tnp.ones(3))), new(treadle.typeof(tnp.ones(3)))
    assert x is not y
    sin = treadle.make_jaxpr(tnp.sin)(tnp.ones(3)).eqns[0].primitive
    eqn = core.new_jaxpr_eqn([x], [y], sin, treadle.make_jaxpr(tnp.sin)(tnp.ones(3)).eqns[0].params)
    assert eqn.invars == [x]
    tag = core.TraceTag()
    assert tag == tag
    assert tag != core.TraceTag()
    assert core.primitives.create_call_primitive is core.create_call_primitive
