import numpy as np
import pytest

from treadle_batching.axis import Axis
from treadle_batching.registry import batch_rules
from treadle_ir import Operand, ops, stage, type_of
from treadle_ir.primitives.contract import Convolution, DotGeneral


@pytest.mark.parametrize("dims", [(0, None), (2, None), (None, 1), (1, 2), (0, 0)])
def test_dot_general_moves_nothing(dims: tuple[int | None, int | None]) -> None:
    primitive = DotGeneral(((1,), (0,)))
    x, y = np.ones((2, 3)), np.ones((3, 4))
    operands = [
        operand if dim is None else np.stack([operand] * 5, dim)
        for operand, dim in zip((x, y), dims, strict=True)
    ]

    def batched(*operands: Operand) -> list[Operand]:
        return list(batch_rules[primitive](primitive, Axis(5), operands, dims)[0])

    program = stage(batched, *map(type_of, operands)).program
    assert [equation.primitive.name for equation in program.equations] == ["dot_general"]


def test_dynamic_slice_with_batched_starts_gathers_only_along_axes_that_move() -> None:
    def batched(x: Operand, start: Operand) -> list[Operand]:
        primitive = (
            stage(
                lambda x, i: [ops.dynamic_slice(x, i, np.int32(0), sizes=(2, 4))],
                type_of(x),
                type_of(np.int32(0)),
            )
            .program.equations[0]
            .primitive
        )
        return list(
            batch_rules[primitive](primitive, Axis(5), [x, start, np.int32(0)], [None, 0, None])[0]
        )

    program = stage(batched, type_of(np.ones((3, 4))), type_of(np.zeros(5, np.int32))).program
    assert [equation.primitive.name for equation in program.equations] == ["reshape", "gather"]


def test_convolution_of_an_empty_batch() -> None:
    x, kernel = np.ones((0, 1, 1, 5), np.float32), np.ones((1, 1, 2), np.float32)
    primitive = Convolution((1,), ((0, 0),), (1,), (1,), (0, 1, 2), (0, 1, 2), (0, 1, 2), 1, 1)
    (result,), (dim,) = batch_rules[primitive](primitive, Axis(0), [x, kernel], [0, None])
    assert (type_of(result).shape, dim) == ((0, 1, 1, 4), 0)
