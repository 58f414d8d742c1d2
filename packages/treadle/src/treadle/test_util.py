"""Derivatives checked against finite differences: for the tests of functions with rules of their own.

A derivative is right if it agrees with the function: `f(x + eps t)` and `f(x - eps t)` along a random direction `t`
give the derivative in that direction by their difference, to an error of `eps²` and of rounding. Reverse mode is
checked by pairing: the cotangents of the arguments, times `t`, are the cotangents of the results, times their change.
Directions are drawn from a fixed seed, so a check that passes once always passes. Seed, step and tolerances are those
that JAX shows of its checks, so that what passes there passes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, Final, TypeAlias

import numpy as np

import treadle_autodiff
import treadle_numpy
from treadle_ir import ArgumentError
from treadle_ir.calling import as_array, flatten_arrays, operand_or_none
from treadle_ir.core import float0
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import (
    DerivativeMismatchError,
    StructureError,
    boundaries,
    during,
    functions,
    integer,
    names,
    number,
    refused,
    sequence,
    shown,
)
from treadle_ir.testing.numeric import pairing
from treadle_ir.tree import (
    keystr,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_unflatten,
)

__all__ = ["check_grads", "check_jvp", "check_vjp"]

Tree: TypeAlias = Any  # a pytree: any Python object
Tolerance: TypeAlias = (
    float | Mapping[Any, float] | None
)  # Any: element types, in all their spellings
Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"  # Any: of any element type

EPS: Final = 1e-4
MOST: Final = 8  # orders: of each, every sequence of modes is checked
MODES: Final = ("fwd", "rev")


def check_grads(
    f: Callable[..., Tree],
    args: Sequence[Tree],
    order: int,
    modes: Sequence[str] = MODES,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float | None = None,
) -> None:
    """Check the derivatives of a function up to an order, in forward and in reverse mode.

    `args` is the tuple of arguments: trees of floating arrays. `modes` names the modes, `"fwd"` and `"rev"`; of
    higher orders every sequence of them is checked. The tolerances and `eps`, the step of the differences, are by
    default what the narrowest element type allows; without `eps` a smaller step is tried, too, for functions that vary
    quickly. `atol` and `rtol` are numbers, or mappings from element types to numbers; of types that a mapping leaves
    out, the default counts.

    Raises:
        DerivativeMismatchError: a derivative disagrees; it is an `AssertionError`. The message names the mode, the
            argument or the result, and how far off it is.
        ArgumentError: the arguments are not trees of floating arrays, or a mode has another name.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.test_util import check_grads
        >>> check_grads(lambda x: tnp.sin(x) * x, (1.5,), order=2)
    """
    functions("check_grads", f=f)
    args = _arguments("check_grads", f, args)
    atol, rtol = _tolerances("check_grads", atol=atol, rtol=rtol)
    _numbers("check_grads", eps=eps)
    wanted = _modes(modes)
    steps = (_step(args), EPS) if eps is None else (eps,)
    remaining = integer("check_grads", "order", order)
    if not 0 <= remaining <= MOST:
        raise refused("check_grads", "order", f"from 0 to {MOST}", order)
    for chain in _chains(wanted, remaining):
        function, values = f, args
        for mode in chain[:-1]:
            function, values = _derivative(function, values, mode)
        with during(f"checking the derivative of order {len(chain)} by modes {', '.join(chain)}"):
            _check_at_a_step(chain[-1], function, values, atol, rtol, steps)


def _check_at_a_step(
    mode: str,
    f: Callable[..., Tree],
    args: tuple[Tree, ...],
    atol: Tolerance,
    rtol: Tolerance,
    steps: Sequence[float],
) -> None:
    """Check one derivative: a right one agrees with the differences of some step, a wrong one with none.

    The first error is raised: the first step is the best one of functions that vary slowly.
    """
    check, derivative = (
        (check_jvp, partial(treadle_autodiff.jvp, f))
        if mode == "fwd"
        else (check_vjp, partial(treadle_autodiff.vjp, f))
    )
    first: DerivativeMismatchError | None = None
    for step in steps:
        try:
            check(f, derivative, args, atol, rtol, step)
        except DerivativeMismatchError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def check_jvp(
    f: Callable[..., Tree],
    f_jvp: Callable[..., tuple[Tree, Tree]],
    args: Sequence[Tree],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float = EPS,
    err_msg: str = "",
) -> None:
    """Check a forward derivative: `f_jvp(args, tangents)` returns the value of `f` and its change along `tangents`.

    `err_msg` begins the message of the error.

    Raises:
        DerivativeMismatchError: the value or the tangent of a result disagrees.
        ArgumentError: the arguments are not trees of floating arrays.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.test_util import check_jvp
        >>> check_jvp(tnp.exp, lambda xs, dxs: treadle.jvp(tnp.exp, xs, dxs), (0.5,))
    """
    functions("check_jvp", f=f, f_jvp=f_jvp)
    args = _arguments("check_jvp", f, args)
    atol, rtol = _tolerances("check_jvp", atol=atol, rtol=rtol)
    _numbers("check_jvp", eps=eps)
    names("check_jvp", err_msg=err_msg)
    tangents = _directions(args, _draw())
    value, change = _pair("check_jvp", "f_jvp", f_jvp(args, tangents))
    _checked("check_jvp", (value, change))
    result = _checked("check_jvp", f(*args))
    what = err_msg or "check_jvp"
    _compare(f"{what}: the value from f_jvp", value, result, result, atol, rtol)
    expected = _difference(f, args, tangents, eps)
    _compare(f"{what}: the tangent", change, expected, result, atol, rtol)


def check_vjp(
    f: Callable[..., Tree],
    f_vjp: Callable[..., tuple[Tree, Callable[[Tree], Tree]]],
    args: Sequence[Tree],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float = EPS,
    err_msg: str = "",
) -> None:
    """Check a reverse derivative: `f_vjp(*args)` returns the value of `f`, and the function of cotangents.

    All arguments are moved at once; where that disagrees each is moved alone, so that the error names the one whose
    cotangent is wrong.

    Raises:
        DerivativeMismatchError: the value or the cotangent of an argument disagrees.
        ArgumentError: the arguments are not trees of floating arrays.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.test_util import check_vjp
        >>> check_vjp(tnp.exp, lambda *xs: treadle.vjp(tnp.exp, *xs), (0.5,))
    """
    functions("check_vjp", f=f, f_vjp=f_vjp)
    args = _arguments("check_vjp", f, args)
    atol, rtol = _tolerances("check_vjp", atol=atol, rtol=rtol)
    _numbers("check_vjp", eps=eps)
    names("check_vjp", err_msg=err_msg)
    what = err_msg or "check_vjp"
    value, pullback = _pair("check_vjp", "f_vjp", f_vjp(*args))
    functions("check_vjp", pullback=pullback)
    result = _checked("check_vjp", f(*args))
    value = _checked("check_vjp", value)
    _compare(f"{what}: the value from f_vjp", value, result, result, atol, rtol)
    draw = _draw()
    tangents = _directions(args, draw)
    cotangents = _directions(value, draw)
    pulled = _checked("check_vjp", pullback(cotangents))
    given = tree_leaves(pulled)
    paths = [(f"args{keystr(path)}", leaf) for path, leaf in tree_flatten_with_path(tangents)[0]]
    if len(given) != len(paths):
        raise StructureError(
            f"{what}: {len(given)} cotangents came back for {len(paths)} arrays among the arguments",
            fix="return a tuple with one cotangent for each argument",
        )

    def compare(name: str, along: Tree, directions: list[Any], pulled: list[Any]) -> None:
        change = tree_leaves(_difference(f, args, along, eps))
        _close(
            f"{what}: the {name}, times a direction,",
            pairing(directions, [np.asarray(ct) for ct in pulled]),
            pairing(change, tree_leaves(cotangents)),
            [*directions, *tree_leaves(value)],
            atol,
            rtol,
        )

    try:
        compare("cotangents", tangents, [direction for _, direction in paths], given)
    except DerivativeMismatchError:
        for place, ((name, direction), ct) in enumerate(zip(paths, given, strict=True)):
            compare(f"cotangent of {name}", _only(tangents, place), [direction], [ct])
        raise  # each is within the tolerance, and all together are not


def _pair(function: str, name: str, given: object) -> tuple[Any, Any]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise refused(function, f"what {name} returns", "a pair", given)
    return given[0], given[1]


def _numbers(function: str, **given: object) -> None:
    """Refuse tolerances and steps that are not numbers; the step of `check_grads` may be None, the default."""
    for name, value in given.items():
        if value is None and name == "eps" and function == "check_grads":
            continue
        known = number(function, name, value)
        if not 0 <= known < np.inf or (name == "eps" and not known):
            raise refused(function, name, "a finite number above zero", value)


def _tolerances(function: str, **given: Tolerance) -> list[Tolerance]:
    """Return the tolerances, by element types of NumPy where they are given as mappings."""
    found: list[Tolerance] = []
    for name, value in given.items():
        if not isinstance(value, Mapping):
            if value is not None:
                _numbers(function, **{name: value})
            found.append(value)
            continue
        by_type: dict[Any, float] = {}
        for key, bound in value.items():
            try:
                dtype = np.dtype(key)
            except TypeError:
                raise refused(function, f"a key of {name}", "an element type", key) from None
            _numbers(function, **{f"{name}[{dtype}]": bound})
            by_type[dtype] = bound
        found.append(by_type)
    return found


def _checked(function: str, result: Tree) -> Tree:
    """Return `result`, the result of a user's function, if it is a tree of arrays."""
    flatten_arrays(result, f"{function}: the function's result ")
    return result


