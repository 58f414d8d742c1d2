"""The engine of the rewrites that match an equation and the equations of its operands: one pass, front to back.

A rule gets an equation whose operands have been rewritten already, and returns what replaces its result: another
atom, or equations the last of which defines the same value. New equations are rewritten in turn, so that one pass
reaches the fixed point, where no rule matches. Each rule leaves fewer operations, or the same number
of cheaper ones, which bounds the work by a constant for each equation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, TypeAlias, final

from treadle_ir.core.equality import Numbering
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.convert import Convert

MadeBy: TypeAlias = Mapping[Value, Equation]
Rewritten: TypeAlias = Atom | Sequence[Equation]
Rule: TypeAlias = Callable[[Equation, MadeBy], Rewritten | None]
Rules: TypeAlias = Mapping[type[Primitive], Sequence[Rule]]
Applied: TypeAlias = Callable[[str, Equation, Sequence[Equation]], None]
"""Hears of a rule that applied: its name, the equation that it replaced, and the equations of the operands."""


def is_atom(atom: Atom, other: Atom) -> bool:
    """Return whether two atoms are the same value, or literals of the same bits and type."""
    if atom is other:
        return True
    return isinstance(atom, Literal) and isinstance(other, Literal) and atom.key == other.key


def operand_equations(equation: Equation, made_by: MadeBy) -> list[Equation]:
    """Return the equations that define the operands of an equation."""
    return [made_by[x] for x in equation.operands if type(x) is Value and x in made_by]


def producer(atom: Atom, made_by: MadeBy, primitive: type[Primitive]) -> Equation | None:
    """Return the equation that defines an atom if its operation is of this class, else None."""
    equation = made_by.get(atom) if type(atom) is Value else None
    return equation if equation is not None and type(equation.primitive) is primitive else None


def standing_for(equation: Equation, atom: Atom) -> Rewritten | None:
    """Return `atom` to replace the equation's one result; None if their types do not allow it.

    Shape and element type have to be the same. If only weakness differs, a conversion is returned.
    """
    (result,) = equation.results
    type, wanted = atom.type, result.type
    if type is wanted or _differs_in_knowledge(type, wanted):
        return atom
    if not isinstance(type, ArrayType) or not isinstance(wanted, ArrayType):
        return None
    if type.shape != wanted.shape or type.dtype != wanted.dtype:
        return None
    if type.sharding is not wanted.sharding and not isinstance(atom, Literal):
        return None
    if isinstance(atom, Literal):
        return Literal(atom.value, wanted.plain)
    primitive = Convert(wanted.dtype, wanted.weak)
    return [Equation(primitive, (atom,), equation.results, equation.effects, equation.source)]


def _differs_in_knowledge(type: Type, other: Type) -> bool:
    """Return whether two types differ only in varying axes, or in that one has no sharding, without partial sums."""
    if type.plain is not other.plain:
        return False
    one, two = type.sharding, other.sharding
    return (one is two or one is None or two is None) and not any(
        [each.partial.axes for each in (one, two) if each]
    )


# Merging two of these would undo what they are for.
_NEVER_MERGED: Final = frozenset[type[Primitive]]({OptimizationBarrier})


@final
class Forward:
    """One pass over one program after the other, with the same rules, by primitive or by family.

    `merging` finds equal equations: same primitive, same operands, no effects; the later one is left out. `applied`
    hears of each rule that applied.
    """

    def __init__(self, rules: Rules, *, merging: bool, applied: Applied | None = None) -> None:
        self._applied: Final = applied
        self._rules: Final = rules
        self._by_class: Final[dict[type[Primitive], tuple[Rule, ...]]] = {}
        self._merging: Final = merging
        self._numbering: Final = Numbering()
        # By id; the primitive is stored with its code, so that its id stays unique.
        self._codes: Final[dict[int, tuple[int, Primitive]]] = {}
        self._code_of: Final[dict[Hashable, int]] = {}

    def __call__(self, program: Program) -> Program:
        """Return the rewritten program; the same object if no rule matched."""
        instead: dict[Value, Atom] = {}
        made_by: dict[Value, Equation] = {}
        seen: dict[Hashable, Equation] = {}
        equations: list[Equation] = []
        changed = False
        by_class = self._by_class
        stack: list[Equation] = []
        for original in program.equations:
            stack.append(original)
            while stack:
                equation = stack.pop()
                if instead:
                    equation = substituted(equation, instead)
                cls = type(equation.primitive)
                rules = by_class.get(cls)
                if rules is None:
                    rules = by_class[cls] = self._rules_of(cls)
                for rule in rules:
                    rewritten = rule(equation, made_by)
                    if rewritten is not None:
                        if self._applied is not None:
                            self._applied(
                                rule.__name__, equation, operand_equations(equation, made_by)
                            )
                        if isinstance(rewritten, (Value, Literal)):
                            instead[equation.results[0]] = rewritten
                        else:
                            stack.extend(reversed(rewritten))
                        changed = True
                        break
                else:
                    if self._merging and not equation.effects and cls not in _NEVER_MERGED:
                        earlier = seen.setdefault(self._key(equation), equation)
                        if earlier is not equation:
                            instead.update(zip(equation.results, earlier.results, strict=True))
                            changed = True
                            continue
                    equations.append(equation)
                    for result in equation.results:
                        made_by[result] = equation
        if not changed:
            return program
        results = tuple([instead.get(x, x) if type(x) is Value else x for x in program.results])
        return Program(program.parameters, tuple(equations), results)

    def _rules_of(self, cls: type[Primitive]) -> tuple[Rule, ...]:
        found: list[Rule] = []
        for base in reversed(cls.__mro__):  # the rules of a family come first
            found += self._rules.get(base, ())
        return tuple(found)

    def _key(self, equation: Equation) -> Hashable:
        primitive, operands = equation.primitive, equation.operands
        found = self._codes.get(id(primitive))
        if found is None:
            key = self._numbering.primitive_key(primitive)
            try:
                code = self._code_of.setdefault(key, len(self._code_of))
            except TypeError:  # a user's function with lists among its fields equals no other
                code = self._code_of.setdefault(object(), len(self._code_of))
            found = code, primitive
            self._codes[id(primitive)] = found
        for operand in operands:
            if type(operand) is Literal:
                keys = [x.key if type(x) is Literal else x for x in operands]
                return (found[0], *keys)
        return (found[0], *operands)


def substituted(equation: Equation, instead: Mapping[Value, Atom]) -> Equation:
    """Return the equation with some of its operands replaced by other atoms."""
    if instead.keys().isdisjoint(equation.operands):
        return equation
    operands = tuple([instead.get(x, x) if type(x) is Value else x for x in equation.operands])
    return Equation(
        equation.primitive, operands, equation.results, equation.effects, equation.source
    )
