"""Wrong batch rules are caught."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import pytest

from treadle_batching import batch_rule, vmap
from treadle_ir import Primitive, Type, bind, ops


@final
@dataclass(frozen=True, slots=True)
class Summed(Primitive):
    """The sum of a vector; its batch rule forgets the batch, or says that it stands elsewhere."""

    name: ClassVar[str] = "test_checks_summed"
    wrong: str

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """A scalar."""
        return (operands[0].with_shape(()),)  # type: ignore[attr-defined]  # an array's


@batch_rule(Summed)
def summed_batch(primitive: Summed, axis: Any, operands: Any, dims: Any, /) -> Any:
    if primitive.wrong == "type":
        return operands, dims
    return [ops.reduce_add(operands[0], axes=(0,))], [0]  # over the batch


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("type", r"results of the batch rule are \(f64\[3\]\), but should be \(f64\[\]\)"),
        ("place", r"axis 0 of f64\[3\] is not a batch of 2"),
    ],
)
def test_wrong_batch_rules_are_caught(wrong: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        vmap(lambda x: bind(Summed(wrong), x)[0])(np.ones((2, 3)))
