"""All of JAX's primitives by name, as views of treadle's instructions: `add_p`, `cholesky_p`, `jit_p`."""

from __future__ import annotations

from typing import Final

from treadle_ir import unknown_name
from treadle_numpy.lax.linalg.primitives import TABLE as LINALG
from treadle_numpy.lax.other_primitives import OTHERS
from treadle_numpy.lax.primitives import TABLE
from treadle_numpy.lax.views import PrimitiveView

_VIEWS: Final = {**TABLE, **LINALG, **OTHERS}

__all__ = list(_VIEWS)


def __getattr__(name: str) -> PrimitiveView:
    """A view by its name."""
    if name not in _VIEWS:
        raise unknown_name(__name__, name, _VIEWS)
    return _VIEWS[name]


def __dir__() -> list[str]:
    return list(_VIEWS)
