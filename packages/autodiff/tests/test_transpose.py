"""What cannot be transposed says so in the user's terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import custom_jvp, grad, linear_transpose
from treadle_ir import MissingRuleError, ops

WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    ("multiply", lambda t: ops.multiply(t, t)),
    ("divide", lambda t: ops.divide(t, t)),
    ("sine", ops.sine),
]


@pytest.mark.parametrize(("name", "bend"), WRONG, ids=[name for name, _ in WRONG])
def test_a_jvp_rule_that_is_not_linear_in_its_tangents(
    name: str, bend: Callable[[Any], Any]
) -> None:
    @custom_jvp
    def f(x: Any) -> Any:
        return ops.multiply(x, x)

    f.defjvp(lambda primals, tangents: (f(*primals), bend(tangents[0])))
    with pytest.raises(MissingRuleError, match=f"`{name}` of such operands is not linear") as info:
        grad(f)(np.float32(2))
    assert "must be linear in them" in "".join(info.value.__notes__)


def test_a_function_that_is_not_linear() -> None:
    pulled = linear_transpose(lambda x: ops.multiply(x, x), np.float32(1))
    with pytest.raises(MissingRuleError, match="not linear"):
        pulled(np.float32(1))


def test_a_linear_custom_jvp_function_is_transposed_as_what_it_computes() -> None:
    @custom_jvp
    def thrice(x):
        return ops.multiply(x, np.float32(3))

    @thrice.defjvp
    def thrice_jvp(primals, tangents):
        return thrice(*primals), thrice(*tangents)

    x = np.ones(2, np.float32)
    (back,) = linear_transpose(thrice, x)(x)
    np.testing.assert_array_equal(back, [3, 3])
