"""References as arguments and residuals of functions with rules of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import custom_jvp, custom_vjp, grad
from treadle_ir import ops
from treadle_ir.errors import StructureError
from treadle_ir.refs import Ref, new_ref

Named = dict[str, Any]


@custom_vjp
def tapped(x: Any, seen: Ref) -> Any:
    """The value; its cotangent is written to the reference."""
    return x


def _tap(seen: Ref, ct: Any) -> tuple[Any, None]:
    seen[...] = ct
    return ct, None


tapped.defvjp(lambda x, seen: (x, seen), _tap)


def test_a_cotangent_comes_out_by_a_reference() -> None:
    seen = new_ref(np.float32(0.0))
    result = grad(lambda x: ops.sine(tapped(ops.multiply(x, x), seen)))(np.float32(2.0))
    np.testing.assert_allclose(seen[...], np.cos(4.0), rtol=1e-6)
    np.testing.assert_allclose(result, 4.0 * np.cos(4.0), rtol=1e-6)


def test_without_derivatives_the_function_has_the_reference_itself() -> None:
    seen, met = new_ref(np.float32(0.0)), []

    @custom_vjp
    def f(x: Any, seen: Ref) -> Any:
        met.append(seen)
        return x

    f.defvjp(lambda x, seen: (x, None), lambda _, ct: (ct, None))
    f(np.float32(1.0), seen)
    assert met == [seen]


def test_a_reference_in_a_dict_with_an_array() -> None:
    def fwd(d: Named, x: Any) -> tuple[Any, tuple[Named, Any]]:
        return ops.multiply(d["w"], x), (d, x)

    def bwd(kept: tuple[Named, Any], ct: Any) -> tuple[Named, Any]:
        d, x = kept
        d["seen"][...] = ops.add(d["seen"][...], ct)
        return {"w": ops.multiply(ct, x), "seen": None}, ops.multiply(ct, d["w"])

    f = custom_vjp(lambda d, x: ops.multiply(d["w"], x))
    f.defvjp(fwd, bwd)
    seen = new_ref(np.float32(0.0))
    for count in (1.0, 2.0):
        assert grad(f, 1)({"w": np.float32(2.0), "seen": seen}, np.float32(3.0)) == 2.0
        assert seen[...] == count

    total = grad(lambda w: f({"w": w, "seen": seen}, np.float32(3.0)))(np.float32(2.0))
    assert total == 3.0


def test_no_cotangent_has_the_place_of_a_reference() -> None:
    f = custom_vjp(lambda x, seen: x)
    f.defvjp(lambda x, seen: (x, None), lambda _, ct: (ct, {"a": ct}))
    with pytest.raises(StructureError, match="cotangent 1"):
        grad(f)(np.float32(1.0), new_ref(np.float32(0.0)))


def test_custom_jvp_rules_see_the_reference() -> None:
    seen = new_ref(np.float32(0.0))
    f = custom_jvp(lambda x, seen: ops.multiply(x, x))

    def rule(primals: tuple[Any, Ref], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
        x, ref = primals
        assert ref is seen
        return ops.multiply(x, x), ops.multiply(tangents[0], np.float32(5.0))

    f.defjvp(rule)
    assert f(np.float32(3.0), seen) == 9.0
    assert grad(f)(np.float32(3.0), seen) == 5.0
