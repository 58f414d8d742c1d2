from __future__ import annotations

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_batching.rules.groups import rows_taken
from treadle_ir import MissingRuleError, ops

X = np.arange(24, dtype=np.float32).reshape(6, 4)
GROUPS = ((4, 0, 1), (2, 5, 3))


def test_a_group_is_a_batch_of_its_own() -> None:
    found = vmap(
        lambda x: (
            ops.all_reduce(x, reduction="add", axis_name="i", groups=GROUPS),
            ops.all_gather(x, axis_name="i", groups=GROUPS),
        ),
        axis_name="i",
    )(X)
    for group in GROUPS:
        for place in group:
            np.testing.assert_array_equal(np.asarray(found[0])[place], X[[*group]].sum(0))
            np.testing.assert_array_equal(np.asarray(found[1])[place], X[[*group]])


def test_unequal_sizes_and_several_axes_have_no_rule() -> None:
    def total(x: np.ndarray, axes: object, groups: object) -> object:
        return ops.all_reduce(x, reduction="add", axis_name=axes, groups=groups)  # type: ignore[arg-type]

    with pytest.raises(MissingRuleError, match="groups of unequal sizes"):
        vmap(lambda x: total(x, "i", ((0,), (1, 2, 3, 4, 5))), axis_name="i")(X)
    with pytest.raises(MissingRuleError, match="groups along several axes"):
        vmap(
            vmap(
                lambda x: total(x, ("i", "j"), (tuple(range(12)), tuple(range(12, 24)))),
                axis_name="j",
            ),
            axis_name="i",
        )(X)


def test_rows_in_their_order_are_the_rows() -> None:
    assert rows_taken(X, range(6)) is X
    np.testing.assert_array_equal(rows_taken(X, [5, 5, 0]), X[[5, 5, 0]])
