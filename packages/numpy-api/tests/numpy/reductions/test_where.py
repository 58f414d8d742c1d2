"""`where` of reductions."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ShapeError
from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("name", ["sum", "prod", "all", "any", "nansum", "mean", "var"])
def test_it_has_no_more_axes_than_the_array(name: str) -> None:
    with pytest.raises(ShapeError, match=r"\(4, 3\)"):
        getattr(tnp, name)(np.ones(3, np.float32), where=np.ones((4, 3), bool))


def test_it_is_broadcast_to_the_array() -> None:
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for where in (x[0] > 0, x[:, :1] > 4, np.True_):
        np.testing.assert_array_equal(tnp.sum(x, 0, where=where), np.sum(x, 0, where=where))
