"""Every public function has a row, or a reason for none; a new function cannot come without."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

import numpy as np

import treadle.image
import treadle.lax
import treadle.lax.linalg
import treadle.nn
import treadle.numpy
import treadle.ops
import treadle.scipy.cluster.vq
import treadle.scipy.fft
import treadle.scipy.integrate
import treadle.scipy.interpolate
import treadle.scipy.linalg
import treadle.scipy.ndimage
import treadle.scipy.optimize
import treadle.scipy.signal
import treadle.scipy.sparse.linalg
import treadle.scipy.special
from conformance.derivatives.table import ROWS
from conformance.derivatives.without import WITHOUT
from conformance.functions import identity

NAMESPACES: Final[dict[str, ModuleType]] = {
    "numpy": treadle.numpy,
    "numpy.linalg": treadle.numpy.linalg,
    "numpy.fft": treadle.numpy.fft,
    "scipy.fft": treadle.scipy.fft,
    "lax": treadle.lax,
    "lax.linalg": treadle.lax.linalg,
    "ops": treadle.ops,
    "image": treadle.image,
    "scipy.integrate": treadle.scipy.integrate,
    "scipy.ndimage": treadle.scipy.ndimage,
    "scipy.signal": treadle.scipy.signal,
    "scipy.optimize": treadle.scipy.optimize,
    "scipy.sparse.linalg": treadle.scipy.sparse.linalg,
    "scipy.interpolate": treadle.scipy.interpolate,
    "scipy.cluster.vq": treadle.scipy.cluster.vq,
    "nn": treadle.nn,
    "scipy.linalg": treadle.scipy.linalg,
    "scipy.special": treadle.scipy.special,
}


def listed(module: ModuleType) -> list[str]:
    """The public names of a module."""
    names: list[str] = sorted(set(module.__all__) | {n for n in dir(module) if n[0] != "_"})
    return names


def callables() -> Iterator[tuple[str, Any]]:
    for namespace, module in NAMESPACES.items():
        for name in listed(module):
            found = getattr(module, name)
            if callable(found) and not isinstance(found, ModuleType):
                yield f"{namespace}.{name}", found


def is_type(found: Any) -> bool:
    """Element types make arrays of numbers; float64 has a row for all of them."""
    return isinstance(found, type) or type(found) is type(treadle.numpy.float64)


CALLABLES: Final = dict(callables())
BY_IDENTITY: Final = defaultdict(list)
for _name, _found in CALLABLES.items():
    BY_IDENTITY[identity(_found)].append(_name)
ROWED: Final = {row.name for row in ROWS}


def test_there_are_functions() -> None:
    assert len(CALLABLES) > 500


def test_every_function_has_a_row_or_a_reason() -> None:
    for name, found in CALLABLES.items():
        aliases = BY_IDENTITY[identity(found)]  # one row for all of them
        rows = [other for other in aliases if other in ROWED]
        reasons = [other for other in aliases if other in WITHOUT]
        assert rows or reasons or is_type(found), f"{name}: add a row to conformance/derivatives"
        assert not (rows and reasons), f"{name} has a row, and a reason for none"


def test_every_row_and_reason_is_of_a_function_that_there_is() -> None:
    assert not {*ROWED, *WITHOUT} - set(CALLABLES)


def test_points_and_kinks_have_one_shape() -> None:
    for row in ROWS:
        shapes = {tuple(np.shape(x) for x in point) for point in (*row.points, *row.kinks)}
        assert len(shapes) == 1, row.name
