from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import PartitionSpec as P, Program, ops
from treadle_ir.calling import as_array
from treadle_ir.tree import tree_flatten
from treadle_runtime import Mesh, devices
from treadle_runtime.parallel.parts import OnParts

X = np.arange(4, dtype=np.float32)


def test_out_specs_are_called_after_the_function_was_staged() -> None:
    """They may depend on its results; and if a program of an earlier call is equal, that program is run."""
    ends: list[Any] = []

    def function(x: Any) -> Any:
        ends[:] = [P("x")]
        return ops.add(x, x)

    mesh = Mesh(np.array(devices()[:2]), ("x",))
    programs: list[Program] = []
    parts = OnParts(function, mesh, ("x",), True, programs)
    leaves, structure = tree_flatten((X,))
    for _ in range(2):
        found = parts(list(map(as_array, leaves)), structure, ["x"], [P("x")], lambda _: ends)
        np.testing.assert_array_equal(np.asarray(found), 2 * X)
    assert len(programs) == 1
