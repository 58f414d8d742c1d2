"""`in_nzs`: arguments without tangents, and what it says of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_autodiff import linearize, vjp
from treadle_ir import ArgumentError

ops: Any = treadle_ir.ops
X, Y = np.float32(2), np.float32(3)


def _two(x: Any, y: Any) -> Any:
    return ops.multiply(x, y), ops.sine(y)


def test_an_argument_without_tangents_is_a_constant() -> None:
    results, f_vjp = vjp(_two, X, Y, in_nzs=(True, False))
    one, five = np.float32(1), np.float32(5)
    assert [float(r) for r in results] == [6, np.sin(Y)]
    assert [float(ct) for ct in f_vjp((one, five))] == [3, 0]
    assert f_vjp.out_nzs == (True, False)  # type: ignore[attr-defined]
    _, f_jvp = linearize(_two, X, Y, in_nzs=(True, False))
    assert [float(t) for t in f_jvp(one, five)] == [3, 0]
    assert f_jvp.out_nzs == (True, False)  # type: ignore[attr-defined]


def test_all_or_none() -> None:
    one = np.float32(1)
    for in_nzs, expected, out in ((True, [3, 2], True), (False, [0, 0], False)):
        _, f_vjp = vjp(ops.multiply, X, Y, in_nzs=in_nzs)
        assert [float(ct) for ct in f_vjp(one)] == expected
        assert f_vjp.out_nzs is out  # type: ignore[attr-defined]
    _, f_vjp = vjp(ops.multiply, X, Y)
    assert [float(ct) for ct in f_vjp(one)] == [3, 2]


def test_containers_match_by_their_number_of_children() -> None:
    def f(d: Any, k: Any) -> Any:
        return {"p": [ops.multiply(d["a"], d["b"])], "k": k, "none": None}

    primals = {"a": X, "b": Y}, np.int32(1)
    for in_nzs in (((True, False), False), ({"a": True, "b": False}, True), ([True, False], True)):
        results, f_vjp, aux = vjp(lambda d, k: (f(d, k), k), *primals, in_nzs=in_nzs, has_aux=True)
        assert f_vjp.out_nzs == {"p": [True], "k": False, "none": None}  # type: ignore[attr-defined]
        float0 = np.zeros((), treadle_ir.core.dtypes.float0)
        back, _ = f_vjp({"p": [np.float32(1)], "k": float0, "none": None})
        assert {name: float(ct) for name, ct in back.items()} == {"a": 3, "b": 0}
        assert (float(results["p"][0]), int(aux)) == (6, 1)


@pytest.mark.parametrize("function", [vjp, linearize])
def test_what_is_no_prefix(function: Any) -> None:
    with pytest.raises(ArgumentError, match="in_nzs has 2 parts where the arguments have 1"):
        function(ops.sine, X, in_nzs=(True, False))
    with pytest.raises(ArgumentError, match="must be a tree of booleans, but holds 3"):
        function(ops.sine, X, in_nzs=3)
    with pytest.raises(ArgumentError, match="in_nzs has 1 parts where the arguments have 0"):
        function(ops.sine, X, in_nzs=((True,),))
