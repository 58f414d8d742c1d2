"""Names for what programs consist of."""

from __future__ import annotations

from treadle.extend.core import primitives as primitives
