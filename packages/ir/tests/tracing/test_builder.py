import numpy as np
import pytest

from treadle_ir import ArrayType, ShapeError, interpret
from treadle_ir.analysis.verifier import verify
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.elementwise import Add, Multiply
from treadle_ir.primitives.sort import TopK
from treadle_ir.tracing.builder import Builder

F32 = BY_NAME["f32"]


def test_a_program_that_was_built_computes() -> None:
    build = Builder()
    x = build.parameter(ArrayType((3,), F32))
    y = build.apply(Multiply(), build.apply(Add(), x, build.literal(1.0, x.type)), x)
    program = build.program(y, x)
    verify(program)
    result, _ = interpret(program, np.array([1, 2, 3], "f4"))
    np.testing.assert_array_equal(result, [2, 6, 12])


def test_literals_take_the_type_that_is_asked() -> None:
    build = Builder()
    assert str(build.literal(1).type) == "i32[]*"
    weak = build.literal(2.5, ArrayType((7,), BY_NAME["bf16"], weak=True))
    assert (str(weak.type), weak.value.dtype) == ("bf16[]*", BY_NAME["bf16"])


def test_several_results_and_errors_of_types() -> None:
    build = Builder()
    x = build.parameter(ArrayType((5,), F32))
    values, indices = build.apply_many(TopK(2), x)
    assert isinstance(values.type, ArrayType)
    assert isinstance(indices.type, ArrayType)
    assert (values.type.shape, indices.type.shape) == ((2,), (2,))
    with pytest.raises(ShapeError):
        build.apply(Add(), x, values)
