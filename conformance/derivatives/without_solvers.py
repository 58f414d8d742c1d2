"""Public functions of solvers without a row, each with the reason."""

from __future__ import annotations

from typing import Final

WITHOUT: Final[dict[str, str]] = {
    "scipy.optimize.minimize": "a search: what it finds has the derivatives that custom_root gives it",
}
