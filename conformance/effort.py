"""How hard the suite tries: fast and the same every time, or long and drawn anew, with a seed that is printed."""

from __future__ import annotations

import os
from typing import Final

LONG: Final = os.environ.get("TREADLE_CONFORMANCE_LONG", "") == "1"  # `nox -s conformance-long`
SEED: Final = int(
    os.environ.get("TREADLE_CONFORMANCE_SEED", "0")
)  # the same seed gives the same tests
TIMES: Final = 20 if LONG else 1  # as many examples of hypothesis
