import os
import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from treadle_compiler import Partitioning, lower_program, mlir
from treadle_compiler.context import LoweringContext
from treadle_compiler.module import Module
from treadle_compiler.walk import Walk
from treadle_ir import (
    AbstractMesh,
    ArrayType,
    MissingRuleError,
    Primitive,
    bind,
    named_scope,
    ops,
    stage,
)
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.call import Call, CustomVjpLinear

F32 = ArrayType((3,), np.dtype("f4"))


@dataclass(frozen=True)
class Unlowered(Primitive):
    name: ClassVar[str] = "unlowered"

    def infer(self, *operands):
        return operands


def lowered(function, *types, **options):
    staged = stage(function, *types)
    assert not staged.captured
    return lower_program(staged.program, **options)


def test_a_module_has_one_public_function():
    text = lowered(lambda x: [ops.sine(ops.add(x, x))], F32).text
    assert text.count("func.func") == 1
    assert "func.func public @main(%1: tensor<3xf32>) -> (tensor<3xf32>)" in text
    assert '"stablehlo.add"(%1, %1)' in text


def test_equal_nested_programs_are_one_function():
    def chain(x):
        for _ in range(8):
            x = ops.sine(x)
        return [x]

    inner = stage(chain, F32).program

    def outer(x):
        (y,) = bind(Call(inner, "chain"), x)
        return bind(Call(inner, "chain"), y)

    text = lowered(outer, F32).text
    assert text.count("func.func private") == 1
    assert text.count('"func.call"') == 2


def test_donation_and_aliases_mark_parameters():
    text = lowered(
        lambda x, y: [ops.add(x, y)], F32, F32, donated=frozenset({1}), aliases={0: 0}
    ).text
    assert "%1: tensor<3xf32> {tf.aliasing_output = 0 : i32}" in text
    assert "%2: tensor<3xf32> {jax.buffer_donor = true}" in text


def test_locations_are_written_on_request():
    assert "test_lower.py" in lowered(lambda x: [ops.sine(x)], F32, locations=True).text
    assert "loc(" not in lowered(lambda x: [ops.sine(x)], F32).text


def test_the_text_is_the_same_in_every_process():
    script = (
        "import numpy as np\n"
        "from treadle_ir import AbstractMesh, ArrayType, ops, stage\n"
        "from treadle_compiler import lower_program\n"
        "program = stage(lambda x: [ops.reduce_add(ops.multiply(x, np.float32(0.1)), axes=(0,))],"
        " ArrayType((3,), np.dtype('f4'))).program\n"
        "print(lower_program(program).text)\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "0x3DCCCCCD" in texts.pop()  # 0.1 in f32, exact to the bit


def test_a_primitive_without_a_rule_is_named_with_its_line():
    with pytest.raises(MissingRuleError, match="unlowered has no lowering rule") as raised:
        lowered(lambda x: bind(Unlowered(), x), F32)
    assert any("while: lowering unlowered" in note for note in raised.value.__notes__)


def test_a_derivative_that_is_known_by_transposition_is_not_lowered():
    def function(x):
        return bind(CustomVjpLinear("f", lambda residuals, cts: cts, 0, (F32,)), x)

    with pytest.raises(DerivativeError, match="backward rule only"):
        lowered(function, F32)


def test_a_scalar_with_arrays_is_broadcast_once():
    def twice(x, s):
        return [ops.add(ops.multiply(x, s), ops.subtract(x, s))]

    text = lowered(twice, F32, ArrayType((), np.dtype("f4"))).text
    assert text.count('"stablehlo.broadcast_in_dim"') == 1


def test_what_a_region_made_is_not_used_outside_of_it():
    module = Module(stage(lambda x: [x], F32).program, "cpu")
    context = LoweringContext(module, Walk(module))
    scalar = context.fresh(ArrayType((), np.dtype("f4")))
    before = context.constant(1.0, F32)

    def body(_):
        assert context.constant(1.0, F32) is before
        inside.extend([context.constant(2.0, F32), context.broadcast_scalar(scalar, F32)])
        return inside

    inside = []
    context.region([F32], body)
    assert context.constant(1.0, F32) is before
    assert context.constant(2.0, F32) is not inside[0]
    assert context.broadcast_scalar(scalar, F32) is not inside[1]


def test_functions_of_programs_that_rules_make_are_not_mixed_up():
    """A program that is gone leaves its id to the next one."""

    def power(count):
        def function(x):
            for _ in range(count):
                x = ops.multiply(x, x)
            return [x]

        return stage(function, F32).program

    module = Module(stage(lambda x: [x], F32).program, "cpu")
    context = LoweringContext(module, Walk(module))
    x = context.fresh(F32)
    for count in range(5, 45):
        (x,) = context.program(power(count), x)
    assert module.text().count("func.func private") == 40


def test_each_function_numbers_its_own_values():
    def chain(x):
        for _ in range(8):
            x = ops.sine(x)
        return [x]

    inner = stage(chain, F32).program
    one = lowered(lambda x: bind(Call(inner, "chain"), x), F32).text
    other = lowered(lambda x: bind(Call(inner, "chain"), ops.add(x, x)), F32).text
    private = [text.partition("private")[2] for text in (one, other)]
    assert private[0] == private[1] != ""


def test_scopes_and_axes_may_have_any_name():
    def function(x):
        with named_scope('a\n"b"\\é'):
            return [ops.sine(x)]

    mesh = AbstractMesh((2,), ("x\n",))
    layout = (("x\n",),)
    text = lowered(function, F32, partitioning=Partitioning(mesh, (layout,), (layout,))).text
    assert mlir.pretty(text, locations=True).count("a\\0A") == 1


def test_small_programs_that_call_one_another_twice_do_not_double_the_text():
    def lengths(depth):
        program = stage(lambda x: [ops.sine(x)], F32).program
        for _ in range(depth):
            inner = program
            program = stage(
                lambda x: [
                    ops.multiply(*[bind(Call(inner, "inner"), each)[0] for each in (x, x)])  # noqa: B023
                ],
                F32,
            ).program
        return len(lower_program(program).text)

    assert lengths(24) < 4 * lengths(12)


def test_constants_of_equal_bytes_differ_by_their_types():
    module = Module(stage(lambda x: [x], F32).program, "cpu")
    context = LoweringContext(module, Walk(module))
    zeros = [
        context.constant(np.dtype(dtype).type(0), ArrayType(shape, np.dtype(dtype)))
        for dtype in ("f4", "i4")
        for shape in ((), (2,), (3,))
    ]
    assert len({id(each) for each in zeros}) == 6
    assert context.constant(np.float32(0), F32) is zeros[2]


def test_a_scalar_is_broadcast_once_to_each_shape():
    module = Module(stage(lambda x: [x], F32).program, "cpu")
    context = LoweringContext(module, Walk(module))
    scalar = context.fresh(ArrayType((), np.dtype("f4")))
    found = [context.broadcast_scalar(scalar, ArrayType((n,), np.dtype("f4"))) for n in (2, 3, 2)]
    assert [each.shape for each in found] == [(2,), (3,), (2,)]
    assert found[0] is found[2]
