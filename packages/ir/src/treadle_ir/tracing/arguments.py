"""The arguments of a call, split into traced and static ones: for every transformation of functions of trees.

Static arguments stay Python values. The others are flattened: a transformation works on their leaves, and
`Arguments.rebuilt` rebuilds the arguments with other leaves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import index
from typing import Any, Final, TypeAlias, final

from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.tracing.tracer import transparent
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
    tree_structure,
    treedef_tuple,
)

Tree: TypeAlias = Any  # a pytree: any Python object
Statics: TypeAlias = tuple[
    Any, ...
]  # of values of any class, which have to be hashable only if they are part of keys

_NO_KEYWORDS: Final = tree_structure({})


@final
class Arguments:
    """The flattened arguments of one call.

    `statics` is None if the call has neither static nor keyword arguments, as most calls; `structure` is then the
    structure of the positional arguments. Otherwise `statics` is `(numbers, values, names, named)`, and `structure` is
    the structure of `(positional, keywords)`.
    """

    __slots__ = ("leaves", "statics", "structure")

    def __init__(self, leaves: list[Any], structure: PyTreeDef, statics: Statics | None) -> None:
        self.leaves = leaves
        self.structure = structure
        self.statics = statics

    @property
    def whole_structure(self) -> PyTreeDef:
        """The structure of `(positional, keywords)`, also if there are no keyword arguments."""
        if self.statics is not None:
            return self.structure
        return treedef_tuple([self.structure, _NO_KEYWORDS])

    def rebuilt(self, leaves: Sequence[Any]) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
        """Return positional and keyword arguments with other leaves."""
        if self.statics is None:
            return self.structure.unflatten(leaves), {}
        numbers, values, names, named = self.statics
        dynamic, keywords = self.structure.unflatten(leaves)
        arguments = list(dynamic)
        for number, value in zip(numbers, values, strict=True):
            arguments.insert(number, value)  # numbers ascend
        return tuple(arguments), {**keywords, **dict(zip(names, named, strict=True))}

    def without_statics(self, leaves: Sequence[Any]) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
        """Return positional and keyword arguments with other leaves, without the static arguments."""
        trees: tuple[tuple[Tree, ...], dict[str, Tree]] = self.whole_structure.unflatten(leaves)
        return trees

    def paths(self, names: Sequence[str] = ()) -> list[str]:
        """Return a name of each leaf for messages, such as `argument 0['w']`; `names` name the positional arguments."""
        marks = [_Mark() for _ in self.leaves]
        arguments, keywords = self.rebuilt(marks)
        found: dict[_Mark, str] = {}
        labels = [*names[: len(arguments)], *range(len(names), len(arguments))]
        named = [*zip(labels, arguments, strict=True), *keywords.items()]
        for name, argument in named:
            leaves, _ = flatten_leaves_and_structure(argument)
            for path, leaf in zip(leaf_paths(argument), leaves, strict=True):
                if isinstance(leaf, _Mark):
                    found[leaf] = f"argument {name}{keystr(path)}"
        return [found.get(mark, "an argument") for mark in marks]


@final
class _Mark:
    """A placeholder for a leaf while paths are searched."""

    __slots__ = ()


def take_apart(
    args: tuple[Tree, ...],
    kwargs: Mapping[str, Tree],
    static_numbers: Collection[int] = (),
    static_names: Collection[str] = (),
) -> Arguments:
    """Split and flatten the arguments of a call. `static_numbers` are counted from the front."""
    if not kwargs and not static_numbers:
        leaves, structure = flatten_leaves_and_structure(args)
        return Arguments(leaves, structure, None)
    numbers = tuple([number for number in sorted(static_numbers) if number < len(args)])
    names = tuple(sorted([name for name in kwargs if name in static_names]))
    values = tuple([transparent(args[number]) for number in numbers])
    named = tuple([transparent(kwargs[name]) for name in names])
    dynamic = tuple([x for number, x in enumerate(args) if number not in numbers])
    keywords = {name: x for name, x in kwargs.items() if name not in names}
    leaves, structure = flatten_leaves_and_structure((dynamic, keywords))
    return Arguments(leaves, structure, (numbers, values, names, named))


def positional_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the positional parameters of a function, or nothing if it has no signature.

    Example:
        >>> positional_names(lambda x, y, *others: x)
        ['x', 'y']
    """
    plain = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return []
    return [each.name for each in parameters if each.kind in plain]


def positions(given: int | Sequence[int], count: int, what: str, never: str) -> tuple[int, ...]:
    """Return positions among `count` positional arguments, counted from the front.

    `what` names the option, and `never` completes the message that keyword arguments are not ...

    Raises:
        ArgumentError: a position is not an integer, or there is no such argument.
    """
    found = []
    for each in given if isinstance(given, (tuple, list)) else (given,):
        try:
            position = index(each)
        except TypeError:
            raise ArgumentError(
                f"{what} must be integers, but one is {each!r} of type {type(each).__name__}"
            ) from None
        if not -count <= position < count:
            raise ArgumentError(
                f"{what} is {given}, but the function was called with {count} positional "
                f"argument{'s' if count != 1 else ''}",
                fix=f"count positional arguments from 0; keyword arguments are not {never}",
            )
        found.append(position % count)
    return tuple(found)


def in_positional_form(
    fun: Callable[..., Tree], args: tuple[Tree, ...], kwargs: Mapping[str, Tree]
) -> tuple[Tree, ...]:
    """Return the arguments in positional form, with defaults filled in, so that rules of a function see one form.

    Raises:
        ArgumentError: an argument can be passed by keyword only.
    """
    if not kwargs:
        try:
            signature = inspect.signature(fun)
        except (ValueError, TypeError):
            return args
        plain = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        if len(args) >= sum(p.kind in plain for p in signature.parameters.values()):
            return args
    bound = inspect.signature(fun).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        name = getattr(fun, "__name__", "the function")
        raise ArgumentError(
            f"{name}: keyword-only arguments {sorted(bound.kwargs)} have no place in a rule of its own",
            fix="make them positional, or close over them",
        )
    return bound.args
