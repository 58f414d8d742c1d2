from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_runtime import effects_barrier, io_callback, jit
from treadle_runtime.client import ExecutionError
from treadle_runtime.host.validated import Validated
from treadle_runtime.launch import translated

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def test_effects_barrier_returns_when_callbacks_have_run() -> None:
    log: list[int] = []
    jit(lambda x: io_callback(lambda v: log.append(1), None, x))(1.0)
    effects_barrier()
    assert log == [1]
    effects_barrier()


def test_only_exceptions_of_jaxlib_are_translated() -> None:
    error = ValueError("mine")
    assert translated(error) is error
    from jaxlib._jax import JaxRuntimeError  # noqa: PLC0415 - what the test is about

    assert isinstance(translated(JaxRuntimeError("INTERNAL: no")), ExecutionError)


def test_a_callback_that_calls_compiled_code() -> None:
    inner = jit(lambda x: ops.add(x, x))
    f = jit(lambda x: io_callback(lambda v: np.asarray(inner(v)), x, x))
    assert float(f(2.0)) == pytest.approx(4.0)


def test_an_interrupt_on_entering_a_callback() -> None:
    """A program computes, Ctrl-C comes meanwhile, and Python looks for signals when it is called back."""
    compiled = jit(lambda x: io_callback(lambda v: v, x, x))
    compiled(1.0)

    def interrupt(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is Validated.__call__.__code__:
            sys.setprofile(None)
            raise KeyboardInterrupt

    try:
        sys.setprofile(interrupt)
        with pytest.raises(KeyboardInterrupt):
            compiled(1.0)
    finally:
        sys.setprofile(None)
    assert float(compiled(1.0)) == 1
