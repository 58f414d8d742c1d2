"""Control flow over pytrees: cond, switch, while_loop, fori_loop, scan, map, associative_scan.

Bodies and branches are staged (`treadle_numpy.staging`), also when nothing else is: inside, all arrays are
tracers without elements, and Python's `if` on them is an error that says what to do. What a body captured,
tracers of outer transformations among it, becomes operands of the loop.

A carry that starts as a Python number takes the element type that the body gives it.

Long because each of seven functions checks what users gave it and says what is wrong; the work is `staging`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    ShapeError,
    StructureError,
    bind,
    promoted,
)
from treadle_ir.dtypes import is_bool, is_integer
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.tree import (
    PyTreeDef,
    explain_difference,
    tree_map,
    tree_unflatten,
    treedef_tuple,
)
from treadle_numpy.coercion import (
    UnsupportedError,
    ValueArgumentError,
    array_of,
    as_axis,
    as_index,
    coerce,
    converted,
    host_elements,
    operand_type,
    ops,
    with_dtype,
)
from treadle_numpy.manipulation import slice_along
from treadle_numpy.staging import (
    Body,
    flatten_operands,
    paths_of,
    stage_body,
    with_common_captured,
)

Tree: TypeAlias = Any  # a pytree: any Python object

_I32: Final = np.dtype(np.int32)
_ROUNDS: Final = 4  # of staging a body again because a carry's element type changed
_UNSPECIFIED: Final = object()


# --- branches --------------------------------------------------------------------------------------


def cond(
    pred: Any, true_fun: Any, false_fun: Any, *operands: Tree, operand: Any = _UNSPECIFIED
) -> Tree:
    """`true_fun(*operands)` where `pred` holds, else `false_fun(*operands)`; only one of them runs.

    Under vmap with a batched `pred`, both run and each row takes its own result. The older form
    `cond(pred, true_operand, true_fun, false_operand, false_fun)` is taken, too.

    Raises:
        ArgumentError: `pred` is no scalar; StructureError, ShapeError, DTypeError: the branches return different
            things.

    Example:
        >>> print(cond(True, lambda x: x + 1, lambda x: x - 1, np.float32(1)))
        2.0
    """
    if operand is not _UNSPECIFIED:
        if operands:
            raise ArgumentError(
                "cond: `operand` and positional operands were given; pass one or the other"
            )
        operands = (operand,)
    if len(operands) == 2 and not (callable(true_fun) and callable(false_fun)):
        true_operand, first_fun, (false_operand, second_fun) = true_fun, false_fun, operands
        if callable(first_fun) and callable(second_fun):
            return cond(
                pred,
                lambda x, _: first_fun(x),
                lambda _, x: second_fun(x),
                true_operand,
                false_operand,
            )
    if not (callable(true_fun) and callable(false_fun)):
        raise ArgumentError(
            "cond: true_fun and false_fun must be functions, "
            f"got {type(true_fun).__name__} and {type(false_fun).__name__}",
            fix="write cond(pred, lambda: a, lambda: b), or use `where` to choose between arrays",
        )
    index = coerce("cond", 0, pred)
    given_type = operand_type(index)
    if given_type.shape:
        raise ArgumentError(
            f"cond: pred must be a scalar, but it is {given_type}",
            fix="reduce it with `all` or `any`, or use `where`, which chooses element by element",
        )
    if not is_bool(given_type.dtype):
        index = ops.compare(index, given_type.dtype.type(0), direction="ne")
    index = ops.convert(index, dtype=_I32)
    return _choice("cond", index, (false_fun, true_fun), ("false_fun", "true_fun"), operands)


def switch(
    index: Any,
    branches: Sequence[Callable[..., Tree]],
    *operands: Tree,
    operand: Any = _UNSPECIFIED,
) -> Tree:
    """`branches[index](*operands)`, the index kept within the range of branches; only that branch runs.

    Raises:
        ArgumentError: `index` is no integer scalar; StructureError, ShapeError, DTypeError: the branches return
            different things.

    Example:
        >>> print(switch(7, [lambda x: x, lambda x: 2 * x], np.float32(3)))
        6.0
    """
    if operand is not _UNSPECIFIED:
        if operands:
            raise ArgumentError(
                "switch: `operand` and positional operands were given; pass one or the other"
            )
        operands = (operand,)
    functions = tuple(branches)
    if not all(callable(function) for function in functions):
        raise ArgumentError("switch: branches must be functions")
    given = coerce("switch", 0, index)
    type = operand_type(given)
    if type.shape or not is_integer(type.dtype):
        raise ArgumentError(
            f"switch: the index must be an integer scalar, but it is {type}",
            fix="convert it with .astype(int), or use cond for a boolean",
        )
    if not functions:
        raise ValueArgumentError("switch: there must be at least one branch")
    if len(functions) == 1:
        return functions[0](*operands)
    if type.dtype != _I32:
        last = min(len(functions) - 1, int(np.iinfo(type.dtype).max))
        low, high = type.dtype.type(0), type.dtype.type(last)
        given = ops.clamp(low, converted(given, type.dtype), high)
        given = ops.convert(given, dtype=_I32)
    names = [f"branch {number}" for number in range(len(functions))]
    return _choice("switch", given, functions, names, operands)


def _choice(
    name: str,
    index: Any,
    functions: Sequence[Callable[..., Tree]],
    names: Sequence[str],
    operands: tuple[Tree, ...],
) -> Tree:
    leaves: list[Any] = []
    structures = []
    for number, tree in enumerate(operands):
        more, structure = flatten_operands(name, f"operand {number}", tree)
        leaves += more
        structures.append(structure)
    types = [operand_type(leaf) for leaf in leaves]
    bodies = [
        stage_body(f"{what} of {name}", function, structures, types)
        for function, what in zip(functions, names, strict=True)
    ]
    for body, what in zip(bodies[:-1], names[:-1], strict=True):
        _check_same_results(name, names[-1], bodies[-1], what, body)
    programs, captured = with_common_captured(bodies, functions)
    results = bind(Case(tuple(programs)), index, *captured, *leaves)
    return tree_unflatten(bodies[0].structures[0], results)


def _check_same_results(name: str, one_name: str, one: Body, other_name: str, other: Body) -> None:
    (left,), (right,) = one.structures, other.structures
    if left != right:
        lines = "; ".join(explain_difference(left, right))
        raise StructureError(
            f"{name}: {one_name} and {other_name} must return the same structure, but theirs differ {lines}",
            fix="return the same containers from all branches; fill what a branch lacks with zeros",
        )
    (left_types,), (right_types,) = one.result_types, other.result_types
    lines, is_shape = _type_differences(left, left_types, right_types)
    if lines:
        error = ShapeError if is_shape else DTypeError
        raise error(
            f"{name}: {one_name} and {other_name} must return the same types, but theirs differ {lines}",
            fix=_SAME_SHAPES if is_shape else "convert one of them with .astype(...)",
        )


_SAME_SHAPES: Final = "broadcast, reshape or pad to one shape: compiled programs have fixed shapes"


def _type_differences(
    structure: PyTreeDef, left: Sequence[ArrayType], right: Sequence[ArrayType]
) -> tuple[str, bool]:
    """Where two lists of types differ in more than weak marks, in words, and whether shapes do."""
    lines, is_shape = [], False
    for path, one, two in zip(paths_of(structure), left, right, strict=True):
        if one.shape != two.shape or one.dtype != two.dtype:
            lines.append(f"at {path or 'the only leaf'}: {one.strong()} and {two.strong()}")
            is_shape = is_shape or one.shape != two.shape
    return "; ".join(lines[:20]), is_shape


# --- loops -----------------------------------------------------------------------------------------


def _settled(
    name: str,
    carry: list[Any],
    structure: PyTreeDef,
    what: str,
    stage_with: Callable[[list[ArrayType]], Body],
) -> tuple[list[Any], Body]:
    """Carries and the body that keeps their types; weak carries take the element type that the body gives them.

    Raises:
        StructureError, ShapeError, DTypeError: the body changes what it carries.
    """
    rounds = 0
    while True:
        types = [operand_type(leaf) for leaf in carry]
        body = stage_with(types)
        rounds += 1
        returned = body.structures[0]
        if returned != structure:
            lines = "; ".join(explain_difference(structure, returned))
            raise StructureError(
                f"{name}: {what} must return the carry in the structure it came in, but in and out differ {lines}",
                fix=f"return the same containers as the initial value of {name} has",
            )
        results = body.result_types[0]
        changed = False
        for position, (type, result) in enumerate(zip(types, results, strict=True)):
            if type.weak and type.shape == result.shape and type.dtype != result.dtype:
                dtype, weak = promoted([type, result])
                if dtype != type.dtype:
                    carry[position] = with_dtype(carry[position], type, dtype, weak)
                    changed = True
        if not changed or rounds == _ROUNDS:
            break
    lines, is_shape = _type_differences(structure, types, results)
    if lines:
        error = ShapeError if is_shape else DTypeError
        raise error(
            f"{name}: {what} must return the carry with the types it came in with, but in and out differ {lines}",
            fix=_SAME_SHAPES
            if is_shape
            else "convert the initial value, or the carry that is returned, with .astype(...)",
        )
    return carry, body


def while_loop(
    cond_fun: Any,
    body_fun: Any,
    init_val: Tree,
    *,
    max_steps: Any = None,
) -> Tree:
    """`val = init_val; while cond_fun(val): val = body_fun(val)`, as one operation.

    With `max_steps` the loop ends after that many turns at the latest, and reverse-mode differentiation passes
    it (memory for so many turns is taken); without, only forward mode does. Under vmap the loop runs until the
    last row is done, and rows that are done keep their values.

    Raises:
        ArgumentError: `cond_fun` returns no boolean scalar; StructureError, ShapeError, DTypeError: `body_fun`
            returns something else than it took.

    Example:
        >>> print(while_loop(lambda x: x < 10, lambda x: 2 * x, np.float32(3)))
        12.0
    """
    if not (callable(cond_fun) and callable(body_fun)):
        raise ArgumentError("while_loop: cond_fun and body_fun must be functions")
    if max_steps is not None and (not isinstance(max_steps, int) or max_steps < 0):
        raise ValueArgumentError(
            f"while_loop: max_steps must be a non-negative integer, got {max_steps!r}"
        )
    leaves, structure = flatten_operands("while_loop", "init_val", init_val)
    return _while("while_loop", cond_fun, body_fun, leaves, structure, max_steps)


def _while(
    name: str,
    cond_fun: Callable[[Tree], Any],
    body_fun: Callable[[Tree], Tree],
    leaves: list[Any],
    structure: PyTreeDef,
    max_steps: int | None,
    identity: object = None,
) -> Tree:
    where = f"the body of {name}"
    leaves, body = _settled(
        name,
        leaves,
        structure,
        "body_fun",
        lambda types: stage_body(where, body_fun, (structure,), types, identity=identity),
    )
    types = [operand_type(leaf) for leaf in leaves]
    condition = stage_body(f"the condition of {name}", cond_fun, (structure,), types)
    (returned,) = condition.result_types
    if len(returned) != 1 or returned[0].shape or not is_bool(returned[0].dtype):
        what = ", ".join([str(each) for each in returned]) or "nothing"
        raise ArgumentError(
            f"{name}: cond_fun must return a boolean scalar, but it returns {what}",
            fix="compare with `<`, `!=`, ...; reduce an array with `all` or `any`",
        )
    loop = While(
        condition.program, body.program, len(condition.captured), len(body.captured), max_steps
    )
    return tree_unflatten(structure, bind(loop, *condition.captured, *body.captured, *leaves))


def _concrete(bound: Any) -> int | None:
    """A bound as a Python integer, if it has elements."""
    elements = host_elements(bound)
    return None if elements is None else int(elements)


def fori_loop(
    lower: Any,
    upper: Any,
    body_fun: Callable[[Any, Tree], Tree],
    init_val: Tree,
    *,
    unroll: int | bool | None = None,
) -> Tree:
    """`val = init_val; for i in range(lower, upper): val = body_fun(i, val)`, as one operation.

    Bounds whose values are known make it a `scan`, which reverse-mode differentiation passes; with traced
    bounds it is a `while_loop`.

    Raises:
        ArgumentError: a bound is no integer scalar, or `unroll` is given with traced bounds; StructureError,
            ShapeError, DTypeError: `body_fun` returns something else than it took.

    Example:
        >>> print(fori_loop(0, 5, lambda i, total: total + i, 0))
        10
    """
    if not callable(body_fun):
        raise ArgumentError("fori_loop: body_fun must be a function")
    bounds = [coerce("fori_loop", number, bound) for number, bound in enumerate((lower, upper))]
    types = [operand_type(bound) for bound in bounds]
    for name, type in zip(("lower", "upper"), types, strict=True):
        if type.shape or not is_integer(type.dtype):
            raise ArgumentError(
                f"fori_loop: {name} must be an integer scalar, but it is {type}",
                fix="pass an int, or an array with .astype(int)",
            )
    dtype, weak = promoted(types)
    first, last = [
        with_dtype(bound, type, dtype, weak) for bound, type in zip(bounds, types, strict=True)
    ]
    leaves, structure = flatten_operands("fori_loop", "init_val", init_val)
    (_, index_structure) = flatten_operands("fori_loop", "the index", 0)
    one = dtype.type(1)

    def turn(pair: tuple[Any, Tree]) -> tuple[Any, Tree]:
        i, value = pair
        return ops.add(i, one), body_fun(i, value)

    both = _pair(index_structure, structure)
    start, stop = _concrete(first), _concrete(last)
    if start is not None and stop is not None:
        length = max(stop - start, 0)

        def scanned(pair: Tree) -> tuple[Tree, None]:
            return turn(pair), None

        outputs = _scan(
            "fori_loop", scanned, [first, *leaves], both, [], (), length, False, unroll, body_fun
        )
        return outputs[0][1]
    if unroll is not None:
        raise ValueArgumentError(
            "fori_loop: `unroll` needs bounds whose values are known, but a bound is traced",
            fix="leave `unroll` out, or pass Python integers as bounds",
        )

    def more(pair: tuple[Any, Tree]) -> Any:
        return ops.compare(pair[0], last, direction="lt")

    return _while("fori_loop", more, turn, [first, *leaves], both, None, body_fun)[1]


def _pair(first: PyTreeDef, second: PyTreeDef) -> PyTreeDef:
    return treedef_tuple((first, second))


def _carry_and_y(result: Tree) -> tuple[Tree, ...]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        what = "an array" if isinstance(result, Array) else f"a {type(result).__name__}"
        if isinstance(result, (tuple, list)):
            what += f" of {len(result)}"
        raise ArgumentError(
            f"scan: the body must return a pair (carry, y), but it returns {what}",
            fix="return `carry, None` where there is nothing to stack",
        )
    return tuple(result)


def scan(
    f: Callable[[Tree, Tree], tuple[Tree, Tree]],
    init: Tree,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Tree, Tree]:
    """Carry a value over the leading axis of arrays: `carry, y = f(carry, x)` for each `x`; the ys are stacked.

    Args:
        f: takes the carry and one element of each array in `xs`, returns the next carry and a `y`.
        init: the first carry, a pytree. The carry keeps its structure, shapes and element types.
        xs: a pytree of arrays with one leading size; None needs `length`.
        length: the number of turns, if `xs` does not say it.
        reverse: go from the last element to the first; ys are stacked in the order of the xs all the same.
        unroll: how many turns compiled code has in a row; True for all.

    Returns:
        The last carry, and the ys with a leading axis.

    Raises:
        ArgumentError: `xs` have no leading axis, or leading sizes differ; StructureError, ShapeError, DTypeError:
            `f` returns another carry than it took.

    Example:
        >>> total, sums = scan(lambda c, x: (c + x, c + x), np.float32(0), np.arange(4, dtype=np.float32))
        >>> print(total, sums)
        6.0 [0. 1. 3. 6.]
    """
    if not callable(f):
        raise ArgumentError(
            f"scan: the first argument must be a function, but it is {type(f).__name__}"
        )
    leaves, structure = flatten_operands("scan", "init", init)
    elements, xs_structure = flatten_operands("scan", "xs", xs)
    count = _length("scan", elements, xs_structure, length)
    return _scan("scan", f, leaves, structure, elements, (xs_structure,), count, reverse, unroll, f)


def _length(name: str, elements: Sequence[Any], structure: PyTreeDef, length: int | None) -> int:
    """The number of turns: the leading size of all xs, or what was given."""
    shapes = [operand_type(x).shape for x in elements]
    for path, shape in zip(paths_of(structure), shapes, strict=True):
        if not shape:
            raise ValueArgumentError(
                f"{name}: xs{path} is a scalar, which has no leading axis to go over",
                fix="pass what is the same in each turn by closing over it",
            )
    if length is not None:
        length = as_index(name, "`length`", length)
    sizes = {shape[0] for shape in shapes} | ({length} if length is not None else set())
    if not sizes:
        raise ValueArgumentError(
            f"{name}: without arrays in `xs` the number of turns is not known", fix="pass `length`"
        )
    if len(sizes) > 1:
        paths = paths_of(structure)
        each = [f"xs{path} has {shape[0]}" for path, shape in zip(paths, shapes, strict=True)]
        if length is not None:
            each.insert(0, f"length is {length}")
        raise ValueArgumentError(
            f"{name}: leading sizes must be equal, but {', '.join(each[:20])}",
            fix="all arrays that are gone over have one leading size, which is the length",
        )
    count: int = sizes.pop()
    if count < 0:
        raise ValueArgumentError(f"{name}: length must not be negative, got {count}")
    return count


def _scan(
    name: str,
    function: Callable[..., Tree],
    carry: list[Any],
    structure: PyTreeDef,
    elements: list[Any],
    element_structures: Sequence[PyTreeDef],
    length: int,
    reverse: bool,
    unroll: int | bool | None,
    identity: object,
) -> tuple[Tree, Tree]:
    turns = _unroll(name, unroll, length)
    rows = []
    for x in elements:
        type = operand_type(x)
        rows.append(ArrayType(type.shape[1:], type.dtype, type.weak))
    where = f"the body of {name}"
    structures = (structure, *element_structures)

    def stage_with(types: list[ArrayType]) -> Body:
        return stage_body(where, function, structures, [*types, *rows], _carry_and_y, identity)

    carry, body = _settled(name, carry, structure, "the body", stage_with)
    loop = Scan(body.program, length, len(body.captured), len(carry), bool(reverse), turns)
    results = bind(loop, *body.captured, *carry, *elements)
    after, ys = results[: len(carry)], results[len(carry) :]
    return tree_unflatten(structure, after), tree_unflatten(body.structures[1], ys)


def _unroll(name: str, unroll: int | bool | None, length: int) -> int:
    if unroll is None or unroll is False:
        return 1
    if unroll is True:
        return max(length, 1)
    turns: int = as_index(name, "`unroll`", unroll)
    if turns < 1:
        raise ValueArgumentError(f"{name}: unroll must be at least 1, got {turns}")
    return turns


Vectorise: TypeAlias = Callable[[Callable[..., Tree]], Callable[..., Tree]]
_vectorise: Vectorise | None = None


def install_vmap(function: Vectorise) -> None:
    """Say how a function is vectorised: what `map` does with `batch_size`. This package does not batch itself."""
    global _vectorise
    _vectorise = function


def map(f: Callable[[Tree], Tree], xs: Tree, *, batch_size: int | None = None) -> Tree:
    """`f` of each element along the leading axis, one after the other; the results stacked.

    With `batch_size`, so many elements at once by vmap: faster than one by one, smaller than all at once.

    Raises:
        ValueArgumentError: batch_size is below 1.
        UnsupportedError: batch_size without vmap: treadle_numpy alone.

    Example:
        >>> print(map(lambda x: x * x, np.arange(3)))
        [0 1 4]
    """
    if batch_size is None:

        def turn(_: None, x: Tree) -> tuple[None, Tree]:
            return None, f(x)

        return _mapped(turn, xs, f)
    if _vectorise is None:
        raise UnsupportedError(
            "map: `batch_size` needs vmap, which treadle_numpy has not alone", fix="import treadle"
        )
    size = as_index("map", "`batch_size`", batch_size)
    if size < 1:
        raise ValueArgumentError(f"map: batch_size must be at least 1, got {size}")
    batched = _vectorise(f)
    leaves, structure = flatten_operands("map", "xs", xs)
    length = _length("map", leaves, structure, None)
    whole = length - length % size
    arrays = [array_of(leaf) for leaf in leaves]
    parts = []
    if whole or not length:
        chunks = [
            ops.reshape(slice_along(x, 0, 0, whole), shape=(whole // size, size, *x.shape[1:]))
            for x in arrays
        ]

        def turn_of_many(_: None, x: Tree) -> tuple[None, Tree]:
            return None, batched(x)

        parts.append(
            tree_map(
                lambda y: ops.reshape(y, shape=(whole, *y.shape[2:])),
                _mapped(turn_of_many, tree_unflatten(structure, chunks), None),
            )
        )
    if whole < length:
        rest = [slice_along(x, 0, whole, length) for x in arrays]
        parts.append(batched(tree_unflatten(structure, rest)))
    if len(parts) == 1:
        return parts[0]
    return tree_map(lambda x, y: ops.concatenate([x, y], dimension=0), *parts)


def _mapped(turn: Callable[[None, Tree], tuple[None, Tree]], xs: Tree, identity: object) -> Tree:
    elements, structure = flatten_operands("map", "xs", xs)
    length = _length("map", elements, structure, None)
    _, nothing = flatten_operands("map", "", None)
    return _scan("map", turn, [], nothing, elements, (structure,), length, False, 1, identity)[1]


# --- associative scan ------------------------------------------------------------------------------


def associative_scan(
    fn: Callable[[Tree, Tree], Tree], elems: Tree, reverse: bool = False, axis: int = 0
) -> Tree:
    """All partial results of an associative operation along an axis, in a logarithmic number of steps.

    `fn(a, b)` combines slices of `elems` along the axis, many at a time, so it must work elementwise along it.
    With `reverse`, partial results start from the end.

    Raises:
        ArgumentError: `elems` have different sizes along the axis.

    Source: Ladner and Fischer, "Parallel prefix computation", 1980.

    Example:
        >>> print(associative_scan(lambda a, b: a + b, np.arange(5)))
        [ 0  1  3  6 10]
    """
    if not callable(fn):
        raise ArgumentError("associative_scan: the first argument must be a function")
    leaves, structure = flatten_operands("associative_scan", "elems", elems)
    arrays = [array_of(leaf) for leaf in leaves]
    if not arrays:
        return elems
    axes = [as_axis("associative_scan", axis, x.ndim) for x in arrays]
    sizes = {x.shape[own] for x, own in zip(arrays, axes, strict=True)}
    if len(sizes) > 1:
        paths = paths_of(structure)
        each = [
            f"elems{path} has {x.shape[own]}"
            for path, x, own in zip(paths, arrays, axes, strict=True)
        ]
        raise ValueArgumentError(
            f"associative_scan: sizes along axis {axis} must be equal, but {', '.join(each[:20])}"
        )
    if reverse:
        arrays = [ops.reverse(x, dimensions=(own,)) for x, own in zip(arrays, axes, strict=True)]

    def combine(left: list[Array], right: list[Array]) -> list[Array]:
        result = fn(tree_unflatten(structure, left), tree_unflatten(structure, right))
        combined, returned = flatten_operands("associative_scan", "the result of fn", result)
        if returned != structure:
            lines = "; ".join(explain_difference(structure, returned))
            raise StructureError(
                f"associative_scan: fn must return the structure that it takes, but it differs {lines}",
                fix="return the same containers as `elems` has",
            )
        return [array_of(leaf) for leaf in combined]

    results = _partial_results(combine, arrays, axes)
    if reverse:
        results = [ops.reverse(x, dimensions=(own,)) for x, own in zip(results, axes, strict=True)]
    return tree_unflatten(structure, results)


Combine: TypeAlias = Callable[[list[Array], list[Array]], list[Array]]


def _partial_results(combine: Combine, arrays: list[Array], axes: Sequence[int]) -> list[Array]:
    """Partial results: of pairs first, half as many; then between them. Calls itself log2(size) times."""
    size = arrays[0].shape[axes[0]]
    if size < 2:
        return arrays

    def part(values: Sequence[Array], start: int, stop: int, stride: int = 1) -> list[Array]:
        return [_every(x, own, start, stop, stride) for x, own in zip(values, axes, strict=True)]

    pairs = combine(part(arrays, 0, size - 1, 2), part(arrays, 1, size, 2))
    odd = _partial_results(combine, pairs, axes)
    count = size // 2
    inner = count - 1 if size % 2 == 0 else count
    first = part(arrays, 0, 1)
    if inner:
        even = combine(part(odd, 0, inner), part(arrays, 2, size, 2))
        even = [
            ops.concatenate([x, y], dimension=own)
            for x, y, own in zip(first, even, axes, strict=True)
        ]
    else:
        even = first
    return [_interleaved(x, y, own) for x, y, own in zip(even, odd, axes, strict=True)]


def _every(x: Array, axis: int, start: int, stop: int, stride: int) -> Array:
    low, high, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    low[axis], high[axis], strides[axis] = start, stop, stride
    return ops.slice(x, start=tuple(low), limit=tuple(high), strides=tuple(strides))


def _interleaved(even: Array, odd: Array, axis: int) -> Array:
    """`even[0], odd[0], even[1], ...`; there are as many of both, or one more of the even ones."""
    count = odd.shape[axis]
    pairs = [_apart(_every(x, axis, 0, count, 1), axis) for x in (even, odd)]
    joined = ops.concatenate(pairs, dimension=axis + 1)
    shape = list(even.shape)
    shape[axis] = 2 * count
    woven = ops.reshape(joined, shape=tuple(shape))
    if even.shape[axis] == count:
        return woven
    last = _every(even, axis, count, count + 1, 1)
    return ops.concatenate([woven, last], dimension=axis)


def _apart(x: Array, axis: int) -> Array:
    shape = list(x.shape)
    shape.insert(axis + 1, 1)
    return ops.reshape(x, shape=tuple(shape))
