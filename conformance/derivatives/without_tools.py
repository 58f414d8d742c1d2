"""Functions that exchange arrays with other libraries and have no row."""

from __future__ import annotations

from typing import Final

WITHOUT: Final[dict[str, str]] = {
    "numpy.from_dlpack": "it takes arrays of other libraries, which have no derivatives here",
}
