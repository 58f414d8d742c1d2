"""Shardings of a user-defined primitive's results over explicit axes follow its abstract evaluation."""

from __future__ import annotations

from typing import Any

import treadle
import treadle.numpy as tnp
from treadle.core import ShapedArray
from treadle.extend.core import Primitive
from treadle.interpreters import mlir
from treadle.sharding import NamedSharding, PartitionSpec as P


def test_results_are_sharded_as_the_abstract_evaluation_says() -> None:
    kept, lost, rows = Primitive("kept"), Primitive("lost"), Primitive("rows")
    kept.def_abstract_eval(lambda x: x)
    lost.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
    seen = []

    def first_axis(x: Any) -> Any:
        seen.append(str(x))
        whole = NamedSharding(x.sharding.mesh, P(x.sharding.spec[0]))
        return ShapedArray(x.shape[:1], x.dtype, sharding=whole)

    rows.def_abstract_eval(first_axis)
    kept.def_impl(lambda x: 2 * x)
    mlir.register_lowering(kept, mlir.lower_fun(kept.impl, multiple_results=False))
    mesh = treadle.make_mesh((1, 1), ("a", "b"))
    x = treadle.device_put(tnp.ones((4, 2)), NamedSharding(mesh, P("a", "b")))

    def shown(primitive: Primitive, x: Any) -> str:
        (aval,) = treadle.make_jaxpr(primitive.bind)(x).out_avals
        return str(aval)

    assert shown(kept, x) == "float32[4@a,2@b]"
    assert shown(lost, x) == "float32[4,2]"
    assert shown(rows, x) == "float32[4@a]"
    assert "float32[4@a,2@b]" in seen
    assert treadle.jit(lambda x: kept.bind(x) + x)(x).tolist() == [[3.0, 3.0]] * 4
