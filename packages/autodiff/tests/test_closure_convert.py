from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import closure_convert, custom_vjp, grad
from treadle_ir import ArgumentError, ArrayType, ops, stage
from treadle_ir.errors import StructureError
from treadle_ir.tracing import Tracer

TWO, THREE = np.float64(2.0), np.float64(3.0)


def test_what_is_differentiated_is_hoisted() -> None:
    seen = []

    def loss(y: Any, n: Any) -> Any:
        scale = np.array(5.0)

        def function(d: Any) -> Any:
            return ops.multiply(
                ops.multiply(d["x"], y), ops.multiply(scale, ops.convert(n, dtype=np.dtype("f8")))
            )

        converted, hoisted = closure_convert(function, {"x": 1.0})
        seen.extend(hoisted)
        return converted({"x": THREE}, *hoisted)

    assert loss(TWO, np.int32(2)) == 60.0
    assert seen == []
    assert grad(loss)(TWO, np.int32(2)) == 30.0
    assert len(seen) == 1
    seen.clear()
    stage(lambda y, n: [loss(y, n)], ArrayType((), TWO.dtype), ArrayType((), np.dtype("i4")))
    assert [each.dtype for each in seen] == [np.float64]  # not the integer
    assert isinstance(seen[0], Tracer)


def test_a_function_with_its_own_rule_of_a_function_that_closes_over_tracers() -> None:
    def twice(f: Any, x: Any) -> Any:
        converted, hoisted = closure_convert(f, x)

        @custom_vjp
        def applied(x: Any, *hoisted: Any) -> Any:
            return converted(x, *hoisted)

        def bwd(kept: Any, ct: Any) -> Any:
            gradients = grad(converted, tuple(range(len(kept))))(*kept)
            return tuple([ops.multiply(ops.multiply(ct, np.float64(2.0)), g) for g in gradients])

        applied.defvjp(lambda *args: (converted(*args), args), bwd)
        return applied(x, *hoisted)

    found = grad(lambda y: twice(lambda x: ops.multiply(x, ops.multiply(y, y)), THREE))(TWO)
    assert found == 2 * 2 * 2.0 * 3.0


def test_errors() -> None:
    converted, _ = closure_convert(lambda x: x, 1.0)
    with pytest.raises(ArgumentError, match="takes 1 arguments and the 0 arrays"):
        converted(TWO, THREE)
    with pytest.raises(StructureError, match="arguments of the converted function"):
        converted((TWO, THREE))
    with pytest.raises(ArgumentError, match="must be a function"):
        closure_convert(3.0)  # type: ignore[arg-type]
