"""How the axes of a function's arguments and results correspond: rules for Shardy, as objects or as strings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Final, final

from treadle_ir import ArgumentError, ArrayType, ShapeError, Type
from treadle_ir.errors import ShardingError, shown

BATCHING: Final = "…"
"""Stands for the leading axes of an array, all that precede its named axes; digits after it tell several apart."""

_KINDS: Final = ("reduction_factors", "need_replication_factors", "permutation_factors")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TOKEN: Final = re.compile(r"\s*(\.\.\.\d*|[A-Za-z0-9_]+|[(),]|\S)")
_LETTERS: Final = "ijklmnopqrstuvwxyz"


def _factor(what: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ArgumentError(
            f"{what}: {shown(name)} is not a valid factor name",
            fix="begin it with a letter, and use letters, digits and underscores",
        )
    return name


def _is_batching(name: object) -> bool:
    return isinstance(name, str) and name.startswith(BATCHING)


@final
class CompoundFactor(tuple[str, ...]):
    """An axis that is made of several factors, the first of them outermost.

    Args:
        factors: their names, at least two. The rule must be given the size of a factor that is not by itself an axis
            anywhere.

    Raises:
        ArgumentError: there are fewer factors, or one of them is not a valid name.

    Example:
        >>> from treadle.experimental.custom_partitioning import CompoundFactor
        >>> CompoundFactor("b", "c")
        CompoundFactor('b', 'c')
    """

    __slots__ = ()

    def __new__(cls, *factors: str) -> CompoundFactor:
        """Check the names."""
        if len(factors) < 2:
            raise ArgumentError(
                f"CompoundFactor: {len(factors)} factors are given, but it has at least two",
                fix="give an axis of one factor that factor's name",
            )
        for each in factors:
            if not isinstance(each, str):
                raise ArgumentError(f"CompoundFactor: {shown(each)} is not a valid factor name")
            if _is_batching(each):
                raise ArgumentError(
                    "CompoundFactor: BATCHING stands for whole axes, not for factors"
                )
            _factor("CompoundFactor", each)
        return super().__new__(cls, factors)

    def __repr__(self) -> str:
        return f"CompoundFactor({', '.join(map(repr, self))})"


@final
class ArrayMapping(tuple["str | CompoundFactor", ...]):
    """The factors of the axes of an argument or a result.

    Args:
        dim_mappings: for each axis a factor's name or a `CompoundFactor`; BATCHING may come first.

    Raises:
        ArgumentError: an axis is neither.

    Example:
        >>> from treadle.experimental.custom_partitioning import BATCHING, ArrayMapping, CompoundFactor
        >>> len(ArrayMapping(BATCHING, CompoundFactor("b", "c"), "d"))
        3
    """

    __slots__ = ()

    def __new__(cls, *dim_mappings: str | CompoundFactor) -> ArrayMapping:
        """Check the names."""
        for place, each in enumerate(dim_mappings):
            if isinstance(each, CompoundFactor):
                continue
            if not isinstance(each, str):
                raise ArgumentError(
                    f"ArrayMapping: axis {place} is {shown(each)}, but must be a name or a CompoundFactor"
                )
            if not _is_batching(each):
                _factor("ArrayMapping", each)
            elif place:
                raise ArgumentError(
                    f"ArrayMapping: BATCHING is at position {place}, but stands for leading axes only",
                    fix="put it first",
                )
            elif each[1:] and not each[1:].isdecimal():
                raise ArgumentError(
                    f"ArrayMapping: BATCHING is followed by {each[1:]!r}, not by digits"
                )
        return super().__new__(cls, dim_mappings)

    def __repr__(self) -> str:
        return f"ArrayMapping({', '.join(map(repr, self))})"


@final
class SdyShardingRule:
    """How the axes of arguments and results correspond, by factors: axes with a common factor are sharded alike.

    Args:
        operand_mappings: an `ArrayMapping` for each array of the arguments.
        result_mappings: an `ArrayMapping` for each array of the results.
        reduction_factors: factors that are reduced: the results are to be added up over the devices along them.
        need_replication_factors: factors along which arrays are not sharded.
        permutation_factors: factors along which devices exchange shards.
        factor_sizes: sizes of factors that appear only within compound factors.

    Raises:
        ArgumentError: a factor has no size or an impossible size, is unknown, or is of two kinds.

    Example:
        >>> from treadle.experimental.custom_partitioning import ArrayMapping, SdyShardingRule
        >>> SdyShardingRule((ArrayMapping("i", "j"),), (ArrayMapping("i"),), reduction_factors=("j",))
        SdyShardingRule((('i', 'j'),), (('i',),), {} reduction_factors=('j',))
    """

    __slots__ = ("factor_sizes", "kinds", "operand_mappings", "result_mappings")

    def __init__(
        self,
        operand_mappings: Sequence[ArrayMapping],
        result_mappings: Sequence[ArrayMapping],
        *,
        reduction_factors: tuple[str, ...] = (),
        need_replication_factors: tuple[str, ...] = (),
        permutation_factors: tuple[str, ...] = (),
        **factor_sizes: int,
    ) -> None:
        self.operand_mappings = tuple([ArrayMapping(*each) for each in operand_mappings])
        self.result_mappings = tuple([ArrayMapping(*each) for each in result_mappings])
        self.factor_sizes = factor_sizes
        given = (reduction_factors, need_replication_factors, permutation_factors)
        self.kinds: dict[str, tuple[str, ...]] = dict(zip(_KINDS, given, strict=True))
        axes = [axis for each in (*self.operand_mappings, *self.result_mappings) for axis in each]
        whole = {axis for axis in axes if isinstance(axis, str)}
        inner = {name for axis in axes if isinstance(axis, CompoundFactor) for name in axis}
        self._check_sizes(whole, inner - whole)
        self._check_kinds(whole | inner)

    def _whole_sizes(self, operands: Sequence[Type], results: Sequence[Type]) -> dict[str, int]:
        """Return the sizes of the factors that are an axis by themselves somewhere."""
        found: dict[str, int] = {}
        for mappings, types in ((self.operand_mappings, operands), (self.result_mappings, results)):
            for mapping, type in zip(mappings, types, strict=False):
                shape = getattr(type, "shape", ())
                for axis, size in zip(reversed(mapping), reversed(shape), strict=False):
                    if isinstance(axis, str):
                        found[axis] = min(size, found.get(axis, size))
        return found

    def _check_sizes(self, whole: set[str], inner: set[str]) -> None:
        for name, size in self.factor_sizes.items():
            if name in whole:
                raise ArgumentError(
                    f"SdyShardingRule: the size of {name} is given, but {name} is a whole axis, whose size is known",
                    fix=f"leave {name}={size} out",
                )
            if name not in inner:
                raise ArgumentError(
                    f"SdyShardingRule: the size of {name} is given, but the rule has no factor {name}"
                )
            if type(size) is not int or size < 1:
                raise ArgumentError(f"SdyShardingRule: the size of {name} is {shown(size)}")
        for name in sorted(inner - {*self.factor_sizes}):
            raise ArgumentError(
                f"SdyShardingRule: the factor {name} is only in compound factors, and its size is not given",
                fix=f"give it by name, {name}=...",
            )

    def _check_kinds(self, known: set[str]) -> None:
        kind_of: dict[str, str] = {}
        for kind, names in self.kinds.items():
            if not isinstance(names, tuple):
                raise ArgumentError(
                    f"SdyShardingRule: {kind} is {shown(names)}, but must be a tuple"
                )
            for name in names:
                if name not in known:
                    raise ArgumentError(
                        f"SdyShardingRule: {kind} has {shown(name)}, which the rule has no factor of"
                    )
                if kind_of.setdefault(name, kind) != kind:
                    raise ArgumentError(
                        f"SdyShardingRule: the factor {name} is in {kind_of[name]} and in {kind}",
                        fix="a factor is of one kind",
                    )

    def __repr__(self) -> str:
        kinds = "".join([f" {kind}={names!r}" for kind, names in self.kinds.items() if names])
        ends = [
            tuple(map(_plainly, each)) for each in (self.operand_mappings, self.result_mappings)
        ]
        return f"SdyShardingRule({ends[0]}, {ends[1]}, {self.factor_sizes}{kinds})"

    def text(self, operands: Sequence[Type], results: Sequence[Type]) -> str:
        """Return the rule for arrays of these types, as the text of a Shardy attribute.

        Raises:
            ShardingError: the numbers of arrays or axes differ from the rule.
            ShapeError: axes with common factors have incompatible sizes.
        """
        written = _Written({**self.factor_sizes, **self._whole_sizes(operands, results)})
        before = written.all_of("argument", self.operand_mappings, operands)
        behind = written.all_of("result", self.result_mappings, results)
        sizes = ", ".join([f"{written.letters[x]}={size}" for x, size in written.sizes.items()])
        kinds = ""
        for kind, names in self.kinds.items():
            every = [written.letters[each] for name in names for each in written.meant(name)]
            if every:
                kinds += (
                    f" {kind.removesuffix('_factors')}={{{', '.join(sorted(every, key=_order))}}}"
                )
        return f"#sdy.op_sharding_rule<({before})->({behind}) {{{sizes}}}{kinds}, custom>"


def _plainly(mapping: ArrayMapping) -> tuple[object, ...]:
    return tuple([tuple(each) if isinstance(each, CompoundFactor) else each for each in mapping])


def _order(letter: str) -> tuple[int, int]:
    first, _, number = letter.partition("_")
    return (int(number or 0), _LETTERS.index(first))


@final
class _Written:
    """A rule while it is written for arrays of given types: Shardy's letters for its factors, and their sizes."""

    def __init__(self, given: dict[str, int]) -> None:
        self.letters: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._given = given
        self._leading: dict[str, tuple[int, ...]] = {}  # the shapes that each BATCHING stands for

    def meant(self, name: str) -> list[str]:
        """Return the factors that a name stands for: several for BATCHING."""
        if not _is_batching(name):
            return [name]
        return [f"{name}_{axis}" for axis in range(len(self._leading.get(name, ())))]

    def all_of(self, what: str, mappings: Sequence[ArrayMapping], types: Sequence[Type]) -> str:
        """Return the text of the mappings of all arguments, or of all results."""
        if len(mappings) != len(types):
            raise ShardingError(
                f"custom_partitioning: the sharding rule has {len(mappings)} {what}s, but the function has "
                f"{len(types)} arrays there",
                fix="write a mapping for each array",
            )
        each = zip(mappings, types, strict=True)
        texts = [self._one(f"{what} {i}", mapping, type) for i, (mapping, type) in enumerate(each)]
        return ", ".join(texts)

    def _one(self, what: str, mapping: ArrayMapping, type: Type) -> str:
        assert isinstance(type, ArrayType)
        axes: list[str | CompoundFactor] = [*mapping]
        if axes and _is_batching(axes[0]):
            name = str(axes.pop(0))
            count = type.ndim - len(axes)
            known = self._leading.setdefault(name, type.shape[: max(count, 0)])
            if count >= 0 and known != type.shape[:count]:
                raise ShapeError(
                    f"custom_partitioning: the leading axes of {what} have the shape {type.shape[:count]}, but the "
                    f"leading axes of an array before it have {known}",
                    fix="tell them apart by digits: '...1 i, ...2 j -> ...'",
                )
            axes = [*self.meant(name), *axes] if count >= 0 else axes
        if len(axes) != type.ndim:
            raise ShardingError(
                f"custom_partitioning: the sharding rule says that {what} has {len(axes)} axes, but it is {type}",
                fix="write a factor for each axis, with spaces between them",
            )
        return f"[{', '.join([self._axis(what, x, n) for x, n in zip(axes, type.shape, strict=True)])}]"

    def _axis(self, what: str, axis: str | CompoundFactor, size: int) -> str:
        if isinstance(axis, str):
            return self._letter(axis, size)
        sizes = [self._given[name] for name in axis]
        if prod(sizes) != size:
            raise ShapeError(
                f"custom_partitioning: an axis of {what} has the size {size}, but its factors {tuple(axis)} have the "
                f"sizes {tuple(sizes)}"
            )
        return "".join([self._letter(name, n) for name, n in zip(axis, sizes, strict=True)])

    def _letter(self, name: str, size: int) -> str:
        if name not in self.letters:
            number = len(self.letters)
            more = number - len(_LETTERS) + 1
            self.letters[name] = _LETTERS[number] if more <= 0 else f"z_{more}"
        self.sizes[name] = min(size, self.sizes.get(name, size))  # of unequal ones the least
        return self.letters[name]


