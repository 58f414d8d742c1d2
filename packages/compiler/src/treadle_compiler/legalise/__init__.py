"""Legalisation: `Program -> Program` passes that turn what StableHLO or XLA lacks into operations that they have.

One pass per file, each linear in the size of the program. A program without the feature that a pass is about is
returned as it is, at no cost: what occurs in a program is collected once (`features.py`). The pipeline runs the passes
in order (`pipeline.py`); what remains for lowering is one rule for each operation.
"""

from __future__ import annotations

from treadle_compiler.legalise.pipeline import Stage as Stage, legalise as legalise
from treadle_compiler.legalise.target import Target as Target
