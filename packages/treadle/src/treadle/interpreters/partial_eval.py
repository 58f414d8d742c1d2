"""JAX's name for jit's tracers: `DynamicJaxprTracer` (in treadle_ir it is `StagedTracer`)."""

from __future__ import annotations

from treadle_ir import StagedTracer

DynamicJaxprTracer = StagedTracer
# The FAQ prints the class; users who know JAX look for this name (row TRC-01).
DynamicJaxprTracer.__name__ = DynamicJaxprTracer.__qualname__ = "DynamicJaxprTracer"
DynamicJaxprTracer.__module__ = __name__
