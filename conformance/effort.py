"""How hard the suite tries: briefly, as `.ci/run` does; wholly, which is the default; or long, with newly drawn cases.

A brief run leaves out cases of the slowest laws (`brief.py`) and third derivatives. The same cases run every time,
briefly and wholly; a long run prints the seed that draws its cases.
"""

from __future__ import annotations

import os
from typing import Final

BRIEF: Final = os.environ.get("TREADLE_CONFORMANCE_BRIEF", "") == "1"  # `nox -s conformance-brief`
LONG: Final = os.environ.get("TREADLE_CONFORMANCE_LONG", "") == "1"  # `nox -s conformance-long`
SEED: Final = int(
    os.environ.get("TREADLE_CONFORMANCE_SEED", "0")
)  # the same seed gives the same tests
TIMES: Final = 20 if LONG else 1  # as many examples of hypothesis
