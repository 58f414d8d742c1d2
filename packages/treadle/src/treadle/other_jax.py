"""treadle and the real jax in one process: neither takes arrays that the other one traces; errors explain what to do.

Each takes the other's arrays only where both convert explicitly: `asarray`. Functions do not convert, just as JAX's
functions do not convert a tensor of another library.
"""

from __future__ import annotations

import sys
from typing import Final, final

from treadle_ir import ArgumentError, TreadleError
from treadle_ir.errors import shown

_HOOK = "run the program on treadle as a whole: `python -m treadle_jax script.py`, or `treadle_jax.install()` first"
# Phrases of the real jax's errors about a value that it does not know.
_REFUSALS = ("valid JAX type", "JAX value", "ndarray or scalar arguments", "abstract array")


@final
class OtherJax:
    """The real jax, and JAX as a name of treadle under the hook of treadle-jax: the port of `treadle_ir` for both."""

    conversion: Final = "__jax_array__"

    def displayed_name(self) -> str | None:
        """Return JAX if `import jax` gives treadle."""
        hooked = type(sys.modules.get("jax")).__module__.startswith("treadle_jax")
        return "JAX" if hooked else None

    def refusal(self, x: object, asked: bool) -> ArgumentError | None:
        """Return the error for an array or a tracer of the real jax; None for other values."""
        kind = type(x)
        if kind.__module__.partition(".")[0] not in ("jax", "jaxlib") or not hasattr(kind, "aval"):
            return None
        if hasattr(kind, self.conversion):
            return ArgumentError(
                f"{shown(x)} of type {kind} is traced by the real jax, which cannot trace functions of treadle's",
                fix=_HOOK,
            )
        if asked:
            return None
        return ArgumentError(
            f"{shown(x)} of type {kind} is an array of the real jax, which treadle does not convert by itself",
            fix=f"convert it first: `treadle.numpy.asarray(x)`; or {_HOOK}",
        )

    def explain(self, error: Exception) -> None:
        """Add a fix to an error of the real jax that refuses an array which treadle is tracing."""
        text = str(error)
        if isinstance(error, TreadleError) or "treadle" not in text:
            return
        note = f"  fix: the real jax cannot take what treadle traces: {_HOOK}"
        if any([each in text for each in _REFUSALS]) and note not in getattr(
            error, "__notes__", ()
        ):
            error.add_note(note)
