"""shard_map as older programs call it."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle import lax
from treadle.errors import ArgumentError
from treadle.experimental.shard_map import shard_map
from treadle.sharding import PartitionSpec as P


def test_the_mesh_comes_second() -> None:
    mesh = treadle.make_mesh((1,), ("x",))
    add = shard_map(lambda x: lax.psum(x, "x"), mesh, P("x"), P(), check_rep=False)
    np.testing.assert_array_equal(np.asarray(add(np.ones(3, np.float32))), np.ones(3))


def test_auto_names_axes_of_the_mesh() -> None:
    with pytest.raises(ArgumentError, match="auto has 'z'"):
        shard_map(lambda x: x, treadle.make_mesh((1,), ("x",)), P("x"), P("x"), auto={"z"})
