"""`treadle_numpy` without the facade: it offers the same functions itself."""

from __future__ import annotations

from typing import assert_type

import treadle_numpy as tnp
import treadle_numpy.scipy.special
from treadle_numpy import Array, lax, nn, random

assert_type(tnp.arange(3), Array)
assert_type(tnp.linalg.norm(tnp.ones(3)), Array)
assert_type(lax.neg(1.0), Array)
assert_type(nn.relu(1.0), Array)
assert_type(random.bits(random.PRNGKey(0)), Array)
assert_type(treadle_numpy.scipy.special.gamma(1.0), Array)
tnp.sinn(1.0)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
