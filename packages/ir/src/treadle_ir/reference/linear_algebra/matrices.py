"""Matrices of a batch, one by one or all at once, and what becomes of those that have no factorisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from treadle_ir.reference.registry import Elements

Routine: TypeAlias = Callable[[Elements], Sequence[Elements]]


def adjoint(a: Elements) -> Elements:
    """Return the conjugate transposes."""
    swapped = np.swapaxes(a, -1, -2)
    return swapped.conj() if np.iscomplexobj(a) else swapped


def one_by_one(routine: Routine, a: Elements) -> list[Elements]:
    """Return the results of a routine for single matrices."""
    *batch, m, n = a.shape
    results = [routine(each) for each in a.reshape((-1, m, n))]
    return [
        np.reshape(np.stack(each), (*batch, *each[0].shape)) for each in zip(*results, strict=True)
    ]


def or_nan(routine: Routine, a: Elements) -> list[Elements]:
    """Return the results of a routine for batches; NaN for matrices that are not finite or for which it fails.

    The batch is not empty, and the routine can do with the identity.
    """
    good: Elements = np.asarray(np.isfinite(a).all((-2, -1)))
    if not good.all():
        a = np.where(good[..., None, None], a, np.eye(*a.shape[-2:], dtype=a.dtype))
    try:
        results = list(routine(a))
    except np.linalg.LinAlgError:
        return one_by_one(
            lambda each: _alone(routine, each), np.where(good[..., None, None], a, np.nan)
        )
    if good.all():
        return results
    return [
        np.where(good.reshape(good.shape + (1,) * (x.ndim - good.ndim)), x, np.nan) for x in results
    ]


def _alone(routine: Routine, a: Elements) -> Sequence[Elements]:
    if np.isfinite(a).all():
        try:
            return routine(a)
        except np.linalg.LinAlgError:
            pass
    return [np.full_like(x, np.nan) for x in routine(np.eye(*a.shape[-2:], dtype=a.dtype))]
