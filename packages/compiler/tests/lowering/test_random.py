from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import Array, ArrayType, ops, stage


@pytest.mark.parametrize("shape", [(2,), (4, 2)])
def test_keys_that_are_derived_stand_behind_a_barrier_on_the_cpu(shape: tuple[int, ...]) -> None:
    """LLVM of jaxlib 0.11 and 0.12 takes for ever over some loops with several ciphers in a chain."""
    keys = ArrayType(shape, np.dtype(np.uint32))
    program = stage(lambda key: [ops.random_split(key, shape=(3,))], keys).program
    assert lower_program(program, platform="cpu").text.count("optimization_barrier") == 1
    assert "optimization_barrier" not in lower_program(program, platform="cuda").text
    bits = stage(lambda key: [ops.random_bits(key, shape=(3,), bit_width=32)], keys).program
    assert "optimization_barrier" not in lower_program(bits, platform="cpu").text


def test_draws_that_are_alike_share_one_function() -> None:
    """A cipher is some hundred operations: a program that draws often would be a long text."""
    key = ArrayType((2,), np.dtype(np.uint32))

    def drawn(count: int, *sizes: int) -> str:
        def function(key: Array) -> list[Array]:
            bits = []
            for _ in range(count):
                key = ops.random_fold_in(key, np.uint32(1))
                bits += [ops.random_bits(key, shape=(size,), bit_width=32) for size in sizes]
            return bits

        return lower_program(stage(function, key).program, platform="cpu").text

    text = drawn(10, 3)
    assert text.count("func.func private") == 2
    assert text.count("func.call") == 20
    assert len(text) < 1.5 * len(drawn(1, 3))
    assert drawn(2, 3, 4).count("func.func private") == 3  # other types, another function
