"""What `import treadle` installs, all in one place.

The packages below know each other through ports: who evaluates, what operators of arrays mean, how a function is
vectorised. Here each port gets its implementation, and the classes that users meet get the names that they know.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import treadle
import treadle_numpy
import treadle_runtime
from treadle import environment
from treadle.other_jax import OtherJax
from treadle_ir import Array, Operand, Program, UnsupportedError, errors
from treadle_ir.errors import source
from treadle_ir.settings import read_prefix
from treadle_ir.tracing import StagedTracer, install
from treadle_numpy.arrays import table
from treadle_runtime import RuntimeEvaluator

if TYPE_CHECKING:
    from treadle.core import ShapedArray


def to_device(x: Array, /, device: treadle_runtime.Device, *, stream: None = None) -> Array:
    """Return the array on a device; the method `x.to_device` of the array API standard."""
    if stream is not None:
        raise UnsupportedError("to_device: streams are not supported", fix="leave `stream` out")
    moved: Array = treadle_runtime.device_put(x, device)
    return moved


def aval(x: Array) -> ShapedArray:
    """Return the abstract value of an array: the attribute `x.aval`."""
    from treadle import core  # noqa: PLC0415 - when it is first needed

    return core.aval(x)


def assemble() -> None:
    """Install everything; once, when `treadle` is imported."""
    read_prefix("JAX_")
    source.internal(treadle.__path__[0])
    source.internal(treadle_numpy.__path__[0])
    table.install()
    install(
        evaluator=RuntimeEvaluator(),
        operators={"aval": property(aval), "to_device": to_device},
        vmap=_vmap,
        sharding=treadle_runtime,
        program_view=_viewed,
        other_library=OtherJax(),
    )
    _name_tracers()
    errors.show_as("treadle.errors")
    environment.warn_of_unknown(os.environ)
    environment.apply_strictness(os.environ)


def _name_tracers() -> None:
    """Let the class of jit's tracers print under JAX's name: the FAQ prints it, and users who know JAX look for it."""
    StagedTracer.__name__ = StagedTracer.__qualname__ = "DynamicJaxprTracer"
    StagedTracer.__module__ = "treadle.interpreters.partial_eval"


def _viewed(
    program: Program,
    captured: Sequence[Operand],
    shardings: tuple[Sequence[Any], Sequence[Any]] | None,
) -> Any:
    from treadle.jaxprs import ClosedJaxpr, Jaxpr  # noqa: PLC0415 - when it is first needed

    return ClosedJaxpr(Jaxpr.of(program, len(captured), shardings), captured)


def _vmap(*args: Any, **kwargs: Any) -> Any:
    import treadle_batching  # noqa: PLC0415 - when it is first needed

    return treadle_batching.vmap(*args, **kwargs)
