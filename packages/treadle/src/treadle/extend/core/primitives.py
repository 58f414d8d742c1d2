"""All of JAX's primitives by name, as views of treadle's instructions: `add_p`, `cholesky_p`, `jit_p`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from treadle_ir import Primitive
from treadle_ir.errors import boundary, unknown_name
from treadle_numpy.lax.linalg.primitives import TABLE as LINALG
from treadle_numpy.lax.other_primitives import OTHERS
from treadle_numpy.lax.primitives import TABLE
from treadle_numpy.lax.views import PrimitiveView

_VIEWS: Final = {**TABLE, **LINALG, **OTHERS}
# Where several names match one of treadle's instructions: the name that equations show.
_SHOWN: Final = ("jit_p", "add_p", "transpose_p", "reshape_p")

# JAX has these here, too; their module needs this one.
_CALLS: Final = ("create_call_primitive", "eval_jaxpr_transpose", "register_call_primitive_rules")

_NAMES: Final = (*_VIEWS, *_CALLS)

__all__ = list(_NAMES)


def __getattr__(name: str) -> Any:  # Any: a view, or one of the functions
    """Return a view by its name."""
    if name in _CALLS:
        return boundary(getattr(import_module("treadle.extend.core.calls"), name))
    if name not in _VIEWS:
        raise unknown_name(__name__, name, _VIEWS)
    return _VIEWS[name]


def __dir__() -> list[str]:
    return __all__


@cache
def _by_mnemonic() -> dict[str, list[PrimitiveView]]:
    """Return the views that may match an instruction, by its mnemonic; the names in `_SHOWN` come first."""
    found: dict[str, list[PrimitiveView]] = {}
    for name in (*_SHOWN, *_VIEWS):
        for mnemonic in _VIEWS[name].mnemonics:
            found.setdefault(mnemonic, []).append(_VIEWS[name])
    return found


def view_for(primitive: Primitive) -> PrimitiveView | None:
    """Return the view under whose name equations show an instruction; None where JAX has no name for it."""
    for view in _by_mnemonic().get(primitive.name, ()):
        if view.matches(primitive):
            return view
    return None
