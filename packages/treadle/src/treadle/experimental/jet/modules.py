"""Modules of treadle under the short names that programs for JAX find in `jet`."""

from __future__ import annotations

from treadle import lax as lax_internal
from treadle.extend import linear_util as lu
from treadle.interpreters import partial_eval as pe
from treadle_ir.errors import boundaries

__all__ = ["lax_internal", "lu", "pe"]

boundaries(__name__)
