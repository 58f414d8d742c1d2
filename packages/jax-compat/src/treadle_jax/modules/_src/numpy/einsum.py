"""`jax._src.numpy.einsum`: for haliax, which finds the order of the products itself and leaves them to these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import treadle.numpy as tnp
from treadle import Array
from treadle.typing import ArrayLike, DTypeLike

_poly_einsum_handlers: Final[dict[type, Callable[..., Any]]] = {}
"""What finds the order for sizes of a type that stands for unknown ones: nothing but the default."""


def _default_poly_einsum_handler(*operands: Any, **options: Any) -> Any:  # Any: opt_einsum's
    """Return the order that opt_einsum finds."""
    import opt_einsum  # noqa: PLC0415 - only who calls it pays for the import

    return opt_einsum.contract_path(*operands, **options)


def _einsum(
    operands: Sequence[ArrayLike],
    contractions: Sequence[tuple[Sequence[int], frozenset[str], str]],
    precision: Any,  # Any: as `einsum` takes it
    preferred_element_type: DTypeLike | None,
    _dot_general: Callable[..., Array],
    out_sharding: Any = None,  # Any: as `einsum` takes it
) -> Array:
    """Return the products in an order that was found before.

    Each of `contractions` says which of the operands it takes off the list, the letters that it sums over, and its
    subscripts; its result goes to the end of the list.
    """
    left = list(operands)
    for positions, _, subscripts in contractions:
        taken = [left.pop(position) for position in positions]
        letters, _, result = subscripts.partition("->")
        reverse = ",".join(reversed(letters.split(",")))  # as einsum takes two: the earlier first
        left.append(
            tnp.einsum(
                f"{reverse}->{result}",
                *reversed(taken),
                precision=precision,
                preferred_element_type=preferred_element_type,
                _dot_general=_dot_general,
                out_sharding=out_sharding if not left else None,
            )
        )
    return tnp.asarray(left[0])
