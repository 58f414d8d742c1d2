"""Shared by jvp and linearize: tracers that pair a primal with a tangent, and a trace that unpacks pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import Array, Operand, Operands, Primitive, type_of, types_of
from treadle_ir.core import Varying
from treadle_ir.errors import NOWHERE, Source
from treadle_ir.tracing import (
    Trace,
    Tracer,
    checked_manual_axes,
    concrete_elements,
    reset_current,
    set_current,
    staging_trace,
    transparent,
)


class DualTracer(Tracer):
    """A primal and its tangent. As concrete as its primal is.

    One whose tangent is known to be zero is transparent: an argument that is not differentiated. `given` is then what
    the user passed, such as a Python number.
    """

    __slots__ = ("given", "primal", "tangent", "type")

    def __init__(
        self, trace: Trace, primal: Operand, tangent: Tangent, given: object = None
    ) -> None:
        self.owner = trace
        self.primal: Final = primal
        self.tangent: Final = tangent
        self.given: Final = given
        self.type = type_of(primal)

    @property
    def source(self) -> Source:
        """Where the primal was made."""
        return self.primal.source if isinstance(self.primal, Tracer) else NOWHERE

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]] | None:
        """The primal's elements, if it has any."""
        return concrete_elements(self.primal)

    def behind(self) -> Operand | None:
        """The primal."""
        return self.primal

    def constant(self) -> Operand | None:
        """The primal, if there is no tangent."""
        if not isinstance(self.tangent, Zero):
            return None
        inner = self.primal.constant() if isinstance(self.primal, Tracer) else None
        return self.primal if inner is None else inner

    def original(self) -> object:
        """Return the user's value if there is no tangent, else this tracer."""
        if not isinstance(self.tangent, Zero):
            return self
        return transparent(self.primal if self.given is None else self.given)


def entering(tracers: Sequence[DualTracer]) -> list[object]:
    """Return the arguments for a user's function: the tracers.

    While jit stages, a number that is not differentiated comes as it is. What Python computes with it stays known,
    as it does of any other number in a function that is staged; an operation on a tracer would be staged.
    """
    if staging_trace() is None:
        return list(tracers)
    return [
        tracer
        if tracer.given is None
        or isinstance(tracer.given, Array)
        or not isinstance(tracer.tangent, Zero)
        else tracer.given
        for tracer in tracers
    ]


class DualTrace(Trace):
    """Family: differentiates what a nonzero tangent reaches and leaves the rest to the parent."""

    __slots__ = ("axes", "casts")
    tracer: ClassVar[type[DualTracer]]

    def __init__(self, parent: Trace) -> None:
        super().__init__(parent)
        self.axes = checked_manual_axes()
        # Casts of tracers to vary over more axes, by id and axes; each with its tracer, so that the id stays its own.
        self.casts: dict[tuple[int, Varying], tuple[DualTracer, Operand]] = {}

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Results with their tangents; constants go to the parent as they are."""
        if self.axes:
            operands = self._together(primitive, operands)
        primals: list[Operand] = []
        tangents: list[Tangent | None] = []
        differentiated = False
        tracer = self.tracer
        for operand in operands:
            if type(operand) is tracer and operand.owner is self:
                primals.append(operand.primal)
                tangents.append(operand.tangent)
                differentiated = differentiated or not isinstance(operand.tangent, Zero)
            else:
                primals.append(operand)
                tangents.append(None)
        assert self.parent is not None
        if not differentiated:
            token = set_current(self.parent)
            try:
                return self.parent.process(primitive, primals)
            finally:
                reset_current(token)
        known = [
            Zero(type_of(primal).tangent()) if tangent is None else tangent
            for primal, tangent in zip(primals, tangents, strict=True)
        ]
        results, result_tangents = self.differentiate(primitive, primals, known)
        return [
            result if isinstance(tangent, Zero) else tracer(self, result, tangent)
            for result, tangent in zip(results, result_tangents, strict=True)
        ]

    def _together(self, primitive: Primitive, operands: Operands) -> Operands:
        """Return operands that vary over the same axes: tangents have to be cast as their primals are.

        What has no tangent is left to the parent.
        """
        from treadle_ir.sharding import missing_axes, operand_axes  # noqa: PLC0415 - in shard_map only

        types = types_of(operands)
        wanted = operand_axes(primitive, types, self.axes)
        return [
            self._cast(x, missing_axes(type, to))
            if isinstance(x, self.tracer) and x.owner is self and to != type.varying
            else x
            for x, type, to in zip(operands, types, wanted, strict=True)
        ]

    def _cast(self, x: DualTracer, more: Varying) -> Operand:
        if not more or isinstance(x.tangent, Zero):
            return x
        found = self.casts.get((id(x), more))
        if found is None:
            from treadle_ir.sharding import cast_to  # noqa: PLC0415 - as above

            (made,) = self.process(cast_to(more), (x,))
            found = self.casts[id(x), more] = x, made
        return found[1]

    @abstractmethod
    def differentiate(
        self, primitive: Primitive, primals: Operands, tangents: Sequence[Tangent]
    ) -> tuple[Operands, Sequence[Tangent]]:
        """Results and their tangents, by the primitive's rule; some tangent is not `Zero`."""
