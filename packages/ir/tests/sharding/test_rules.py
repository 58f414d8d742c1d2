from __future__ import annotations

from typing import ClassVar, final

import numpy as np
import pytest

from treadle_ir import ArrayType, Primitive, Type
from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.sharding import sharded_results
from treadle_ir.testing.shardings import MESH, of_results

ROW = ArrayType((8,), np.dtype("f4"))


@final
class Mystery(Primitive):
    name: ClassVar[str] = "layouts_mystery"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        return operands


def test_an_unknown_operation_says_so() -> None:
    with pytest.raises(ShardingTypeError, match="explicit axes are not supported") as caught:
        of_results(Mystery(), "8@x", "4")
    assert any("auto_axes" in note for note in caught.value.__notes__)
    assert of_results(Mystery(), "8", "4") == ["8", "4"]  # nothing is divided


def test_unknown_shardings() -> None:
    assert sharded_results(Sine(), [ROW], [ROW], MESH) == (ROW,)
