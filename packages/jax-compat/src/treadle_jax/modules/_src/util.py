"""`jax._src.util`: for interpreters of jaxprs as JAX's own tutorial writes them, with `safe_map`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

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