def rule_of(
    text: str,
    *,
    reduction_factors: tuple[str, ...] = (),
    need_replication_factors: tuple[str, ...] = (),
    permutation_factors: tuple[str, ...] = (),
    **factor_sizes: int,
) -> SdyShardingRule:
    """Parse a rule such as `"... i j, ... j k -> ... i k"`.

    Raises:
        ArgumentError: `text` is not a rule; the message names the position.

    Example:
        >>> rule_of("i (j k) -> i", j=2, k=4)
        SdyShardingRule((('i', ('j', 'k')),), (('i',),), {'j': 2, 'k': 4})
    """
    sides = text.split("->")
    if len(sides) != 2:
        raise ArgumentError(
            f"custom_partitioning: the sharding rule {shown(text)} has {len(sides) - 1} arrows, but must have one",
            fix="write the arguments, '->' and the results: 'i j, j k -> i k'",
        )
    operands = _mappings(text, sides[0], 0)
    results = _mappings(text, sides[1], len(sides[0]) + 2)
    return SdyShardingRule(
        operands,
        results,
        reduction_factors=reduction_factors,
        need_replication_factors=need_replication_factors,
        permutation_factors=permutation_factors,
        **factor_sizes,
    )


def _mappings(text: str, side: str, start: int) -> tuple[ArrayMapping, ...]:
    """Return the mappings on one side of the arrow; `side` begins at `start` in `text`."""
    found: list[list[str | CompoundFactor]] = [[]]
    inside: list[str] | None = None  # the factors of a compound factor whose bracket is open
    opened = 0

    def wrong(at: int, problem: str) -> ArgumentError:
        return ArgumentError(
            f"custom_partitioning: the sharding rule {shown(text)}, character {at}: {problem}"
        )

    for at, word in _words(side, start):
        if word == "(":
            if inside is not None:
                raise wrong(at, "a bracket within brackets")
            inside, opened = [], at
        elif word == ")":
            if inside is None:
                raise wrong(at, "a closing bracket, and none is open")
            if len(inside) < 2:
                raise wrong(opened, "brackets are around at least two factors")
            found[-1].append(CompoundFactor(*inside))
            inside = None
        elif word == ",":
            if inside is not None:
                raise wrong(at, "a comma within brackets")
            found.append([])
        elif word.startswith("..."):
            if inside is not None or found[-1]:
                raise wrong(at, "an ellipsis stands for leading axes only")
            found[-1].append(BATCHING + word[3:])
        elif _NAME.fullmatch(word):
            (found[-1] if inside is None else inside).append(word)
        elif word[0].isalnum() or word[0] == "_":
            raise wrong(at, f"the factor {word!r} does not begin with a letter")
        else:
            raise wrong(at, f"{word!r} has no meaning")
    if inside is not None:
        raise wrong(opened, "a bracket that is not closed")
    return tuple([ArrayMapping(*each) for each in found])


def _words(side: str, start: int) -> Iterator[tuple[int, str]]:
    for match in _TOKEN.finditer(side):
        yield start + match.start(1), match.group(1)
