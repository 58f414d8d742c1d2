"""Functions of `treadle.nn` without a row, each with the reason."""

from __future__ import annotations

from typing import Final

WITHOUT: Final[dict[str, str]] = {
    "nn.get_scaled_dot_general_config": "it says that it is not there",
}
