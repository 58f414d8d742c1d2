"""The part of scipy that there is: `special`."""

from __future__ import annotations

from treadle.scipy import special as special
