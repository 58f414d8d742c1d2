"""Collectives that exchange arrays between the batch elements of a named axis, or of each of `axis_index_groups`.

Over a tuple of names they are among all batch elements of these axes, in the order of `axis_index` of the tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from treadle_ir import ArgumentError, Array, MissingRuleError, ShapeError, UnsupportedError, ops
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import flags, integer, integers, pairs, shown
from treadle_ir.primitives.collective import Groups
from treadle_ir.tree import tree_map
from treadle_numpy.lax.collectives import over
from treadle_numpy.lax.groups import as_groups
from treadle_numpy.lax.shapes import moved
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.trees import Tree

__all__ = [
    "all_to_all",
    "pbroadcast",
    "pcast",
    "ppermute",
    "pshuffle",
    "psum_scatter",
    "pswapaxes",
    "ragged_all_to_all",
]


def _exchanged(
    name: str,
    x: Tree,
    axis_name: Hashable,
    given: object,
    f: Callable[[Array, Hashable, int, Groups | None], Array],
) -> Tree:
    """Return a function of every leaf, of the name, of how many batch elements exchange, and of the groups that do."""
    groups = as_groups(name, given, axis_name)
    if axis_name == ():  # a single participant
        return over(lambda leaf: leaf, x)
    size = ops.axis_size(axis_name) if groups is None else len(groups[0])
    return over(lambda leaf: f(leaf, axis_name, size, groups), x)


def _own_part(x: Array, axis_name: Hashable, axis: int, width: int) -> Array:
    """Return the elements from `width` times the number of this batch element on."""
    start = ops.multiply(ops.axis_index(axis_name), np.int32(width))
    starts = [start if i == axis else np.int32(0) for i in range(x.ndim)]
    sizes = tuple([width if i == axis else n for i, n in enumerate(x.shape)])
    return ops.dynamic_slice(x, *starts, sizes=sizes)


def _without(x: Array, axis: int) -> Array:
    return ops.reshape(x, shape=(*x.shape[:axis], *x.shape[axis + 1 :]))


def _width(name: str, x: Array, axis: int, count: int, tiled: bool) -> int:
    """Return how many elements along an axis each batch element gets."""
    size = x.shape[axis]
    if (size % count) if tiled else (size != count):
        raise ShapeError(
            f"{name}: axis {axis} of {x.shape} has size {size}, which must be "
            f"{'a multiple of' if tiled else ''} the {count} elements of the named axis".replace(
                "  ", " "
            ),
            fix="pad that axis"
            if tiled
            else "give that axis the size of the named one, or pass tiled=True",
        )
    return size // count


def ppermute(x: Tree, axis_name: Hashable, perm: Sequence[tuple[int, int]]) -> Tree:
    """Permute every leaf between the participants of a named axis; participants that receive nothing get zeros.

    `perm` is a list of pairs (source, destination); no participant sends or receives twice.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: a number is out of range, or is twice a source or a destination.

    Example:
        `vmap(lambda x: lax.ppermute(x, "i", [(0, 1), (1, 0)]), axis_name="i")(x)` exchanges two elements.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [ppermute(x, "i", [(0, 1), (1, 0)])], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    sent = pairs("ppermute", "perm", perm)

    def permuted(leaf: Array, axis: Hashable, count: int, _: Groups | None) -> Array:
        numbers = [number for pair in sent for number in pair]
        if any(not 0 <= number < count for number in numbers) or any(
            len({pair[i] for pair in sent}) < len(sent) for i in (0, 1)
        ):
            raise ArgumentError(
                f"ppermute: perm is {shown(perm)}, but sources and destinations must be different numbers "
                f"below {count}",
                fix="let each send once and receive once: [(i, (i + 1) % size) for i in range(size)] is a ring",
            )
        return ops.permute(leaf, axis_name=axis, pairs=tuple([(a, b) for a, b in sent]))

    return _exchanged("ppermute", x, axis_name, None, permuted)


def pshuffle(x: Tree, axis_name: Hashable, perm: Sequence[int]) -> Tree:
    """Give participant i of a named axis every leaf of participant `perm[i]`.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: `perm` is not a permutation of the numbers of batch elements.

    Example:
        `vmap(lambda x: lax.pshuffle(x, "i", [2, 0, 1]), axis_name="i")(x)` is `x[[2, 0, 1]]`.

        The type of what one of three batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((4,), np.dtype(np.float32))
        >>> with named_axis("i", 3):
        ...     staged = stage(lambda x: [pshuffle(x, "i", [2, 0, 1])], one)
        >>> print(staged.program.results[0].type)
        f32[4]
    """
    sources = integers("pshuffle", "perm", perm)
    if sorted(sources) != list(range(ops.axis_size(axis_name))):
        raise ArgumentError(
            f"pshuffle: perm is {shown(perm)}, but must have each number below "
            f"{ops.axis_size(axis_name)} once"
        )
    return ppermute(x, axis_name, [(source, i) for i, source in enumerate(sources)])


