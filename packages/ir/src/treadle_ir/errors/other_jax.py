"""treadle and the real jax in one process: neither takes arrays that the other one traces; errors explain what to do.

Each takes the other's arrays only where both convert explicitly: `asarray`. Functions do not convert, just as JAX's
functions do not convert a tensor of another library.
"""

from __future__ import annotations

from treadle_ir.errors.argument_checks import shown
from treadle_ir.errors.kinds import ArgumentError, TreadleError

_HOOK = "run the program on treadle as a whole: `python -m treadle_jax script.py`, or `treadle_jax.install()` first"
# Phrases of the real jax's errors about a value that it does not know.
_REFUSALS = ("valid JAX type", "JAX value", "ndarray or scalar arguments", "abstract array")


def is_of_jax(x: object) -> bool:
    """Return whether a value is an array or a tracer of the real jax."""
    kind = type(x)
    return kind.__module__.partition(".")[0] in ("jax", "jaxlib") and hasattr(kind, "aval")


def array_of_jax(x: object) -> ArgumentError:
    """Return the error for an array or a tracer of the real jax where an array of treadle's is needed."""
    if hasattr(type(x), "__jax_array__"):
        return ArgumentError(
            f"{shown(x)} of type {type(x)} is traced by the real jax, which cannot trace functions of treadle's",
            fix=_HOOK,
        )
    return ArgumentError(
        f"{shown(x)} of type {type(x)} is an array of the real jax, which treadle does not convert by itself",
        fix=f"convert it first: `treadle.numpy.asarray(x)`; or {_HOOK}",
    )


def explain(error: Exception) -> None:
    """Add a fix to an error of the real jax that refuses an array which treadle is tracing."""
    text = str(error)
    if isinstance(error, TreadleError) or "treadle" not in text:
        return
    note = f"  fix: the real jax cannot take what treadle traces: {_HOOK}"
    if any([each in text for each in _REFUSALS]) and note not in getattr(error, "__notes__", ()):
        error.add_note(note)
