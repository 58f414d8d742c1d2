"""Ordinary differential equations: `odeint`, and the steps that it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.experimental.ode.dormand_prince import (
        fit_4th_order_polynomial as fit_4th_order_polynomial,
        interp_fit_dopri as interp_fit_dopri,
        runge_kutta_step as runge_kutta_step,
    )
    from treadle.experimental.ode.integration import (
        odeint as odeint,
        ravel_first_arg as ravel_first_arg,
    )
    from treadle.experimental.ode.lengths import map as map, zip as zip
    from treadle.experimental.ode.step_sizes import (
        abs2 as abs2,
        initial_step_size as initial_step_size,
        mean_error_ratio as mean_error_ratio,
        optimal_step_size as optimal_step_size,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.experimental.ode.dormand_prince": (
                "fit_4th_order_polynomial interp_fit_dopri runge_kutta_step"
            ),
            "treadle.experimental.ode.integration": "odeint ravel_first_arg",
            "treadle.experimental.ode.lengths": "map zip",
            "treadle.experimental.ode.step_sizes": (
                "abs2 initial_step_size mean_error_ratio optimal_step_size"
            ),
        },
    )
