"""Operations of a library's own: `Primitive`, with JAX's methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from treadle.core import AbstractValue, aval_of, layout_of_aval, shown_aval, type_of_aval
from treadle_ir import (
    AbstractMesh,
    Array,
    ArrayType,
    Effect,
    Effects,
    MissingRuleError,
    Operands,
    Sharding,
    Type,
    bind,
    sharding_rule,
)
from treadle_ir.calling import as_array
from treadle_ir.core import PURE, ClosedDimShardings, Extension
from treadle_ir.errors import functions, names
from treadle_ir.process import frozen
from treadle_ir.sharding import ShardedType
from treadle_ir.tracing import Trace, running
from treadle_numpy.lax.views import BindParams
from treadle_runtime import shardings_over

Tree: TypeAlias = Any  # Any: what a library's rules take and return
F = TypeVar("F", bound=Callable[..., Any])


class Primitive:
    """An operation of a library's own, by its name; its rules are given afterwards.

    `def_impl` says what it computes, `def_abstract_eval` of which type its results are. Derivatives, batching and
    compiled code are registered in `treadle.interpreters`. Where `multiple_results` is set, results are sequences.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.extend.core import Primitive
        >>> from treadle.interpreters import ad
        >>> twice_p = Primitive("twice")
        >>> twice = twice_p.def_impl(lambda x: 2 * x)
        >>> types = twice_p.def_abstract_eval(lambda x: x)
        >>> ad.deflinear(twice_p, lambda ct: [twice_p.bind(ct)])
        >>> print(twice_p.bind(tnp.array(3.0)), treadle.grad(twice_p.bind)(3.0))
        6.0 2.0
    """

    multiple_results: bool = False
    call_primitive: bool = False
    map_primitive: bool = False

    def __init__(self, name: str) -> None:
        names("Primitive", name=name)
        self.name = name
        self.impl: Callable[..., Tree] = self._no_impl
        self._abstract_eval: Callable[..., Tree] | None = None
        self.has_effects = False

    def _no_impl(self, *args: Tree, **params: Tree) -> Tree:
        raise MissingRuleError(
            f"Evaluation rule for '{self.name}' not implemented",
            fix=f"give it one: `{self.name}_p.def_impl(function)`",
        )

    def def_impl(self, impl: F) -> F:
        """Say what it computes: a function of arrays and parameters. Returns the function."""
        functions("def_impl", impl=impl)
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval: F) -> F:
        """Say of which type its results are: from `ShapedArray`s and parameters to one or several of them."""
        functions("def_abstract_eval", abstract_eval=abstract_eval)
        self._abstract_eval, self.has_effects = abstract_eval, False
        return abstract_eval

    def def_effectful_abstract_eval(self, effectful_abstract_eval: F) -> F:
        """As `def_abstract_eval`, for a function that returns the types and the effects."""
        functions("def_effectful_abstract_eval", effectful_abstract_eval=effectful_abstract_eval)
        self._abstract_eval, self.has_effects = effectful_abstract_eval, True
        return effectful_abstract_eval

    def abstract_eval(
        self, *avals: AbstractValue, **params: Tree
    ) -> tuple[Tree, frozenset[Effect]]:
        """Return the types of the results, and the effects.

        Raises:
            MissingRuleError: it has no such rule.
        """
        if self._abstract_eval is None:
            raise MissingRuleError(
                f"Abstract evaluation for '{self.name}' not implemented",
                fix=f"give it one: `{self.name}_p.def_abstract_eval(function)`",
            )
        found = self._abstract_eval(*avals, **params)
        if not self.has_effects:
            return found, PURE
        types, effects = found
        return types, frozenset(effects)

    def bind(self, *args: Tree, **params: Tree) -> Any:  # Any: an array, or a list of arrays
        """Apply it to arrays, under whatever transformation is at work."""
        results = bind(Application(self, Parameters(params)), *[as_array(x) for x in args])
        return list(results) if self.multiple_results else results[0]

    def bind_with_trace(
        self, trace: Trace, args: Sequence[Tree], *avals_and_params: Any
    ) -> Any:  # Any: as bind
        """Apply it under a trace; parameters come last, and what is known of the arrays is not needed."""
        with running(trace):
            return self.bind(*args, **avals_and_params[-1])

    def get_bind_params(self, params: Mapping[str, Tree]) -> BindParams:
        """Return the keyword arguments of `bind`, as interpreters ask for them."""
        return BindParams(params)

    def listed(self, results: Tree) -> list[Tree]:
        """Return the results of a rule of this operation as a list."""
        return list(results) if self.multiple_results else [results]

    def __repr__(self) -> str:
        return self.name


class Parameters(dict[str, Any]):
    """Parameters of an application; equal where all of them are. Those that cannot be compared equal themselves."""

    def __hash__(self) -> int:  # type: ignore[override]  # they are never changed
        total = hash(frozenset(self))
        for value in self.values():
            try:
                total ^= hash(value)
            except TypeError:
                total ^= id(type(value))
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parameters) or self.keys() != other.keys():
            return False
        return all(_same(value, other[key]) for key, value in self.items())

    def __ne__(self, other: object) -> bool:
        return not self == other


def _same(one: Tree, other: Tree) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    try:
        hash(one)
        return bool(one == other)
    except Exception:  # what cannot be hashed or compared: arrays, trees of arrays
        return False


@frozen
class Application(Extension):
    """A library's operation with its parameters."""

    name = "extension"
    of: Primitive
    parameters: Parameters

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """By the operation's abstract evaluation."""
        return self._abstract(operands)[0]

    def effects(self, *operands: Type) -> Effects:
        """By the operation's abstract evaluation."""
        return self._abstract(operands)[1] if self.of.has_effects else PURE

    def _abstract(self, operands: Sequence[Type]) -> tuple[tuple[Type, ...], Effects]:
        found, effects = self.of.abstract_eval(*map(aval_of, operands), **self.parameters)
        return tuple([type_of_aval(aval) for aval in self.of.listed(found)]), effects

    def call(self, operands: Operands) -> list[Array]:
        """By the operation's implementation."""
        results = self.of.impl(*map(as_array, operands), **self.parameters)
        return [as_array(result) for result in self.of.listed(results)]


@sharding_rule(Application)
def application_layouts(
    primitive: Application,
    operands: Sequence[ShardedType],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
    /,
) -> list[ClosedDimShardings]:
    """Return the shardings that its abstract evaluation gives to the results: replicated, where it gives none."""
    shardings = shardings_over(mesh, [Sharding(mesh, x.dims) for x in operands])
    avals = [shown_aval(x.type, sharding) for x, sharding in zip(operands, shardings, strict=True)]
    found, _ = primitive.of.abstract_eval(*avals, **primitive.parameters)
    return [
        layout_of_aval(aval, type)
        for aval, type in zip(primitive.of.listed(found), results, strict=True)
    ]