def all_to_all(
    x: Tree,
    axis_name: Hashable,
    split_axis: int,
    concat_axis: int,
    *,
    axis_index_groups: object = None,
    tiled: bool = False,
) -> Tree:
    """Return a named axis made an axis of every leaf, at `concat_axis`, and the axis `split_axis` named in its place.

    `split_axis` is as long as the named axis, and goes. `tiled` cuts it into as many parts instead, and joins the parts
    along `concat_axis`, which all stay.

    Raises:
        NameError: no such axis is being mapped.
        ShapeError: `split_axis` has another size.
        ArgumentError: `axis_index_groups` does not have each batch element once, in groups of one size.

    Example:
        `vmap(lambda row: lax.all_to_all(row, "i", 0, 0), axis_name="i")(x)` transposes a square matrix.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((4, 3), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [all_to_all(x, "i", 0, 1)], one)
        >>> print(staged.program.results[0].type)
        f32[3,4]
    """
    flags("all_to_all", tiled=tiled)

    def exchanged(leaf: Array, axis: Hashable, count: int, groups: Groups | None) -> Array:
        split = as_axis("all_to_all", split_axis, leaf.ndim)
        concat = as_axis("all_to_all", concat_axis, leaf.ndim)
        _width("all_to_all", leaf, split, count, tiled)
        if tiled:
            return ops.all_to_all(leaf, axis_name=axis, split=split, concat=concat, groups=groups)
        # the senders' parts, of width 1, stand where they were cut; then they go to `concat`
        there = ops.all_to_all(leaf, axis_name=axis, split=split, concat=split, groups=groups)
        return moved(there, split, concat)

    return _exchanged("all_to_all", x, axis_name, axis_index_groups, exchanged)


def pswapaxes(x: Tree, axis_name: Hashable, axis: int, *, axis_index_groups: object = None) -> Tree:
    """Return a named axis and an axis of every leaf exchanged, which have one size: `all_to_all(x, axis_name, axis,
    axis)`.

    Raises:
        NameError: no such axis is being mapped.
        ShapeError: the axis has a different size from the named one.
        ArgumentError: `axis_index_groups` does not have each batch element once, in groups of one size.

    Example:
        `vmap(lambda row: lax.pswapaxes(row, "i", 0), axis_name="i")(x)` transposes a square matrix.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((4, 3), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pswapaxes(x, "i", 0)], one)
        >>> print(staged.program.results[0].type)
        f32[4,3]
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def psum_scatter(
    x: Tree,
    axis_name: Hashable,
    *,
    scatter_dimension: int = 0,
    axis_index_groups: object = None,
    tiled: bool = False,
) -> Tree:
    """Return the sum over a named axis, of which every batch element gets its own part along `scatter_dimension`.

    That axis is as long as the named one, and goes; `tiled` cuts it into as many parts instead.

    Raises:
        NameError: no such axis is being mapped.
        ShapeError: `scatter_dimension` has another size.
        ArgumentError: `axis_index_groups` does not have each batch element once, in groups of one size.

    Example:
        `vmap(lambda row: lax.psum_scatter(row, "i"), axis_name="i")(x)` is `x.sum(0)` for a square matrix.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((8, 3), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [psum_scatter(x, "i", tiled=True)], one)
        >>> print(staged.program.results[0].type)
        f32[2,3]
    """
    flags("psum_scatter", tiled=tiled)

    def scattered(leaf: Array, axis: Hashable, count: int, groups: Groups | None) -> Array:
        own = as_axis("psum_scatter", scatter_dimension, leaf.ndim)
        _width("psum_scatter", leaf, own, count, tiled)
        part = ops.reduce_scatter(leaf, axis_name=axis, axis=own, groups=groups)
        return part if tiled else _without(part, own)

    return _exchanged("psum_scatter", x, axis_name, axis_index_groups, scattered)


def pbroadcast(x: Tree, axis_name: Hashable, source: int) -> Tree:
    """Broadcast every leaf of one participant of a named axis to all of them.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: there is no such batch element.

    Example:
        `vmap(lambda x: lax.pbroadcast(x, "i", 0), axis_name="i")(x)` repeats `x[0]`.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pbroadcast(x, "i", 0)], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    number = integer("pbroadcast", "source", source)

    def repeated(leaf: Array, axis: Hashable, count: int, _: Groups | None) -> Array:
        if not 0 <= number < count:
            raise ArgumentError(f"pbroadcast: source is {number}, but must be below {count}")
        every = ops.all_gather(leaf, axis_name=axis)
        return _without(slice_along(every, 0, number, number + 1), 0)

    return _exchanged("pbroadcast", x, axis_name, None, repeated)


