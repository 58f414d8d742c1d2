"""`jax._src.util`: helpers about lists, for interpreters of jaxprs as JAX's own tutorial writes them, and genjax."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex, TypeVar

from treadle.errors import AxisError

T = TypeVar("T")


def safe_map(f: Callable[..., T], /, *args: Iterable[Any]) -> list[T]:
    """`map` as a list.

    Raises:
        ValueError: the arguments are not equally long.
    """
    return [f(*each) for each in zip(*args, strict=True)]


def safe_zip(*args: Iterable[Any]) -> list[tuple[Any, ...]]:
    """`zip` as a list.

    Raises:
        ValueError: the arguments are not equally long.
    """
    return [*zip(*args, strict=True)]


def unzip2(xys: Iterable[tuple[Any, Any]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the first and the second elements of pairs."""
    pairs = [*xys]
    return tuple([x for x, _ in pairs]), tuple([y for _, y in pairs])


def unzip3(
    xyzs: Iterable[tuple[Any, Any, Any]],
) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Return the first, the second and the third elements of triples."""
    triples = [*xyzs]
    x, y, z = [tuple([each[i] for each in triples]) for i in range(3)]
    return x, y, z


def split_list(args: Sequence[T], ns: Sequence[int]) -> list[list[T]]:
    """Parts of a list of the lengths `ns`, and what is left."""
    parts, start = [], 0
    for n in ns:
        parts.append([*args[start : start + n]])
        start += n
    return [*parts, [*args[start:]]]


def partition_list(bs: Sequence[bool], l: Sequence[T]) -> tuple[list[T], list[T]]:  # noqa: E741 - JAX's name
    """Return the elements of `l` where `bs` is false, and those where it is true."""
    pairs = [*zip(bs, l, strict=True)]
    return [x for b, x in pairs if not b], [x for b, x in pairs if b]


def merge_lists(bs: Sequence[bool], l0: Sequence[T], l1: Sequence[T]) -> list[T]:
    """Return one list again of what `partition_list` gave."""
    parts = iter(l0), iter(l1)
    merged = [next(parts[bool(b)]) for b in bs]
    assert not [*parts[0], *parts[1]], "more elements than places"
    return merged


def canonicalize_axis(axis: SupportsIndex, num_dims: int) -> int:
    """Return an axis counted from the front.

    Raises:
        AxisError: there is no such axis. (Also a ValueError.)
    """
    axis = operator.index(axis)
    if not -num_dims <= axis < num_dims:
        raise AxisError(f"axis {axis} is out of bounds for array of dimension {num_dims}")
    return axis % num_dims
