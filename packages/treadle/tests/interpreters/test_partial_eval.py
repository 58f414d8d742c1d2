from __future__ import annotations

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.core import eval_jaxpr
from treadle.extend.linear_util import wrap_init
from treadle.interpreters.partial_eval import (
    PartialVal,
    dce_jaxpr,
    trace_to_jaxpr_dynamic,
    trace_to_jaxpr_nounits,
)

X = np.array([0.1, 0.5], np.float32)
AVAL = treadle.typeof(X)


def test_what_is_known_is_computed() -> None:
    ran = []

    def f(x, y):
        known = tnp.sin(y)
        ran.append(float(known[0]))
        return x * known, known, y

    pvals = [PartialVal.unknown(AVAL), PartialVal.known(X)]
    jaxpr, results, consts = trace_to_jaxpr_nounits(wrap_init(f), pvals)
    assert [each.is_known() for each in results] == [False, True, True]
    np.testing.assert_allclose(ran[0], np.sin(0.1), rtol=1e-6)
    np.testing.assert_allclose(results[1].get_known(), np.sin(X), rtol=1e-6)
    assert results[0].get_known() is None
    assert {each.get_aval().str_short() for each in results} == {"float32[2]"}
    (out,) = eval_jaxpr(jaxpr, consts, 2 * X)
    np.testing.assert_allclose(out, 2 * X * np.sin(X), rtol=1e-6)
    jaxpr, results, consts = trace_to_jaxpr_nounits(wrap_init(f), pvals, instantiate=True)
    assert not any(each.is_known() for each in results)
    np.testing.assert_allclose(eval_jaxpr(jaxpr, consts, 2 * X)[1], np.sin(X), rtol=1e-6)


def test_a_whole_function() -> None:
    captured = tnp.ones(2)
    jaxpr, avals, consts = trace_to_jaxpr_dynamic(wrap_init(lambda x: [x + captured]), [AVAL])
    assert [aval.str_short() for aval in avals] == ["float32[2]"]
    np.testing.assert_allclose(eval_jaxpr(jaxpr, consts, X)[0], X + 1)


def test_unused_equations_are_left_out() -> None:
    jaxpr = treadle.make_jaxpr(lambda x, y, z: (tnp.sin(x), tnp.cos(y) * z))(X, X, X).jaxpr
    smaller, used = dce_jaxpr(jaxpr, [True, False])
    assert used == [True, False, False]
    assert len(smaller.eqns) == 1
    np.testing.assert_allclose(eval_jaxpr(smaller, [], X)[0], np.sin(X), rtol=1e-6)
    smaller, used = dce_jaxpr(jaxpr, [False, True], instantiate=[True, False, False])
    assert used == [True, True, True]
    assert len(dce_jaxpr(jaxpr, True)[0].eqns) == len(jaxpr.eqns)
