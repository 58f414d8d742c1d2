"""Lowering of foreign calls: what XLA receives."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import LoweredCallback, lower_program, pretty
from treadle_ir import ArrayType, MissingRuleError, bind, stage
from treadle_ir.primitives.effectful import HostFunction
from treadle_ir.primitives.foreign import BufferCallback, ForeignCall

X = ArrayType((3, 4), np.dtype("f4"))


def lowered(call: ForeignCall) -> str:
    return pretty(lower_program(stage(lambda x: bind(call, x), X).program).text)


def test_target_attributes_layouts_and_aliases() -> None:
    text = lowered(
        ForeignCall(
            'a "target"',
            (X,),
            ((1, 0),),
            ((1, 0),),
            (("eps", "0x3F000000 : f32"),),
            has_side_effect=True,
            input_output_aliases=((0, 0),),
        )
    )
    assert r'@"a \22target\22"' in text
    assert "api_version = 4" in text
    assert "eps = 5.000000e-01 : f32" in text
    assert "has_side_effect = true" in text
    assert "operand_layouts = [dense<[0, 1]> : tensor<2xindex>]" in text
    assert "output_tuple_indices = [], operand_index = 0" in text


def test_results_of_several_have_places() -> None:
    call = ForeignCall("t", (X, X), ((0, 1),), ((0, 1), (1, 0)), input_output_aliases=((0, 0),))
    text = lowered(call)
    assert "result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]>" in text
    assert "output_tuple_indices = [0]" in text


def test_the_interface_before_has_a_string() -> None:
    call = ForeignCall(
        "t", (X,), ((0, 1),), ((0, 1),), custom_call_api_version=2, legacy_backend_config="some"
    )
    assert 'backend_config = "some"' in lowered(call)


def test_callbacks_that_write_to_buffers() -> None:
    def function(context: object, x: object, y: object) -> None:
        pass

    call = BufferCallback(
        HostFunction(function, (X,)), (X,), ((0, 1),), ((0, 1),), command_buffer_compatible=True
    )
    program = stage(lambda x: bind(call, x), X).program
    module = lower_program(program)
    assert "@xla_buffer_python_cpu_callback" in pretty(module.text)
    (callback,) = module.callbacks
    assert isinstance(callback, LoweredCallback)
    assert callback.in_place
    on_gpu = lower_program(program, platform="cuda").text
    assert '"xla_buffer_python_gpu_callback_cmd_buffer"' in on_gpu
    with pytest.raises(MissingRuleError, match="tpu"):
        lower_program(program, platform="tpu")
