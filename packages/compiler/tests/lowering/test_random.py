from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import ArrayType, ops, stage


@pytest.mark.parametrize("shape", [(2,), (4, 2)])
def test_keys_that_are_derived_stand_behind_a_barrier_on_the_cpu(shape: tuple[int, ...]) -> None:
    """LLVM of jaxlib 0.11 and 0.12 takes for ever over some loops with several ciphers in a chain."""
    keys = ArrayType(shape, np.dtype(np.uint32))
    program = stage(lambda key: [ops.random_split(key, shape=(3,))], keys).program
    assert lower_program(program, platform="cpu").text.count("optimization_barrier") == 1
    assert "optimization_barrier" not in lower_program(program, platform="cuda").text
    bits = stage(lambda key: [ops.random_bits(key, shape=(3,), bit_width=32)], keys).program
    assert "optimization_barrier" not in lower_program(bits, platform="cpu").text
