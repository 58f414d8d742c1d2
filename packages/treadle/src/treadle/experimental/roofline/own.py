"""Rules of a library's own: what its operations need of a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, TypeAlias, TypeVar, final

import numpy as np

from treadle.core import AbstractValue, ShapedArray, aval_of
from treadle.extend.source_info_util import NameStack, SourceInfo
from treadle.extension import Primitive
from treadle.jaxprs import InstructionView, params_of, view_of
from treadle_ir import Equation
from treadle_ir.analysis import Pinned, RooflineResult
from treadle_ir.core.mesh import AbstractMesh, MeshAxes
from treadle_ir.errors import functions, refused
from treadle_numpy.lax.views import PrimitiveView

ValidRooflineDtype: TypeAlias = np.dtype[Any]
"""Element types of a `RooflineShape`."""

Operation: TypeAlias = Primitive | PrimitiveView | InstructionView
Rule: TypeAlias = Callable[..., RooflineResult]
R = TypeVar("R", bound=Rule)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RooflineShape:
    """Shape and element type of an operand, as a rule gets it.

    Example:
        >>> import numpy as np
        >>> from treadle.core import ShapedArray
        >>> x = RooflineShape.from_aval(ShapedArray((2, 3), np.float32))
        >>> x.size, x.bytes
        (6, 24)
    """

    shape: tuple[int, ...]
    dtype: ValidRooflineDtype

    @classmethod
    def from_aval(cls, aval: AbstractValue) -> RooflineShape:
        """Return the shape of an abstract array.

        Raises:
            ArgumentError: `aval` is not an abstract array.
        """
        if not isinstance(aval, ShapedArray):
            raise refused("RooflineShape.from_aval", "aval", "the `aval` of an array", aval)
        return cls(shape=aval.shape, dtype=aval.dtype)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """How many bytes they take."""
        return self.size * self.dtype.itemsize

    @classmethod
    def total_bytes(cls, avals: Iterable[AbstractValue]) -> int:
        """Return the bytes of several abstract arrays."""
        return sum([cls.from_aval(aval).bytes for aval in avals])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RooflineRuleContext:
    """Information for a rule in addition to operands and parameters.

    `avals_in` and `avals_out` are the types of operands and results, `name_stack` the names around the operation,
    `mesh` the mesh that it runs over, or None. What is pinned in fast memory is not read from, or written to, the
    other. `jaxpr_eqn_ctx` is as in an equation of a `Jaxpr`.
    """

    name_stack: NameStack
    primitive: Any  # Any: a view of an operation of treadle's, or one of a library's own
    avals_in: Sequence[AbstractValue]
    avals_out: Sequence[AbstractValue]
    jaxpr_eqn_ctx: object
    mesh: MeshAxes | None
    pin_lhs_in_vmem: bool
    pin_rhs_in_vmem: bool


own_rules: Final[dict[object, Rule]] = {}


def register_roofline(prim: Operation) -> Callable[[R], R]:
    """Say what an operation needs: by a rule `(context, *shapes, **parameters)` that returns a `RooflineResult`.

    A decorator. A rule of one of treadle's operations, such as `lax.sin_p`, takes the place of what is known of it.

    Args:
        prim: the operation: a `Primitive` of `treadle.extend.core`, or one of treadle's by JAX's name.

    Raises:
        ArgumentError: it is not an operation, or the rule is not a function; later, a rule returns something else.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.roofline import RooflineResult, register_roofline, roofline
        >>> from treadle.extend.core import Primitive
        >>> attention_p = Primitive("attention")
        >>> types = attention_p.def_abstract_eval(lambda q, k: q)
        >>> @register_roofline(attention_p)
        ... def attention_roofline(context, q, k):
        ...     return RooflineResult(flops=4 * q.size * k.shape[0], hbm_bytes=2 * q.bytes + k.bytes)
        >>> x = tnp.ones((16, 8))
        >>> roofline(attention_p.bind)(x, x)[1].flops
        8192
    """
    if not isinstance(prim, Operation):
        raise refused("register_roofline", "prim", "a Primitive, such as `lax.sin_p`", prim)

    def register(rule: R) -> R:
        functions("register_roofline", rule=rule)
        own_rules[prim] = rule
        return rule

    return register


def register_standard_roofline(prim: Operation) -> None:
    """Say that an operation needs nothing but the memory of its operands and results: others take it in.

    Args:
        prim: the operation, as for `register_roofline`.

    Raises:
        ArgumentError: it is not an operation.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.roofline import register_standard_roofline, roofline
        >>> from treadle.extend.core import Primitive
        >>> tagged_p = Primitive("tagged")
        >>> types = tagged_p.def_abstract_eval(lambda x: x)
        >>> register_standard_roofline(tagged_p)
        >>> roofline(tagged_p.bind)(tnp.ones(3))[1].unfused_flops
        0
    """
    register_roofline(prim)(lambda context, *shapes, **parameters: RooflineResult())


def by_own_rules(pinned: Pinned) -> Callable[[Equation, AbstractMesh | None], Any]:
    """Return a function from equations to the results of users' rules; None for equations without such a rule."""

    def asked(equation: Equation, mesh: AbstractMesh | None) -> RooflineResult | None:
        if not own_rules:
            return None
        prim = view_of(equation.primitive)
        rule = own_rules.get(prim)
        if rule is None:
            return None
        avals = [aval_of(operand.type) for operand in equation.operands]
        context = RooflineRuleContext(
            name_stack=SourceInfo.of(equation.source).name_stack,
            primitive=prim,
            avals_in=avals,
            avals_out=[aval_of(result.type) for result in equation.results],
            jaxpr_eqn_ctx=equation.primitive,
            mesh=mesh,
            pin_lhs_in_vmem=pinned.left,
            pin_rhs_in_vmem=pinned.right,
        )
        parameters: Mapping[str, Any] = params_of(equation.primitive)
        found = rule(context, *map(RooflineShape.from_aval, avals), **parameters)
        if not isinstance(found, RooflineResult):
            raise refused(f"roofline: the rule of {prim}", "the result", "a RooflineResult", found)
        return found

    return asked
