"""`jax._src.api_util`: for e3nn, whose decorators take `static_argnums` and `static_argnames` as `jit` does."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def infer_argnums_and_argnames(
    sig: inspect.Signature,
    argnums: int | Iterable[int] | None,
    argnames: str | Iterable[str] | None,
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Arguments of a function by number and by name: each from the other, where only one is given."""
    numbers = (argnums,) if isinstance(argnums, int) else argnums and tuple(argnums)
    names = (argnames,) if isinstance(argnames, str) else argnames and tuple(argnames)
    parameters = list(sig.parameters.values())
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    if numbers is None and names is None:
        return (), ()
    if names is None:
        chosen = [positional[i] for i in numbers or () if -len(positional) <= i < len(positional)]
        named = [each.name for each in chosen if each.kind is not inspect.Parameter.POSITIONAL_ONLY]
        return tuple(numbers or ()), tuple(named)
    if numbers is None:
        return tuple(i for i, each in enumerate(positional) if each.name in names), tuple(names)
    return tuple(numbers), tuple(names)
