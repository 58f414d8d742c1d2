from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.tree import tree_leaves
from treadle_numpy import lax


def test_tokens_are_trees_without_leaves() -> None:
    token = lax.after_all(lax.create_token(), lax.create_token(3))
    assert isinstance(token, lax.Token)
    assert tree_leaves(token) == []
    assert token.block_until_ready() is token
    assert isinstance(lax.after_all(), lax.Token)


def test_only_tokens_are_taken() -> None:
    with pytest.raises(ArgumentError, match="a token of"):
        lax.after_all(np.ones(3))  # type: ignore[arg-type]
