from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_compiler.compile import compile_lowered, options_for, profile_of
from treadle_compiler.lower import LoweredModule, lower_program
from treadle_compiler.xla import jaxlib
from treadle_ir import ArrayType, Operand, ops, stage

pytestmark = pytest.mark.xla


def lowered(count: int = 1, size: int = 4) -> LoweredModule:
    def function(x: Operand) -> list[Operand]:
        for _ in range(count):
            x = ops.add(x, x)
        return [x]

    return lower_program(stage(function, ArrayType((size,), np.dtype("f4"))).program)


@pytest.fixture(scope="module")
def client() -> Any:  # jaxlib has no types
    return jaxlib().xla_client.make_cpu_client(num_devices=2)


def test_profile_counts_equations_and_bytes() -> None:
    profile = profile_of(lowered(3, 8))
    assert (profile.equations, profile.largest_bytes) == (3, 32)
    assert not profile.has_loop
    assert not profile.has_big_dot


def test_profile_sees_big_products() -> None:
    square = ArrayType((100, 100), np.dtype("f4"))
    program = stage(lambda x: [ops.dot_general(x, x, contracting=((1,), (0,)))], square).program
    assert profile_of(lower_program(program)).has_big_dot


def test_options_take_the_devices_and_the_users_flags(client: Any) -> None:
    device = client.local_devices()[1]
    options = options_for(profile_of(lowered()), [device], {"xla_cpu_enable_fast_math": True})
    assert options.device_ids == (device.id,)
    assert ("xla_cpu_enable_fast_math", True) in options.flags


def test_the_same_text_is_compiled_once_for_each_device(client: Any) -> None:
    first, second = client.local_devices()
    one = compile_lowered(lowered(), client, [first])
    assert compile_lowered(lowered(), client, [first]) is one
    assert compile_lowered(lowered(), client, [second]) is not one
    assert compile_lowered(lowered(2), client, [first]) is not one
