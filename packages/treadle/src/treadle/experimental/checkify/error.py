"""`Error`: what a checked function returns in addition to its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np

from treadle.experimental.checkify.conditions import (
    Check,
    checked,
    element,
    elements_here,
    first_false,
)
from treadle.experimental.checkify.sites import Elements, Site
from treadle_ir import Operand, ops, type_of
from treadle_ir.errors import CheckError, ConcretizationError, boundaries, refused
from treadle_ir.tracing import concrete_elements
from treadle_ir.tree import register_pytree_node

__all__ = ["Error", "JaxRuntimeError", "check_error", "init_error"]

JaxRuntimeError = CheckError


@final
class Error:
    """Whether something failed, what and where; a tree of arrays, as any other result.

    Under `vmap` it holds the failures of all batch elements.

    Example:
        >>> import treadle
        >>> from treadle.experimental import checkify
        >>> def f(x):
        ...     checkify.check(x < 3, "{x} is too large", x=x)
        ...     return x
        >>> error, _ = checkify.checkify(f)(5)
        >>> print(error.get())
        5 is too large (`check` failed)
        >>> error.throw()
        Traceback (most recent call last):
        ...
        treadle.errors.FailedCheckError: 5 is too large (`check` failed)
          at <doctest ...
    """

    __slots__ = ("_number", "_payloads", "_sites")

    def __init__(
        self, number: Operand, payloads: Sequence[Operand], sites: tuple[Site, ...]
    ) -> None:
        self._number = number
        self._payloads = tuple(payloads)
        self._sites = sites

    def get(self) -> str | None:
        """Return the message of the first failure, or None. For a batch: a line for each batch element that failed.

        Raises:
            ConcretizationError: while a function is traced.
        """
        found = self._found()
        if not found:
            return None
        if not found[0][0]:
            return found[0][2]
        return "\n".join(
            f"at mapped index {', '.join(map(str, place))}: {text}" for place, _, text in found
        )

    def throw(self) -> None:
        """Raise what failed, if anything did.

        Raises:
            CheckError: a case of it, by what failed: a check, a NaN, a division by zero, an index.
            ConcretizationError: while a function is traced; there `check_error` is the way.
        """
        found = self._found()
        if found:
            text = self.get()
            assert text is not None
            raise found[0][1].error(text)

    def _found(self) -> list[tuple[tuple[int, ...], Site, str]]:
        """Return the batch elements that failed, with the place and the message."""
        numbers = _known(self._number)
        payloads = [_known(payload) for payload in self._payloads]
        first = np.cumsum([0, *(len(site.types) for site in self._sites)])
        found = []
        for place in map(tuple, np.argwhere(numbers)):
            number = int(numbers[place]) - 1
            site = self._sites[number]
            values = [payload[place] for payload in payloads[first[number] : first[number + 1]]]
            found.append((tuple(map(int, place)), site, site.text([np.asarray(v) for v in values])))
        return found

    def __repr__(self) -> str:
        if concrete_elements(self._number) is None:
            return f"Error({len(self._sites)} sites, traced)"
        return f"Error({self.get()})"


def _known(x: Operand) -> Elements:
    elements = elements_here(x)
    if elements is None:
        raise ConcretizationError(
            "whether something failed was asked while a function is traced",
            fix="return the error and look at it outside, or use `checkify.check_error(error)` inside of a "
            "function that `checkify` transforms",
        )
    return elements


register_pytree_node(
    Error,
    lambda error: ((error._number, error._payloads), error._sites),
    lambda sites, children: Error(children[0], children[1], sites),
)


def check_error(error: Error) -> None:
    """Raise what an `Error` holds; while a function is traced, check for it, so that `checkify` finds it again.

    Raises:
        ArgumentError: it is no `Error`.
        CheckError: outside of every transformation, where something failed.

    Example:
        >>> from treadle.experimental import checkify
        >>> inner = checkify.checkify(lambda x: checkify.check(x > 0, "not positive"))
        >>> def outer(x):
        ...     error, _ = inner(x)
        ...     checkify.check_error(error)
        >>> checkify.checkify(outer)(-1)[0].get()
        'not positive (`check` failed)'
    """
    if not isinstance(error, Error):
        raise refused("check_error", "error", "an `Error`, which a checked function returns", error)
    if concrete_elements(error._number) is not None:
        error.throw()
        return
    payloads = iter(error._payloads)
    numbers = ops.reshape(error._number, shape=(type_of(error._number).size,))
    for place, site in enumerate(error._sites, 1):
        values = [next(payloads) for _ in site.types]
        _check_site(site, ops.compare(numbers, np.int32(place), direction="ne"), values)


def _check_site(site: Site, holds: Operand, values: Sequence[Operand]) -> None:
    """Check one site of all batch elements, each of which has its values."""

    first = first_false(holds)
    count = type_of(holds).size
    chosen = [
        element(ops.reshape(x, shape=(count, *type.shape)), first)
        for x, type in zip(values, site.types, strict=True)
    ]
    checked(Check(site), ops.reduce_and(holds, axes=(0,)), chosen)


init_error: Final = Error(np.int32(0), (), ())
"""An error in which nothing failed."""

boundaries(__name__)