def pcast(x: Tree, axis_name: Hashable, *, to: str) -> Tree:
    """Cast a value to vary between the devices along an axis of a shard_map (`to="varying"`).

    This cast is implicit wherever the value is used together with others that vary.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: `to` is none of "varying", "reduced", "unreduced".
        UnsupportedError: it is one of the latter two: there are no partial sums.

    Example:
        `vmap(lambda x: lax.pcast(x, "i", to="varying"), axis_name="i")(x)` is `x`.

        The type of what one of four batch elements gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pcast(x, "i", to="varying")], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    if to not in ("varying", "reduced", "unreduced") or not isinstance(to, str):
        raise ArgumentError(f"pcast: to is {shown(to)}, not one of varying, reduced, unreduced")
    for name in axis_name if isinstance(axis_name, tuple) else (axis_name,):
        ops.axis_size(name)
    if to != "varying":
        raise UnsupportedError(
            f"pcast: to={to!r} says that a value is a partial sum, or the sum of such, which are not there",
            fix="sum with lax.psum",
        )
    return tree_map(lambda leaf: ops.pvary(coerce_array("pcast", 0, leaf), axis_name=axis_name), x)


def ragged_all_to_all(
    operand: ArrayLike,
    output: ArrayLike,
    input_offsets: ArrayLike,
    send_sizes: ArrayLike,
    output_offsets: ArrayLike,
    recv_sizes: ArrayLike,
    *,
    axis_name: Hashable,
    axis_index_groups: object = None,
) -> Array:
    """Return `output` with rows of the operands of all participants of a named axis written into it.

    Batch element i sends the `send_sizes[j]` rows of its operand from `input_offsets[j]` on to batch element j, which
    writes them from row `output_offsets[j]` (of i's) on. Rows beyond the end are dropped. `recv_sizes` is how many rows
    come from each; it follows from the others, and is not looked at.

    Raises:
        NameError: no such axis is being mapped.
        ShapeError: offsets and sizes are not vectors with a number for each batch element, or rows have unequal shapes.
        DTypeError: offsets and sizes are not integers.
        MissingRuleError: `axis_index_groups` is given.

    Example:
        With operands [1, 2] and [3, 4], outputs of two zeros, all offsets 0 but `output_offsets` [0, 0] of the first
        and [1, 1] of the second, and all sizes 1, both batch elements get [1, 3]. The type of what one gets:

        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> rows, numbers = ArrayType((2,), np.dtype(np.float32)), ArrayType((2,), np.dtype(np.int32))
        >>> with named_axis("i", 2):
        ...     staged = stage(
        ...         lambda *operands: [ragged_all_to_all(*operands, axis_name="i")],
        ...         *[rows] * 2,
        ...         *[numbers] * 4,
        ...     )
        >>> print(staged.program.results[0].type)
        f32[2]"""
    name = "ragged_all_to_all"
    x, rows = coerce_array(name, 0, operand), coerce_array(name, 1, output)
    vectors = [
        coerce_array(name, 2 + i, each)
        for i, each in enumerate((input_offsets, send_sizes, output_offsets, recv_sizes))
    ]
    count = ops.axis_size(axis_name)
    for each in vectors:
        if each.shape != (count,) or not is_integer(each.dtype):
            raise ShapeError(
                f"{name}: offsets and sizes must be {count} integers, one for each batch element, got {each}"
            )
    if not x.ndim or x.ndim != rows.ndim or x.shape[1:] != rows.shape[1:] or x.dtype != rows.dtype:
        raise ShapeError(
            f"{name}: the operand {x.type} and the output {rows.type} must have rows of one type"
        )
    if axis_index_groups is not None:
        raise MissingRuleError(
            f"{name}: axis_index_groups is not there yet",
            fix="send nothing to batch elements of other groups",
        )
    if not x.shape[0] or not rows.shape[0]:
        return rows
    whole = np.dtype(np.int32)
    every = ops.all_gather(x, axis_name=axis_name)
    # [3, source]: what each batch element says about this one
    said = [
        ops.reshape(
            _own_part(
                ops.all_gather(ops.convert(each, dtype=whole), axis_name=axis_name), axis_name, 1, 1
            ),
            shape=(count,),
        )
        for each in vectors[:3]
    ]
    place = ops.iota(shape=(rows.shape[0],), dtype=whole, dimension=0)
    for source in range(count):
        first, size, there = [
            ops.reshape(slice_along(each, 0, source, source + 1), shape=()) for each in said
        ]
        nth = ops.subtract(place, there)
        hit = ops.and_(
            ops.compare(nth, np.int32(0), direction="ge"), ops.compare(nth, size, direction="lt")
        )
        taken = ops.gather(
            _without(slice_along(every, 0, source, source + 1), 0),
            ops.reshape(ops.add(nth, first), shape=(rows.shape[0], 1)),
            offset_dims=tuple(range(1, x.ndim)),
            collapsed_slice_dims=(0,),
            start_index_map=(0,),
            slice_sizes=(1, *x.shape[1:]),
            mode="clip",
        )
        wide = ops.broadcast_in_dim(hit, shape=rows.shape, dimensions=(0,))
        rows = ops.select(wide, taken, rows)
    return rows
