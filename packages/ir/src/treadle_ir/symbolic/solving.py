"""Sizes of names from shapes: one linear equation of one unknown after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from treadle_ir.core.sizes import Symbolic
from treadle_ir.errors.kinds import ArgumentError, ShapeError
from treadle_ir.symbolic.bounds import INFINITY
from treadle_ir.symbolic.dimension import SymbolicDimension, made, polynomial_of
from treadle_ir.symbolic.polynomial import Factor, Polynomial, constant, substituted
from treadle_ir.symbolic.scope import SymbolicScope

Size = SymbolicDimension | int


_TRIES: Final = 64


class Axis(NamedTuple):
    """One size of one argument: the declared size, the actual size, and the argument's name in messages."""

    name: str
    axis: int
    expected: Size
    found: Size

    def __str__(self) -> str:
        return f"{self.name}.shape[{self.axis}]"


def mixed(function: str, shapes: Sequence[tuple[Size, ...]]) -> ArgumentError | None:
    """Return why the sizes of arguments do not belong together, or None if they are all of one scope."""
    sizes = [size for shape in shapes for size in shape if isinstance(size, Symbolic)]
    other = next((size for size in sizes if size.scope != sizes[0].scope), None)
    if other is None:
        return None
    return ArgumentError(
        f"{function}: invalid mixing of symbolic scopes: the sizes {sizes[0]} of {sizes[0].scope} and {other} of "
        f"{other.scope}",
        fix="make both with one call of symbolic_shape, or pass scope=... to the second",
    )


def unsolvable(function: str, shapes: Sequence[tuple[Size, ...]]) -> ArgumentError | None:
    """Return why the shapes of arguments do not determine all sizes, or None if they do."""
    known: set[str] = set()
    waiting = [size.polynomial for shape in shapes for size in shape if isinstance(size, Symbolic)]
    missing = {name for each in waiting for name in each.variables()}
    progress = True
    while progress:
        progress = False
        for each in waiting:
            unknown = _unknown(each, known)
            if unknown is not None:
                known.add(unknown)
                progress = True
    missing -= known
    if not missing:
        return None
    listed = ", ".join(sorted(missing))
    without = [str(each) for each in waiting if each.variables() & missing]
    return ArgumentError(
        f"{function}: the sizes {listed} cannot be found from the shapes of arguments, which say "
        f"{', '.join(without)} only",
        fix=f"pass an array that has {listed} as a size of its own, or that times a number plus a number",
    )


def _unknown(polynomial: Polynomial, known: set[str]) -> str | None:
    """Return the one name that is not known, if the polynomial is linear in it with a coefficient that is a number."""
    unknown: list[Factor] = [
        f
        for f in polynomial.factors()
        if (f not in known if isinstance(f, str) else not _names(f.left, f.right) <= known)
    ]
    if len(unknown) != 1 or not isinstance(unknown[0], str):
        return None
    for monomial, _ in polynomial.terms:
        if any([f == unknown[0] for f, _ in monomial]) and monomial != ((unknown[0], 1),):
            return None
    return unknown[0]


def _names(*polynomials: Polynomial) -> set[str]:
    return {name for each in polynomials for name in each.variables()}


def solve(
    function: str, axes: Sequence[Axis], scope: SymbolicScope
) -> tuple[dict[str, Size], SymbolicScope]:
    """Return a size for each name, and the scope of those that are symbolic again.

    Raises:
        ShapeError: the actual sizes are inconsistent, are not integers, or break a constraint.
    """
    target = (
        next((each.found.scope for each in axes if isinstance(each.found, SymbolicDimension)), None)
        or SymbolicScope()
    )
    values: dict[str, Size] = {}
    origins: dict[str, Axis] = {}
    waiting = [each for each in axes if isinstance(each.expected, SymbolicDimension)]
    while waiting:
        later: list[Axis] = []
        for each in waiting:
            expected = polynomial_of(each.expected)
            unknown = _unknown(expected, {*values})
            if unknown is not None:
                values[unknown] = _solved(function, each, unknown, values, target)
                origins[unknown] = each
            elif not expected.variables() <= {*values}:
                later.append(each)
        if len(later) == len(waiting):
            break
        waiting = later
    for each in axes:
        expected_size = each.expected
        if isinstance(expected_size, SymbolicDimension):
            expected_size = expected_size.at(values, target)
        if expected_size != each.found:
            raise _mismatch(function, each, expected_size, values, origins)
    _check(function, values, origins, scope, target)
    return values, target


def sample(names: Sequence[str], scope: SymbolicScope) -> dict[str, Size] | None:
    """Return small sizes that break no constraint, to try a program with; None where none were found."""
    bounds = {name: scope.bounds(scope.normal(Polynomial.variable(name))) for name in names}
    for more in (*range(1, _TRIES), 0):
        found = {
            name: int(min(low if low == -INFINITY else low + more, high))
            for name, (low, high) in bounds.items()
        }
        known = {name: constant(size) for name, size in found.items()}
        if scope.broken(known, SymbolicScope()) is None:
            return dict(found)
    return None


def _solved(
    function: str, axis: Axis, unknown: str, values: dict[str, Size], target: SymbolicScope
) -> Size:
    known = {name: polynomial_of(value) for name, value in values.items()}
    ((coefficient,), rest) = _split(polynomial_of(axis.expected), unknown)
    left = polynomial_of(axis.found) - substituted(rest, known, target.operation)
    quotient, remainder = left.divided(constant(coefficient))
    if remainder.terms:
        raise ShapeError(
            f"{function}: {axis} is {axis.found}, which {axis.expected} cannot be for any integer {unknown}",
            fix=f"pass an array whose axis {axis.axis} has a size of the form {axis.expected}",
        )
    solved: Size = made(quotient, target)
    return solved


def _split(polynomial: Polynomial, name: str) -> tuple[tuple[int], Polynomial]:
    terms = dict(polynomial.terms)
    coefficient = terms.pop(((name, 1),))
    return (int(coefficient),), Polynomial(terms)


def _mismatch(
    function: str, axis: Axis, value: Size, values: dict[str, Size], origins: dict[str, Axis]
) -> ShapeError:
    if not isinstance(axis.expected, SymbolicDimension):
        return ShapeError(
            f"Shape mismatch for {axis}: {function} expects {axis.expected}, got {axis.found}",
            fix="export the function with a symbolic size there, or for this shape, too",
        )
    because = ", ".join(
        [
            f"{name} is {values[name]} by {origins[name]} = {origins[name].found}"
            for name in sorted(axis.expected.variables())
        ]
    )
    return ShapeError(
        f"Shape mismatch for {axis}: {function} expects {axis.expected}, which is {value} since {because}, "
        f"got {axis.found}",
        fix="pass arrays whose shapes fit together",
    )


def _check(
    function: str,
    values: dict[str, Size],
    origins: dict[str, Axis],
    scope: SymbolicScope,
    target: SymbolicScope,
) -> None:
    for name, value in values.items():
        if not value >= 1:  # may be undecided, which says what to add
            raise ShapeError(
                f"{function}: {origins[name]} is {origins[name].found}, so {name} is {value}, but sizes of names are "
                "at least 1",
                fix="pass an array with elements, or export the function for this shape, too",
            )
    known = {name: polynomial_of(value) for name, value in values.items()}
    broken = scope.broken(known, target)
    if broken is not None:
        sizes = ", ".join([f"{name} is {value}" for name, value in sorted(values.items())])
        raise ShapeError(
            f"{function}: the constraint {broken} does not hold, since {sizes}",
            fix="pass arrays of other shapes, or export the function under other constraints",
        )
