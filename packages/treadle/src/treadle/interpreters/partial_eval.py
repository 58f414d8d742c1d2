"""JAX's name for jit's tracers: `DynamicJaxprTracer` (in treadle_ir it is `StagedTracer`)."""

from __future__ import annotations

from treadle_ir import StagedTracer

DynamicJaxprTracer = StagedTracer


def name_tracers() -> None:
    """Let the class print under this name: the FAQ prints it, and users who know JAX look for it."""
    DynamicJaxprTracer.__name__ = DynamicJaxprTracer.__qualname__ = "DynamicJaxprTracer"
    DynamicJaxprTracer.__module__ = __name__
