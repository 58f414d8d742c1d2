from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Ignore overflow, as the evaluator does, since it occurs in numbers that are not selected."""
    with np.errstate(all="ignore"):
        yield
