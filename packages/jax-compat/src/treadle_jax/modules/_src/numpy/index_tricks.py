"""`jax._src.numpy.index_tricks`: the classes of `c_` and `r_`, for saiunit, which has its own for quantities."""

from __future__ import annotations

from typing import Any

import treadle.numpy as tnp


class _Concatenator:
    """Arrays between square brackets as one array, by the object of `treadle.numpy` that does it."""

    _by: Any

    def __getitem__(self, key: Any) -> Any:
        return self._by[key]

    def __len__(self) -> int:
        return 0


class CClass(_Concatenator):
    """The class of `c_`: arrays as the columns of one."""

    _by = tnp.c_
    axis, ndmin, trans1d, op_name = -1, 2, 0, "c_"


class RClass(_Concatenator):
    """The class of `r_`: arrays one after the other."""

    _by = tnp.r_
    axis, ndmin, trans1d, op_name = 0, 1, -1, "r_"
