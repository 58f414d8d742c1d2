"""Special functions that have no row."""

from __future__ import annotations

from typing import Final

from conformance.derivatives.without import NUMBERS

DERIVATIVE: Final = "a derivative itself; its own are tried by test_jvp.py"

WITHOUT: Final[dict[str, str]] = {
    "lax.igamma_grad_a": DERIVATIVE,
    "lax.random_gamma_grad": DERIVATIVE,
    "scipy.special.bernoulli": NUMBERS,
}
