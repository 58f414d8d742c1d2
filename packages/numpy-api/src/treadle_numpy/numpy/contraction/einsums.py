"""einsum: sums of products named by letters. opt_einsum finds the order, `dot_general` does each pair.

opt_einsum is imported on first use, to keep the import cheap.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast

from treadle_ir import ArgumentError, Array, DType, ShapeError, ops
from treadle_ir.core import is_symbolic
from treadle_ir.errors import functions, integers, refused, shown
from treadle_numpy.lax.contraction import contracted
from treadle_numpy.lax.precision import PrecisionLike
from treadle_numpy.numpy.dtypes.questions import result_type
from treadle_numpy.numpy.manipulation.axes import transpose
from treadle_numpy.numpy.manipulation.diagonals import diagonal
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted, promote

__all__ = ["einsum", "einsum_path"]

# Any: names of axes are of whatever type has an order.
Axes: TypeAlias = Sequence[Any]
Interleaved: TypeAlias = ArrayLike | Axes
Optimize: TypeAlias = str | bool | tuple[tuple[int, ...], ...]
Path: TypeAlias = (
    list[tuple[int, ...]] | list[str | tuple[int, ...]]
)  # as einsum_path and NumPy's give it
DotGeneral: TypeAlias = Callable[..., Array]
Settings: TypeAlias = tuple[PrecisionLike, DType | None, DotGeneral | None]
_MIDDLE: Final = 64


@lru_cache(maxsize=512)
def _path(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], optimize: Optimize
) -> tuple[tuple[tuple[int, ...], str], ...]:
    """Return the contractions to make: operand positions, and the subscripts of each."""
    import opt_einsum  # noqa: PLC0415 - only who calls einsum pays for the import

    _, info = opt_einsum.contract_path(subscripts, *shapes, shapes=True, optimize=optimize)
    return tuple([(tuple(step[0]), str(step[2])) for step in info.contraction_list])


@lru_cache(maxsize=512)
def _parsed(subscripts: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Return the letters of each operand and of the result, with `...` written out."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise ArgumentError(
            f"einsum: {len(inputs)} subscripts {subscripts!r} for {len(ranks)} operands",
            fix="write one group of letters per operand, with commas between: 'ij,jk->ik'",
        )
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in text]
    longest = 0
    for letters, rank in zip(inputs, ranks, strict=True):
        if "..." in letters:
            longest = max(longest, rank - len(letters.replace("...", "")))
    dots = "".join(free[:longest])
    read = []
    for letters, rank in zip(inputs, ranks, strict=True):
        count = rank - len(letters.replace("...", ""))
        if ("..." not in letters and count) or count < 0:
            raise ArgumentError(
                f"einsum: subscripts {letters!r} do not fit an operand with {rank} axes",
                fix="write one letter per axis, or `...` for any number of them",
            )
        read.append(letters.replace("...", dots[longest - count :] if count else ""))
    if any(not c.isalnum() for letters in read for c in letters):
        raise ArgumentError(f"einsum: subscripts must be letters or digits, got {subscripts!r}")
    if arrow:
        result = right.replace("...", dots)
    else:
        every = "".join(read)
        once = sorted(c for c in set(every) if every.count(c) == 1 and c not in dots)
        result = dots + "".join(once)
    unknown = [c for c in result if not any(c in letters for letters in read)]
    if unknown or len(set(result)) != len(result):
        raise ArgumentError(
            f"einsum: output subscripts {result!r} must name axes of the inputs, each once"
        )
    return tuple(read), result


def _interleaved(operands: Sequence[Interleaved]) -> tuple[str, list[ArrayLike]]:
    """Return the form einsum(x, [0, 1], y, [1, 2], [0, 2]) as subscripts and operands.

    Letters stand in the order of the names for which they are written: it is the default order of a result's axes.
    """
    form = "write the subscripts as a string first, einsum('ij,jk->ik', x, y), or a list after each operand"
    pairs = 2 * (len(operands) // 2)
    arrays = cast("list[ArrayLike]", list(operands[0:pairs:2]))  # by this form
    lists = [*operands[1::2], *operands[pairs:]]  # of the operands, and maybe of the result
    for axes in lists:
        if not isinstance(axes, (list, tuple)):
            raise ArgumentError(
                f"einsum: the axes of an operand must be a list of names, got {shown(axes)} of {type(axes)}",
                fix=form,
            )
    try:
        names = sorted({name for axes in cast("list[Axes]", lists) for name in axes} - {...})
        letters = filter(str.isalpha, map(chr, itertools.count(ord("a"))))
        written = dict(zip(names, letters, strict=False)) | {...: "..."}
        texts = ["".join([written[name] for name in axes]) for axes in cast("list[Axes]", lists)]
    except TypeError as error:
        raise ArgumentError(
            f"einsum: names of axes must be integers, strings or others that have an order, got {shown(lists)}",
            fix=form,
        ) from error
    return "->".join([",".join(texts[: len(arrays)]), *texts[len(arrays) :]]), arrays


def einsum(
    subscripts: str | ArrayLike,
    /,
    *operands: Interleaved,
    out: None = None,
    optimize: Optimize | Path = "auto",
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    _dot_general: DotGeneral | None = None,
    out_sharding: object = None,
) -> Array:
    """Multiply operands and sum over the letters that the result does not name (Einstein summation).

    Args:
        subscripts: the letters of the axes of each operand, and maybe of the result, as in "ij,jk->ik". In the
            alternative form, operands and lists of integers alternate.
        operands: arrays.
        out: must be None: arrays are immutable.
        optimize: the order of the contractions: "auto", "optimal", "greedy", a path of `einsum_path`, or a boolean.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, and of the sums, if it is wider.
        _dot_general: a function to call instead of `lax.dot_general`: libraries quantise with it.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        The array whose axes the letters of the result name.

    Raises:
        ArgumentError: there are no operands, the subscripts do not fit them, or `optimize` is not an order.
        ShapeError: a letter stands for axes of different sizes.

    Example:
        >>> import numpy as np
        >>> print(einsum("ij,jk->ik", np.ones((2, 3), np.float32), np.ones((3, 1), np.float32)))
        [[3.]
         [3.]]
    """
    if out_sharding is not None:
        return with_out_sharding(
            einsum,
            out_sharding,
            subscripts,
            *operands,
            out=out,
            optimize=optimize,
            precision=precision,
            preferred_element_type=preferred_element_type,
            _dot_general=_dot_general,
        )
    named_only("einsum", out=out)
    given: Sequence[object] = operands
    if not isinstance(subscripts, str):
        subscripts, given = _interleaved((subscripts, *operands))
    if not given:
        raise ArgumentError("einsum: there are no operands")
    arrays = [array_of(x) for x in promote("einsum", *given)]
    inputs, result = _parsed(subscripts, tuple([x.ndim for x in arrays]))
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, arrays, strict=True):
        for letter, n in zip(letters, x.shape, strict=True):
            known = sizes.get(letter, 1)
            if n != 1 and known not in (1, n):
                raise ShapeError(
                    f"einsum: axis {letter!r} has sizes {known} and {n} in {subscripts!r}",
                    fix="axes with one letter have one size: transpose an operand, or use another letter",
                )
            sizes[letter] = known if n == 1 else n
    if _dot_general is not None:
        functions("einsum", _dot_general=_dot_general)
    wanted = as_dtype("preferred_element_type", preferred_element_type)
    settings = precision, wanted, _dot_general
    if len(arrays) <= 2:  # the later one first, as on a path
        return _contract(list(inputs[::-1]), arrays[::-1], result, sizes, settings)
    text = ",".join(inputs) + "->" + result
    names = list(inputs)
    # an order for symbolic sizes is one for sizes that are neither small nor large
    usual = {c: _MIDDLE if is_symbolic((n,)) else n for c, n in sizes.items()}
    shapes = tuple([tuple([usual[c] for c in letters]) for letters in inputs])
    order = _order_of(optimize, len(arrays))
    try:
        steps = _path(text, shapes, order)
    except (LookupError, TypeError) as error:  # opt_einsum reads what is not a list
        raise ArgumentError(
            f"einsum: optimize is {shown(optimize)}: {error}",
            fix='use "auto", "optimal", "greedy", or a list of positions as of einsum_path',
        ) from None
    for position, (chosen, subscript) in enumerate(steps):
        taken = [(names.pop(i), arrays.pop(i)) for i in sorted(chosen, reverse=True)]
        target = subscript.partition("->")[2] if position + 1 < len(steps) else result
        joined = _contract([n for n, _ in taken], [x for _, x in taken], target, sizes, settings)
        names.append(target)
        arrays.append(joined)
    return arrays[0]


def _order_of(optimize: Any, count: int) -> Any:  # Any: what users give; what opt_einsum takes
    """Return the order in which `count` operands are contracted, as opt_einsum takes it.

    Raises:
        ArgumentError: it is a list whose steps do not take operands that are there, until one is left.
    """
    if isinstance(optimize, bool):
        return "auto"
    if not isinstance(optimize, (list, tuple)):
        return optimize
    steps = [step for step in optimize if not isinstance(step, str)]
    left = count
    for step in steps:
        places = integers("einsum", "a step of optimize", step)
        if not places or len({*places}) < len(places) or not all(0 <= i < left for i in places):
            raise refused("einsum", "a step of optimize", f"places from 0 to {left - 1}", step)
        left += 1 - len(places)
    if left != 1:
        raise refused(
            "einsum", "optimize", f"a list of steps that take all {count} operands", optimize
        )
    return tuple([tuple(step) for step in steps])


def _contract(
    names: list[str], arrays: list[Array], result: str, sizes: dict[str, int], settings: Settings
) -> Array:
    """Return one or more operands into the letters of a result.

    Of two, the second is the left one of the product where that saves a transpose.
    """
    while len(arrays) > 2:
        later = "".join(names[2:]) + result
        kept = "".join(dict.fromkeys(c for c in names[0] + names[1] if c in later))
        arrays[:2] = [_contract(names[:2], arrays[:2], kept, sizes, settings)]
        names[:2] = [kept]
    precision, wanted, dot_general = settings
    others = [result + "".join(names[:i] + names[i + 1 :]) for i in range(len(names))]
    reduced = [
        _alone(n, x, other, wanted) for n, x, other in zip(names, arrays, others, strict=True)
    ]
    if len(reduced) == 1:
        letters, x = reduced[0]
        return _ordered(letters, _in_type(x, wanted), result)
    if _product(reduced[1][0], reduced[0][0], result) == result:
        reduced.reverse()
    (left, x), (right, y) = reduced
    shared = [c for c in left if c in right]
    # an axis of size 1 paired with a longer one is broadcast first
    x, y = _full(left, x, shared, sizes), _full(right, y, shared, sizes)
    if x.dtype != y.dtype:  # one is a sum in the type that is wanted
        x, y = [array_of(each) for each in promote("einsum", x, y)]
    batch = [c for c in result if c in shared]
    summed = sorted([c for c in shared if c not in result])
    pairs = tuple([left.index(c) for c in summed]), tuple([right.index(c) for c in summed])
    batching = tuple([left.index(c) for c in batch]), tuple([right.index(c) for c in batch])
    alone = not summed and len(batch) in (len(left), len(right))
    if alone and dot_general is None:  # no sum: a product with broadcasting
        x, y = [_in_type(each, _wide(each, wanted)) for each in (x, y)]
        product = ops.multiply(
            _expanded(left, x, result, sizes), _expanded(right, y, result, sizes)
        )
        return _in_type(product, wanted)
    if dot_general is None:
        product = contracted(x, y, pairs, batching, precision, wanted)
    else:
        element = wanted or x.dtype
        product = dot_general(x, y, (pairs, batching), precision, preferred_element_type=element)
    return _ordered(_product(left, right, result), product, result)


def _product(left: str, right: str, result: str) -> str:
    """The letters of what `dot_general` makes of two operands: shared ones first, then what each has for itself."""
    both = [c for c in result if c in left and c in right]
    return "".join(
        [*both, *[c for c in left if c not in right], *[c for c in right if c not in left]]
    )


def _full(letters: str, x: Array, shared: list[str], sizes: dict[str, int]) -> Array:
    shape = tuple([sizes[c] if c in shared else n for c, n in zip(letters, x.shape, strict=True)])
    return array_of(broadcast_to_shape(x, shape))


def _expanded(letters: str, x: Array, result: str, sizes: dict[str, int]) -> Array:
    """Return an operand broadcast over all the axes of a result."""
    order = sorted(range(len(letters)), key=lambda i: result.index(letters[i]))
    x = transpose(x, order)
    places = tuple(sorted(result.index(c) for c in letters))
    shape = tuple([sizes[c] for c in result])
    return x if x.shape == shape else ops.broadcast_in_dim(x, shape=shape, dimensions=places)


def _wide(x: Array, wanted: DType | None) -> DType:
    """Return the type in which elements are summed or multiplied before they become what is wanted."""
    return x.dtype if wanted is None else result_type(x.dtype, wanted)


def _in_type(x: Array, dtype: DType | None) -> Array:
    return x if dtype is None or x.dtype == dtype else converted(x, dtype)


def _alone(letters: str, x: Array, others: str, wanted: DType | None) -> tuple[str, Array]:
    """Return an operand with repeated letters as diagonals, and letters that no other operand names summed."""
    while len(set(letters)) != len(letters):
        letter = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(letter)
        j = letters.index(letter, i + 1)
        if x.shape[i] != x.shape[j]:
            raise ShapeError(
                f"einsum: axis {letter!r} has sizes {x.shape[i]} and {x.shape[j]} in one operand"
            )
        x = diagonal(x, 0, i, j)
        letters = letters[:i] + letters[i + 1 : j] + letters[j + 1 :] + letter
    lone = [i for i, c in enumerate(letters) if c not in others]
    if lone:
        x = sum(x, tuple(lone), _wide(x, wanted))
        letters = "".join(c for c in letters if c in others)
    return letters, x


def _ordered(letters: str, x: Array, result: str) -> Array:
    return transpose(x, [letters.index(c) for c in result]) if letters != result else x


def einsum_path(
    subscripts: str | ArrayLike,
    /,
    *operands: Interleaved,
    optimize: Optimize | Path = "auto",
) -> tuple[list[tuple[int, ...]], Any]:  # opt_einsum's report, which has no types
    """Return the order in which opt_einsum would contract, and its report; nothing is computed.

    The order is a list of positions: those operands are taken out, and their product is put at the end. Unlike
    NumPy's, the list has no "einsum_path" in front, and is what `optimize` of `einsum` takes.

    Raises:
        ArgumentError: opt_einsum cannot read the subscripts, or they do not fit the operands.

    Example:
        >>> import numpy as np
        >>> a, b, c = np.ones((2, 10)), np.ones((10, 20)), np.ones((20, 3))
        >>> path, report = einsum_path("ij,jk,kl->il", a, b, c)
        >>> path
        [(0, 1), (0, 1)]
    """
    import opt_einsum  # noqa: PLC0415 - only who calls einsum pays for the import

    given: Sequence[object] = operands
    if not isinstance(subscripts, str):
        subscripts, given = _interleaved((subscripts, *operands))
    shapes = [coerce("einsum_path", i + 1, x).shape for i, x in enumerate(given)]
    try:
        path, info = opt_einsum.contract_path(subscripts, *shapes, shapes=True, optimize=optimize)
    except (TypeError, ValueError, LookupError) as error:  # opt_einsum reads the subscripts
        raise ArgumentError(f"einsum_path: {error}") from None
    return list(path), info
