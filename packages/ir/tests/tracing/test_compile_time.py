"""In the block, what touches no tracer is evaluated; all else goes where it went before."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArrayType, ops, stage
from treadle_ir.tracing import StagedTracer, Tracer, ensure_compile_time_eval

F32 = ArrayType((), np.dtype(np.float32))


def test_known_arrays_are_evaluated_and_tracers_are_staged() -> None:
    def function(x: Tracer) -> list[object]:
        known = np.float32(2)
        with ensure_compile_time_eval():
            sum_ = ops.add(known, known)
            assert not isinstance(sum_, Tracer)
            assert float(sum_) == 4
            assert isinstance(ops.multiply(x, sum_), StagedTracer)
        staged = ops.add(known, known)
        assert isinstance(staged, StagedTracer)
        return [staged]

    program = stage(function, F32).program  # type: ignore[arg-type]
    assert [equation.primitive.name for equation in program.equations] == ["multiply", "add"]


def test_blocks_nest_and_end_with_an_error() -> None:
    def function(x: Tracer) -> list[object]:
        block = ensure_compile_time_eval()
        try:
            with block, block:
                raise KeyError
        except KeyError:
            pass
        return [ops.add(np.float32(1), np.float32(1))]

    assert len(stage(function, F32).program.equations) == 1  # type: ignore[arg-type]
