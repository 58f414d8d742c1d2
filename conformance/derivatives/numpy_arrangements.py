"""Rows of `treadle.numpy`: elements moved, repeated, joined and chosen.

The truth is NumPy's function on mpmath's numbers. What is moved are cubes: they have derivatives of third order.
"""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.numpy as tnp
from conformance.derivatives.numpy_reductions import THREE, M, V
from conformance.derivatives.row import Row, array

CUBE: Final = [[[0.5, -1.0], [2.0, 0.0]], [[1.0, 3.0], [-2.0, 0.25]]]
KEPT: Final = np.array([True, False, True])


def both(name: str, *at: Any, call: Any) -> Row:
    """A call that is the same in NumPy and in treadle."""
    return array(name, *at, truth=lambda *xs: call(np, *xs), function=lambda *xs: call(tnp, *xs))


def cubes(x: Any) -> Any:
    """The cubes of elements."""
    return x * x * x


PLAIN: Final = (
    *(
        "ravel",
        "transpose",
        "flip",
        "fliplr",
        "flipud",
        "rot90",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "squeeze",
    ),
    *("array", "asarray", "tril", "triu", "diagonal", "matrix_transpose", "broadcast_arrays"),
)
CALLS: Final = {
    "reshape": lambda n, x: n.reshape(cubes(x), (3, 2)),
    "swapaxes": lambda n, x: n.swapaxes(cubes(x), 0, 1),
    "moveaxis": lambda n, x: n.moveaxis(cubes(x), 0, 1),
    "rollaxis": lambda n, x: n.rollaxis(cubes(x), 1),
    "permute_dims": lambda n, x: (
        n.transpose(cubes(x), (1, 0)) if n is np else n.permute_dims(cubes(x), (1, 0))
    ),
    "expand_dims": lambda n, x: n.expand_dims(cubes(x), 1),
    "broadcast_to": lambda n, x: n.broadcast_to(cubes(x), (2, 2, 3)),
    "concatenate": lambda n, x: n.concatenate([cubes(x), x], axis=1),
    "concat": lambda n, x: (np.concatenate if n is np else n.concat)([cubes(x), x], axis=1),
    "append": lambda n, x: n.append(cubes(x), x),
    "stack": lambda n, x: n.stack([cubes(x), x], axis=1),
    "hstack": lambda n, x: n.hstack([cubes(x), x]),
    "vstack": lambda n, x: n.vstack([cubes(x), x]),
    "dstack": lambda n, x: n.dstack([cubes(x), x]),
    "column_stack": lambda n, x: n.column_stack([cubes(x), x]),
    "block": lambda n, x: n.block([[cubes(x), x], [x, cubes(x)]]),
    "split": lambda n, x: n.split(cubes(x), 3, axis=1),
    "array_split": lambda n, x: n.array_split(cubes(x), 2, axis=1),
    "hsplit": lambda n, x: n.hsplit(cubes(x), 3),
    "vsplit": lambda n, x: n.vsplit(cubes(x), 2),
    "unstack": lambda n, x: list(cubes(x)) if n is np else n.unstack(cubes(x)),
    "roll": lambda n, x: n.roll(cubes(x), 1, axis=1),
    "tile": lambda n, x: n.tile(cubes(x), (2, 2)),
    "repeat": lambda n, x: n.repeat(cubes(x), 2, axis=1),
    "resize": lambda n, x: n.resize(cubes(x), (3, 3)),
    "take": lambda n, x: n.take(cubes(x), np.array([0, 2, 2]), axis=1),
    "take_along_axis": lambda n, x: n.take_along_axis(cubes(x), np.array([[0, 2], [1, 1]]), axis=1),
    "compress": lambda n, x: n.compress(KEPT, cubes(x), axis=1),
    "apply_along_axis": lambda n, x: n.apply_along_axis(lambda row: row[0] * row[1], 1, cubes(x)),
    "apply_over_axes": lambda n, x: n.apply_over_axes(n.sum, cubes(x), (0, 1)),
    "sort": lambda n, x: n.sort(cubes(x), axis=1),
    "pad": lambda n, x: n.pad(cubes(x), 1, mode="edge"),
    "meshgrid": lambda n, x: n.meshgrid(cubes(x[0]), x[1]),
    "full": lambda n, x: n.full((2,), x[0, 0] * x[0, 1], **({"dtype": object} if n is np else {})),
    "full_like": lambda n, x: n.full_like(x, x[0, 0] * x[0, 1]),
}
OTHERS: Final = (
    array("numpy.partition", V, truth=np.sort, function=lambda x: tnp.sort(tnp.partition(x, 1))),
    array("numpy.sort_complex", V, truth=np.sort, function=lambda x: tnp.real(tnp.sort_complex(x))),
    array(
        "numpy.top_k",
        V,
        truth=lambda x: np.sort(x)[::-1][:2],
        function=lambda x: tnp.top_k(x, 2)[0],
    ),
    array(
        "numpy.put",
        (V, 4.0),
        truth=lambda x, y: np.array([x[0], y, x[2]]),
        function=lambda x, y: tnp.put(x, np.array([1]), y, inplace=False),
    ),
    array(
        "numpy.place",
        V,
        truth=lambda x: np.array([x[0], mp.mpf(3), x[2]]),
        function=lambda x: tnp.place(x, ~KEPT, np.array([3.0]), inplace=False),
    ),
    array(
        "numpy.put_along_axis",
        V,
        truth=lambda x: np.array([x[0], mp.mpf(3), x[2]]),
        function=lambda x: tnp.put_along_axis(x, np.array([1]), 3.0, 0, inplace=False),
    ),
    array("numpy.diag", V, truth=np.diag),
    array("numpy.diag", THREE, truth=np.diag),
    array("numpy.diagflat", V),
    array(
        "numpy.linspace",
        (0.5, 2.0),
        truth=lambda a, b: np.array([a, (a + b) / 2, b]),
        function=lambda a, b: tnp.linspace(a, b, 3),
    ),
    array(
        "numpy.logspace",
        (0.5, 2.0),
        truth=lambda a, b: np.array([mp.power(10, e) for e in (a, (a + b) / 2, b)]),
        function=lambda a, b: tnp.logspace(a, b, 3),
    ),
    array(
        "numpy.geomspace",
        (0.5, 2.0),
        truth=lambda a, b: np.array([a, mp.sqrt(a * b), b]),
        function=lambda a, b: tnp.geomspace(a, b, 3),
    ),
    array(
        "numpy.fromfunction",
        (0.5,),
        truth=lambda a: np.array([a * a * 0, a * a, a * a * 2]),
        function=lambda a: tnp.fromfunction(lambda i: a * a * i, (3,)),
    ),
)
ROWS: Final[tuple[Row, ...]] = (
    *(
        both(f"numpy.{name}", M, call=lambda n, x, name=name: getattr(n, name)(cubes(x)))
        for name in PLAIN
    ),
    both("numpy.dsplit", CUBE, call=lambda n, x: n.dsplit(cubes(x), 2)),
    *(both(f"numpy.{name}", M, call=call) for name, call in CALLS.items()),
    *OTHERS,
)
