"""Taylor mode: derivatives of high order along a curve, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.experimental.jet.defining import (
        def_comp as def_comp,
        def_deriv as def_deriv,
        deflinear as deflinear,
        defzero as defzero,
    )
    from treadle.experimental.jet.modules import lax_internal as lax_internal, lu as lu, pe as pe
    from treadle.experimental.jet.own import (
        deriv_prop as deriv_prop,
        linear_prop as linear_prop,
        zero_prop as zero_prop,
    )
    from treadle.experimental.jet.registry import jet_rules as jet_rules
    from treadle.experimental.jet.series import (
        ZeroSeries as ZeroSeries,
        ZeroTerm as ZeroTerm,
        fact as fact,
        zero_series as zero_series,
        zero_term as zero_term,
    )
    from treadle.experimental.jet.trace import JetTrace as JetTrace, JetTracer as JetTracer
    from treadle.experimental.jet.transform import jet as jet

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.experimental.jet.defining": "def_comp def_deriv deflinear defzero",
            "treadle.experimental.jet.modules": "lax_internal lu pe",
            "treadle.experimental.jet.own": "deriv_prop linear_prop zero_prop",
            "treadle.experimental.jet.registry": "jet_rules",
            "treadle.experimental.jet.series": "ZeroSeries ZeroTerm fact zero_series zero_term",
            "treadle.experimental.jet.trace": "JetTrace JetTracer",
            "treadle.experimental.jet.transform": "jet",
        },
    )
