from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What is not selected may overflow, as under the evaluator."""
    with np.errstate(all="ignore"):
        yield
