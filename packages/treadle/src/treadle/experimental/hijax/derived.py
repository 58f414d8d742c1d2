"""Rules of a `HiPrim` made of its other rules: `vjp_fwd, vjp_bwd_retval = vjp_from_jvp` in the body of its class."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import walk_stack
from typing import Any, Final, NoReturn, TypeAlias, final

from treadle.experimental.hijax.application import (
    kept_by,
    pushed_by_jvp,
    taken,
    tangent_aval,
    tangent_types,
)
from treadle.experimental.hijax.prim import HiPrim, pair_of
from treadle.experimental.hijax.types import built, lo_types
from treadle.interpreters.zeros import Zero
from treadle_autodiff import Zero as _Zero, linearize, materialise, vjp
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.tree import tree_leaves, tree_map, tree_unflatten

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


@final
class RulePair:
    """Two rules of one idea, for a class to be unpacked in its body."""

    def __init__(self, name: str, names: str, rules: tuple[Callable[..., Tree], ...]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = __name__
        self._names = names
        self._rules = rules

    def __iter__(self) -> Iterator[Callable[..., Tree]]:
        return iter(self._rules)

    def __call__(self, *args: Tree, **kwargs: Tree) -> NoReturn:
        """Refuse: it is not a rule."""
        raise ArgumentError(
            f"{self.__name__} is a pair of rules, not a rule",
            fix=f"write `{self._names} = {self.__name__}` in the body of the class",
        )

    def __reduce__(self) -> str:
        """By its name."""
        return self.__name__

    def __repr__(self) -> str:
        return f"<{self._names} = {self.__name__}>"


def zero_of(aval: Any) -> Tree:  # Any: a type of tangents
    """Zero, as a value."""
    return built(aval, [as_array(materialise(_Zero(type))) for type in lo_types(aval)])


def instantiated(tree: Tree) -> Tree:
    """Return a tree of cotangents, with zeros as arrays."""
    return tree_map(
        lambda x: zero_of(x.aval) if isinstance(x, Zero) else x,
        tree,
        is_leaf=lambda x: isinstance(x, Zero),
    )


def _pushing(
    prim: HiPrim, push: Callable[..., Tree], wanted: list[bool]
) -> tuple[Callable[..., Tree], list[Tree]]:
    """Return `push` as a function of the wanted tangents, and zeros for these."""
    avals = [tangent_aval(aval) for aval in prim.in_flat]

    def of_wanted(*given: Tree) -> Tree:
        rest = iter(given)
        flat = [
            next(rest) if flag else Zero(aval) for flag, aval in zip(wanted, avals, strict=True)
        ]
        outward = instantiated(push(*tree_unflatten(prim.in_tree, flat)))
        for aval, leaf in zip(prim.out_flat, prim.out_tree.flatten_up_to(outward), strict=True):
            taken(prim, aval, leaf)  # refuses what is not a tangent of the result
        return outward

    return of_wanted, [zero_of(aval) for flag, aval in zip(wanted, avals, strict=True) if flag]


def _differentiable(prim: HiPrim) -> list[bool]:
    return [bool(tangent_types(aval)) for aval in prim.in_flat]


def _flat_flags(nzs_in: Tree) -> list[bool]:
    return [bool(flag) for flag in tree_leaves(nzs_in)]


@contextmanager
def _not_of_itself(prim: HiPrim) -> Iterator[None]:
    """Refuse a rule that is made of `jvp` or `linearized`, if these apply the operation itself to tangents."""
    try:
        yield
    except RecursionError:
        if not _asked_again(prim):
            raise
        raise UnsupportedError(
            f"{prim}: a rule made of others asks for itself, since these apply the operation itself to tangents",
            fix="apply another operation to tangents, or write `vjp_fwd` and `vjp_bwd_retval` without",
        ) from None


def _asked_again(prim: HiPrim) -> bool:
    """Return whether a rule of an operation is being made where one is being made already."""
    making = (pulled.__code__, _lin_from_jvp.__code__)
    frames = [frame for frame, _ in walk_stack(sys._getframe()) if frame.f_code in making]
    # the first of them is the caller, and the operation is the first argument of both functions
    return any([each.f_locals[each.f_code.co_varnames[0]] == prim for each in frames[1:]])


def pulled(prim: HiPrim, push: Callable[..., Tree], ct: Tree) -> tuple[Tree, ...]:
    """Return the cotangents of the arguments: `push`, which is linear, transposed.

    Raises:
        UnsupportedError: it applies the operation itself to tangents, so that it would be made of itself.
    """
    wanted = _differentiable(prim)
    of_wanted, at = _pushing(prim, push, wanted)
    with _not_of_itself(prim):
        found = iter(vjp(of_wanted, *at)[1](instantiated(ct)))
    cts = [next(found) if flag else None for flag in wanted]
    return tree_unflatten(prim.in_tree, cts)  # type: ignore[no-any-return]  # `in_avals` is a tuple


def _lin_from_jvp(self: HiPrim, nzs_in: Tree, /, *primals: Tree) -> tuple[Tree, Tree]:
    if type(self).jvp is jvp_from_lin:
        raise UnsupportedError(
            f"{self}: `jvp` is made of `lin`, and `lin` of `jvp`", fix="write one of the two"
        )
    kept: list[Tree] = []

    def push(*tangents: Tree) -> Tree:
        output, outward = pair_of(self, "jvp", self.jvp(primals, tangents))
        kept.append(output)
        return outward

    of_wanted, at = _pushing(self, push, _flat_flags(nzs_in))
    with _not_of_itself(self):
        _, pushed, output = linearize(lambda *ts: (of_wanted(*ts), kept.pop()), *at, has_aux=True)
    return output, pushed


def _linearized_from_jvp(self: HiPrim, pushed: Tree, /, *tangents: Tree) -> Tree:
    flat = [
        tangent
        for tangent in tree_leaves(tangents, lambda x: isinstance(x, Zero))
        if not isinstance(tangent, Zero)
    ]
    return pushed(*flat)


def _fwd_from_jvp(self: HiPrim, nzs_in: Tree, /, *args: Tree) -> tuple[Tree, Tree]:
    return self(*args), args


def _bwd_from_jvp(self: HiPrim, args: Tree, ct: Tree, /) -> tuple[Tree, ...]:
    return pulled(self, lambda *tangents: pushed_by_jvp(self, args, tangents), ct)


def _fwd_from_lin(self: HiPrim, nzs_in: Tree, /, *args: Tree) -> tuple[Tree, Tree]:
    # For all arguments: which ones are wanted is not known on the way back.
    flags = tree_unflatten(self.in_tree, _differentiable(self))
    return kept_by(self, "lin", flags, args)


def _bwd_from_lin(self: HiPrim, kept: Tree, ct: Tree, /) -> tuple[Tree, ...]:
    return pulled(self, lambda *tangents: self.linearized(kept, *tangents), ct)


def jvp_from_lin(
    self: HiPrim, primals: tuple[Tree, ...], tangents: tuple[Tree, ...]
) -> tuple[Tree, Tree]:
    """Derive `jvp` from `lin` and `linearized`: `jvp = jvp_from_lin` in the body of a class.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.hijax import HiPrim, jvp_from_lin
        >>> class Sine(HiPrim):
        ...     def __init__(self, aval):
        ...         self.in_avals, self.out_aval, self.params = (aval,), aval, {}
        ...         super().__init__()
        ...     def expand(self, x):
        ...         return tnp.sin(x)
        ...     def lin(self, nzs_in, x):
        ...         return self(x), tnp.cos(x)
        ...     def linearized(self, cosine, dx):
        ...         return cosine * dx
        ...     jvp = jvp_from_lin
        >>> sine = lambda x: Sine(treadle.typeof(x))(x)
        >>> print(treadle.jvp(sine, (0.0,), (2.0,))[1])
        2.0
    """
    flags = [not isinstance(x, Zero) for x in tree_leaves(tangents, lambda x: isinstance(x, Zero))]
    output, kept = kept_by(self, "lin", tree_unflatten(self.in_tree, flags), primals)
    return output, self.linearized(kept, *tangents)


linearize_from_jvp: Final = RulePair(
    "linearize_from_jvp", "lin, linearized", (_lin_from_jvp, _linearized_from_jvp)
)
"""`lin, linearized = linearize_from_jvp`: by linearizing `jvp`."""
vjp_from_jvp: Final = RulePair(
    "vjp_from_jvp", "vjp_fwd, vjp_bwd_retval", (_fwd_from_jvp, _bwd_from_jvp)
)
"""`vjp_fwd, vjp_bwd_retval = vjp_from_jvp`: keep the arguments, and transpose `jvp` on the way back."""
vjp_from_lin: Final = RulePair(
    "vjp_from_lin", "vjp_fwd, vjp_bwd_retval", (_fwd_from_lin, _bwd_from_lin)
)
"""`vjp_fwd, vjp_bwd_retval = vjp_from_lin`: keep what `lin` keeps, and transpose `linearized` on the way back."""