def _arguments(function: str, f: Callable[..., Tree], args: Sequence[Tree]) -> tuple[Tree, ...]:
    if not isinstance(args, (tuple, list)):
        raise refused(function, "args", "a tuple with one element for each argument", args)
    for path, leaf in tree_flatten_with_path(tuple(args))[0]:
        operand = operand_or_none(leaf)
        if operand is None or not is_inexact(operand.dtype):
            kind = type(leaf) if operand is None else operand.dtype
            raise ArgumentError(
                f"{function}: args{keystr(path)} is {shown(leaf)} of type {kind}, which has no tangents",
                fix="pass floating arrays, and close over the other arguments: "
                "check_grads(lambda x: f(x, 3), (x,), 1)",
            )
    try:
        signature(f).bind(*args)
    except TypeError as error:
        raise ArgumentError(
            f"{function}: args has {len(args)} elements, but `f` does not take them: {error}",
            fix="give one element for each argument of `f`",
        ) from None
    except ValueError:
        pass  # a function that does not say what it takes
    leaves, structure = tree_flatten(tuple(args))
    arguments: tuple[Tree, ...] = tree_unflatten(structure, [as_array(leaf) for leaf in leaves])
    return arguments


def _modes(modes: Sequence[str]) -> list[str]:
    wanted = [modes] if isinstance(modes, str) else list(sequence("check_grads", "modes", modes))
    for mode in wanted:
        if not isinstance(mode, str) or mode not in MODES:
            raise ArgumentError(
                f"check_grads: {shown(mode)} is not a mode of differentiation",
                fix='use "fwd" and "rev"',
            )
    return wanted


