from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from treadle_compiler.compile import compile_lowered, options_for, profile_of
from treadle_compiler.lower import LoweredModule, lower_program
from treadle_compiler.xla import jaxlib, memory_stats
from treadle_ir import ArrayType, Operand, bind, ops, stage
from treadle_ir.primitives.call import Checkpoint, OptimizationBarrier

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


def differentiated(function: Callable[[Operand], Operand], side: int = 200) -> LoweredModule:
    """Two blocks of three layers each, forward and recomputed."""

    def three(x: Operand) -> list[Operand]:
        for _ in range(3):
            x = function(x)
        return [x]

    matrix = ArrayType((side, side), np.dtype("f4"))
    block = stage(three, matrix).program

    def both(x: Operand) -> list[Operand]:
        stored = [x]
        for _ in range(2):
            stored.append(bind(Checkpoint(block, stores=True), stored[-1])[0])
        x = stored.pop()
        for value in reversed(stored):
            x = ops.add(x, bind(Checkpoint(block, recomputes=True), value)[0])
        return [x]

    return lower_program(stage(both, matrix).program)


def product(x: Operand) -> Operand:
    return ops.dot_general(x, x, contracting=((1,), (0,)))


def test_profile_keeps_the_barriers_of_checkpoints_only() -> None:
    assert profile_of(differentiated(product)).keeps_barriers
    assert not profile_of(differentiated(product, side=2)).keeps_barriers  # there are none
    barrier = stage(lambda x: bind(OptimizationBarrier(), x), ArrayType((9,), np.dtype("f4")))
    assert not profile_of(lower_program(barrier.program)).keeps_barriers


def test_profile_knows_what_might_be_one_loop() -> None:
    assert profile_of(differentiated(ops.exponential)).fuses
    assert not profile_of(differentiated(product)).fuses


def test_what_fuses_is_compiled_with_and_without_barriers(client: Any) -> None:
    device = client.local_devices()[0]

    def temporaries(flags: Mapping[str, object], function: Callable[[Operand], Operand]) -> int:
        lowered = differentiated(function, 300)
        executable = compile_lowered(lowered, client, [device], flags=flags)
        return memory_stats(executable).temp_size_in_bytes

    kept = {"xla_disable_hlo_passes": "cse_barrier_expander,small-while-loop-hoisting"}
    for function in (ops.sine, ops.exponential, product):
        without = temporaries({"xla_disable_hlo_passes": "none-of-these"}, function)
        assert temporaries({}, function) <= temporaries(kept, function)
        if function is not product:
            assert temporaries({}, function) <= without


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
