"""Patterns: rewrites of single equations that a tool writes as functions, applied until none matches any more.

A pattern sees an equation whose operands have been rewritten already, and the equations that make these operands. It
returns the atom that takes the place of the equation's result, or None where it does not match. New equations are
matched in their turn. The engine is `Forward`, which the passes of this package use, too: one walk over the program.

    @rewrite_pattern(Exponential)
    def exponential_of_logarithm(equation, rewriter):
        inner = rewriter.producer(equation.operands[0], Log)
        return inner.operands[0] if inner is not None else None

    smaller = apply_patterns(program, [exponential_of_logarithm])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.kinds import ArgumentError, TreadleError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.rewrite.dce import dce
from treadle_ir.rewrite.forward import Forward, MadeBy, Rewritten, Rule, producer, standing_for
from treadle_ir.rewrite.nested import map_programs

_MATCHES: Final = 100
"""Matches for each equation of a program, beyond which patterns are taken to undo each other."""


@final
class PatternRewriter:
    """The queries and additions of a pattern while it matches one equation."""

    def __init__(self, equation: Equation, made_by: MadeBy) -> None:
        self._equation: Final = equation
        self._made_by: Final = made_by
        self.added: Final[list[Equation]] = []

    def producer(self, atom: Atom, primitive: type[Primitive]) -> Equation | None:
        """Return the equation that makes `atom` if its operation is a `primitive`, else None."""
        return producer(atom, self._made_by, primitive)

    def apply(self, primitive: Primitive, *operands: Atom) -> Value:
        """Add an equation in front of the matched one and return its one result.

        The equation has the source of the matched one: errors and profiles name the same line of the user's code.

        Raises:
            ShapeError, DTypeError: the operands do not fit.
            ArgumentError: the operation has effects, or not one result.
        """
        types, effects = inferred(primitive, tuple([operand.type for operand in operands]))
        if effects or len(types) != 1:
            raise ArgumentError(
                f"a pattern cannot add `{primitive.name}`: it has {len(types)} results and the effects {set(effects)}",
                fix="add operations with one result and without effects",
            )
        result = Value(types[0])
        self.added.append(Equation(primitive, operands, (result,), effects, self._equation.source))
        return result

    def literal(self, value: complex, like: Atom) -> Literal:
        """Return a scalar constant of the element type of `like`."""
        assert isinstance(like.type, ArrayType)
        dtype = like.type.dtype
        scalar: Any = dtype.type(value)  # Any: a scalar of any element type
        return Literal(scalar, ArrayType((), dtype, like.type.weak))


Match: TypeAlias = Callable[[Equation, PatternRewriter], Atom | None]


@final
@frozen(eq=False)
class RewritePattern:
    """A function that rewrites equations of certain operations; made by `rewrite_pattern`."""

    primitives: tuple[type[Primitive], ...]
    match: Match

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.match, "__name__", type(self.match).__name__)


def rewrite_pattern(*primitives: type[Primitive]) -> Callable[[Match], RewritePattern]:
    """Make a function a pattern for equations of some operations, or of abstract families of operations; a decorator.

    Args:
        primitives: the classes whose equations the function is called with. Equations with effects, or with another
            number of results than one, are never matched.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.primitives.elementwise import Negate
        >>> from treadle_ir.rewrite import apply_patterns, rewrite_pattern
        >>> @rewrite_pattern(Negate)
        ... def twice_negated(equation, rewriter):
        ...     inner = rewriter.producer(equation.operands[0], Negate)
        ...     return None if inner is None else inner.operands[0]
        >>> vector = ArrayType((3,), np.dtype(np.float32))
        >>> program = stage(lambda x: [ops.sine(ops.negate(ops.negate(x)))], vector).program
        >>> len(apply_patterns(program, [twice_negated]).equations)
        1
    """
    if not primitives or not all(map(_is_operation, primitives)):
        raise ArgumentError(
            f"rewrite_pattern: the arguments must be classes of operations, got {primitives}",
            fix="name the classes to match: `@rewrite_pattern(Exponential)`",
        )

    def decorated(match: Match) -> RewritePattern:
        return RewritePattern(primitives, match)

    return decorated


def _is_operation(given: object) -> bool:
    return isinstance(given, type) and issubclass(given, Primitive)


def apply_patterns(
    program: Program, patterns: Sequence[RewritePattern], *, nested: bool = True
) -> Program:
    """Rewrite a program by patterns until none matches, and remove what has become dead.

    Of several patterns for one operation the first that matches counts; patterns for a family come before those for a
    class.

    Args:
        program: any program.
        patterns: what `rewrite_pattern` returns.
        nested: whether the programs of calls, loops and branches are rewritten as well.

    Returns:
        A program with the same types of parameters and results; `program` itself if nothing matched.

    Raises:
        TreadleError: a pattern returned a value of another type, or patterns undo each other without end.
    """
    budget = _Budget(_MATCHES * (1 + sum(len(p.equations) for p in (program, *program.nested()))))
    rules: dict[type[Primitive], list[Rule]] = {}
    for pattern in patterns:
        for primitive in pattern.primitives:
            rules.setdefault(primitive, []).append(_rule(pattern, budget))
    forward = Forward(rules, merging=False)
    rewritten = map_programs(program, forward) if nested else forward(program)
    return program if rewritten is program else dce(rewritten)


class _Budget:
    """The number of matches that are left."""

    def __init__(self, matches: int) -> None:
        self.matches = matches


def _rule(pattern: RewritePattern, budget: _Budget) -> Rule:
    def rule(equation: Equation, made_by: MadeBy) -> Rewritten | None:
        if equation.effects or len(equation.results) != 1:
            return None
        rewriter = PatternRewriter(equation, made_by)
        atom = pattern.match(equation, rewriter)
        if atom is None or atom is equation.results[0]:
            return None
        budget.matches -= 1
        if budget.matches < 0:
            raise TreadleError(
                f"the pattern {pattern.name} matches again and again: {equation.primitive.name} was rewritten "
                f"more than {_MATCHES} times for each equation of the program",
                fix="let each pattern leave fewer or cheaper operations, so that no two of them undo each other",
            )
        return _replaced(pattern, equation, rewriter.added, atom)

    return rule


def _replaced(
    pattern: RewritePattern, equation: Equation, added: list[Equation], atom: Atom
) -> Rewritten:
    """Return `atom`, or the added equations, one of which defines the equation's result."""
    standing = standing_for(equation, atom)
    if standing is None:
        raise TreadleError(
            f"the pattern {pattern.name} replaced `{equation.primitive.name}` of type {equation.results[0].type} "
            f"by a value of type {atom.type}",
            fix="return an atom of the same type: convert, reshape or broadcast it with `rewriter.apply`",
        )
    if not any(each.results[0] is atom for each in added):
        return standing
    if isinstance(standing, (Value, Literal)):
        return [_renamed(each, atom, equation.results[0]) for each in added]
    return [*added, *standing]  # a conversion to the weakness of the result


def _renamed(equation: Equation, old: Atom, new: Value) -> Equation:
    """Return the equation with the value `new` wherever it has `old`, as an operand or as its result."""
    operands = tuple([new if x is old else x for x in equation.operands])
    results = (new,) if equation.results[0] is old else equation.results
    return Equation(equation.primitive, operands, results, equation.effects, equation.source)