def _chains(modes: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    """Yield each sequence of modes up to a length, shorter ones first: the first failure is the simplest."""
    chains: list[tuple[str, ...]] = [()]
    for _ in range(order):
        chains = [(*chain, mode) for chain in chains for mode in modes]
        yield from chains


def _derivative(
    f: Callable[..., Tree], args: tuple[Tree, ...], mode: str
) -> tuple[Callable[..., Tree], tuple[Tree, ...]]:
    """Return the derivative along fixed directions, as a function of the same arguments."""
    if mode == "fwd":
        tangents = _directions(args, _draw(1))
        return lambda *xs: treadle_autodiff.jvp(f, xs, tangents)[1], args
    cotangents = _directions(f(*args), _draw(2))
    return lambda *xs: treadle_autodiff.vjp(f, *xs)[1](cotangents), args


def _draw(seed: int = 0) -> np.random.RandomState:
    """Return where directions come from. Of order 1 they are JAX's."""
    return np.random.RandomState(seed)


def _directions(tree: Tree, draw: np.random.RandomState) -> Tree:
    """Return a random tangent of each leaf, from the normal distribution."""
    leaves, structure = tree_flatten(tree)
    return tree_unflatten(structure, [_direction(draw, np.asarray(leaf)) for leaf in leaves])


def _direction(draw: np.random.RandomState, x: Elements) -> Elements:
    if not is_inexact(x.dtype):
        return np.zeros(x.shape, float0)
    drawn: Elements = np.asarray(draw.standard_normal(x.shape))
    if x.dtype.kind == "c":
        drawn = drawn + 1j * draw.standard_normal(x.shape)
    return np.asarray(drawn).astype(x.dtype)


def _only(tree: Tree, number: int) -> Tree:
    """Return the tangents of one leaf, and zeros for the others."""
    leaves, structure = tree_flatten(tree)
    chosen = [leaf if i == number else np.zeros_like(leaf) for i, leaf in enumerate(leaves)]
    return tree_unflatten(structure, chosen)


def _difference(f: Callable[..., Tree], args: Tree, tangents: Tree, eps: float) -> Tree:
    """Return the central difference of the results along the tangents, in float64; zero where they are not floats."""
    leaves, structure = tree_flatten(args)
    along = tree_leaves(tangents)

    def at(step: float) -> Tree:
        moved = [
            np.asarray(np.asarray(x) + step * np.asarray(t)).astype(np.asarray(x).dtype)
            for x, t in zip(leaves, along, strict=True)
        ]
        return f(*tree_unflatten(structure, moved))

    after, results = tree_flatten(at(eps))
    before = tree_leaves(at(-eps))
    changes = []
    for a, b in zip(after, before, strict=True):
        high, low = np.asarray(a), np.asarray(b)
        wide = np.complex128 if high.dtype.kind == "c" else np.float64
        if is_inexact(high.dtype):
            changes.append((high.astype(wide) - low.astype(wide)) / (2 * eps))
        else:
            changes.append(np.zeros(high.shape, float0))
    return tree_unflatten(results, changes)


def _compare(
    what: str, found: Tree, expected: Tree, result: Tree, atol: Tolerance, rtol: Tolerance
) -> None:
    """Compare two trees of the structure of the function's result, whose element types say what is allowed."""
    named, structure = tree_flatten_with_path(found)
    wanted, wanted_structure = tree_flatten(expected)
    if structure != wanted_structure:
        raise StructureError(
            f"{what} has structure {structure}, but the function's result has {wanted_structure}"
        )
    types = tree_leaves(result)
    for (path, leaf), want, of_type in zip(named, wanted, types, strict=True):
        name = f"{what} of result{keystr(path)}" if path else what
        _close(name, leaf, want, [leaf, of_type], atol, rtol)


def _close(
    what: str,
    found: object,
    expected: object,
    narrow: Sequence[object],
    atol: Tolerance,
    rtol: Tolerance,
) -> None:
    have, want = np.asarray(found), np.asarray(expected)
    if have.shape != want.shape:
        raise DerivativeMismatchError(
            f"{what} has shape {have.shape}, which should be {want.shape}"
        )
    if not is_inexact(have.dtype):
        return
    types = [np.asarray(x).dtype for x in narrow]
    absolute = max([_allowed(atol, dtype) for dtype in types], default=0.0)
    relative = max([_allowed(rtol, dtype) for dtype in types], default=0.0)
    wide = np.complex128 if "c" in (have.dtype.kind, want.dtype.kind) else np.float64
    have, want = have.astype(wide), want.astype(wide)
    error = np.abs(have - want)
    wrong = ~(error <= absolute + relative * np.abs(want)) & ~(np.isnan(have) & np.isnan(want))
    if not wrong.any():
        return
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    at = f" at {list(place)}" if place else ""
    raise DerivativeMismatchError(
        f"{what} is {have[place]:.6g}{at}, and finite differences give {want[place]:.6g}: off by {error[place]:.2g}, "
        f"allowed are atol={absolute:g} and rtol={relative:g} ({int(wrong.sum())} of {wrong.size} elements are off)",
        fix="correct the derivative rule; if the function varies quickly, give `eps`, `atol` or `rtol`, or use 64 bits",
    )


def _allowed(given: Tolerance, dtype: np.dtype[Any]) -> float:
    """Return the tolerance for an element type: the given one, or the default."""
    if isinstance(given, Mapping):
        given = given.get(dtype)
    return _tolerance(dtype) if given is None else given


def _tolerance(dtype: np.dtype[Any]) -> float:
    """Return the relative accuracy of finite differences in an element type."""
    if not is_inexact(dtype):
        return 0.0
    precision = _precision(dtype)
    return 1e-5 if precision < 1e-15 else 2e-3 if precision < 1e-6 else 0.1


def _step(args: Tree) -> float:
    """Return the step at which the errors of differences and of rounding are equal: the cube root of
    precision.
    """
    precisions = [_precision(np.asarray(leaf).dtype) for leaf in tree_leaves(args)]
    return float(max(precisions, default=1.0) ** (1 / 3))


def _precision(dtype: np.dtype[Any]) -> float:
    return float(treadle_numpy.finfo(dtype).eps)


boundaries(__name__)
