"""`Exported`: a portable (serialisable) program."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, final

from treadle.export.body import Body
from treadle.export.checks import DisabledSafetyCheck, default_export_platform
from treadle.export.shardings import Over, mesh_around, mesh_of_call, placed
from treadle_autodiff import custom_vjp, vjp
from treadle_compiler import portable_artifact, pretty
from treadle_ir import ArgumentError, ArrayType, Effect, Operand, UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes, is_symbolic
from treadle_ir.errors import DerivativeError, PlacementError, boundary, integer
from treadle_ir.process import frozen
from treadle_ir.tracing import MESH, Tracer
from treadle_ir.tree import (
    PyTreeDef,
    explain_difference,
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
)
from treadle_runtime import DeviceArray, NamedSharding, ShapeDtypeStruct, jit

# The contract between a serialized function and who calls it; JAX counts the same way.
CALLING_CONVENTION: Final = 10
_MOST_SHAPES: Final = 1024  # that an exported function remembers to fit

Tree = Any  # a pytree: any Python object


def structs(types: Sequence[ArrayType]) -> tuple[ShapeDtypeStruct, ...]:
    """Return the `ShapeDtypeStruct`s that describe types to users."""
    return tuple([ShapeDtypeStruct(t.shape, t.dtype, weak_type=t.weak) for t in types])


@boundary
@final
@frozen(eq=False)
class Exported:
    """A function exported for arguments of certain types: a program that is portable between processes and machines.

    `call` runs it, `serialize` writes it down, `vjp` is its derivative. The artefact holds treadle's own program, not
    code for a platform: it is lowered and compiled where it runs.
    """

    fun_name: str
    in_tree: PyTreeDef  # of (args, kwargs)
    in_avals: tuple[ShapeDtypeStruct, ...]
    out_tree: PyTreeDef
    out_avals: tuple[ShapeDtypeStruct, ...]
    platforms: tuple[str, ...]
    body: Body
    donated: tuple[int, ...] = ()  # the arrays among the arguments that jit was to donate
    ordered_effects: tuple[Effect, ...] = ()
    unordered_effects: tuple[Effect, ...] = ()
    disabled_safety_checks: tuple[DisabledSafetyCheck, ...] = ()
    calling_convention_version: int = CALLING_CONVENTION
    nr_devices: int = 1
    in_shardings_hlo: tuple[None, ...] = ()
    out_shardings_hlo: tuple[None, ...] = ()
    derivative: Exported | None = None  # the vjp, where it came with the artefact
    deserialized: bool = False

    # --- calling ---

    def call(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Run it, compiled where the arguments are; also inside of jit, vmap and reverse derivatives.

        Raises:
            ArgumentError: arguments of other structures, shapes or element types than it was exported for.
            PlacementError: it was not exported for this platform, or for another number of devices than its arguments
                are over.
            DerivativeError: by a derivative: it was serialized without that order of derivatives.
        """
        leaves = self._leaves(args, kwargs)
        self._check_platform(leaves)
        shardings = self.body.shardings
        if shardings is None:
            return self.out_tree.unflatten([*self._flat_call(*leaves)])
        if any([isinstance(leaf, Tracer) for leaf in leaves]):
            mesh = mesh_around(shardings)
        else:
            mesh = mesh_of_call(self.fun_name, shardings, leaves)
            leaves = placed(leaves, shardings, mesh)
        with MESH.override(mesh):
            return self.out_tree.unflatten([*self._flat_call(*leaves)])

    def _leaves(self, args: tuple[Tree, ...], kwargs: dict[str, Tree]) -> list[Operand]:
        leaves, structure = flatten_leaves_and_structure((args, kwargs))
        if structure != self.in_tree:
            lines = explain_difference(structure, self.in_tree)
            raise ArgumentError(
                f"The invocation args and kwargs must have the same pytree structure as when the function "
                f"{self.fun_name!r} was exported, but they differ {'; '.join(lines)}",
                fix="call it with the structure that it was exported with (the second of each pair)",
            )
        arrays: list[Operand] = []
        for number, (leaf, aval) in enumerate(zip(leaves, self.in_avals, strict=True)):
            array = as_array(leaf)
            if len(array.shape) != len(aval.shape) or (
                array.shape != aval.shape and not is_symbolic(aval.shape)
            ):
                raise ArgumentError(
                    f"Shape mismatch for {_path(args, kwargs, number)}: expected {aval.shape} "
                    f"and called with {array.shape}",
                    fix="export the function for this shape, too",
                )
            if array.dtype != aval.dtype:
                raise ArgumentError(
                    f"Dtype mismatch for {_path(args, kwargs, number)}: expected "
                    f"{dtypes.user_name(aval.dtype)} and called with {dtypes.user_name(array.dtype)}",
                    fix="convert the argument with astype",
                )
            arrays.append(array)
        if self.body.is_symbolic:
            self._check_sizes(args, kwargs, tuple([each.shape for each in arrays]))
        return arrays

    def _check_sizes(
        self, args: tuple[Tree, ...], kwargs: dict[str, Tree], shapes: tuple[tuple[int, ...], ...]
    ) -> None:
        if shapes not in self._fitting:
            self.body.solved(shapes, lambda number: _path(args, kwargs, number))
            if len(self._fitting) >= _MOST_SHAPES:
                self._fitting.clear()
            self._fitting[shapes] = None

    @functools.cached_property
    def _fitting(self) -> dict[tuple[tuple[int, ...], ...], None]:
        """Shapes that fit the symbolic ones."""
        return {}

    def _check_platform(self, leaves: Sequence[Operand]) -> None:
        if DisabledSafetyCheck.platform() in self.disabled_safety_checks:
            return
        if any([isinstance(leaf, Tracer) for leaf in leaves]):
            return  # where a staged program will run is not known yet; it is lowered for that platform
        found = {
            device.backend.platform
            for leaf in leaves
            if isinstance(leaf, DeviceArray)
            for device in leaf.devices()
        }
        for platform in found or {default_export_platform()}:
            if platform not in self.platforms:
                raise PlacementError(
                    f"Function {self.fun_name!r} was exported for {', '.join(self.platforms)}, "
                    f"but it is used on {platform}",
                    fix=f'export it with platforms=["{platform}", ...], or with '
                    "disabled_checks=[DisabledSafetyCheck.platform()]",
                )

    @functools.cached_property
    def _flat_call(self) -> Any:  # Any: custom_vjp of a function of any number of arrays
        """The body with the exported vjp as its derivative."""
        run = self.body.run

        @custom_vjp
        def call(*operands: Operand) -> list[Operand]:
            results: list[Operand] = run(*operands)
            return results

        def forward(*operands: Operand) -> tuple[list[Operand], tuple[Operand, ...]]:
            self.vjp()  # refuses where there is none, before the function runs
            return run(*operands), operands

        def backward(operands: tuple[Operand, ...], cotangents: list[Operand]) -> tuple[Any, ...]:
            found = self.vjp()._flat_call(*operands, *cotangents)
            return tuple(
                [
                    ct if dtypes.is_inexact(aval.dtype) else None
                    for ct, aval in zip(found, self.in_avals, strict=True)
                ]
            )

        call.defvjp(forward, backward)
        return call

    # --- derivatives ---

    def has_vjp(self) -> bool:
        """Return whether `vjp` has an answer: always before serialization, then if that was asked for it."""
        return self.derivative is not None or not self.deserialized

    def vjp(self) -> Exported:
        """Return the derivative, as an exported function of the flat arguments and then the cotangents of the flat
        results.

        It returns the cotangents of the arguments; cotangents of integers have element type float0.

        Raises:
            DerivativeError: it was serialized without that order of derivatives.
        """
        if self.derivative is not None:
            return self.derivative
        if self.deserialized:
            raise DerivativeError(
                f"No VJP is available: {self.fun_name} was serialized without this order of derivatives",
                fix="serialize it with a higher order of derivatives, such as `exported.serialize(vjp_order=1)`",
            )
        return self._own_vjp

    @functools.cached_property
    def _own_vjp(self) -> Exported:
        from treadle.export.exporting import export  # noqa: PLC0415 - it makes what is defined here

        run, count = self.body.run, len(self.in_avals)

        def backward(*operands: Operand) -> tuple[Operand, ...]:
            pulled: tuple[Operand, ...] = vjp(run, *operands[:count])[1]([*operands[count:]])
            return pulled

        backward.__name__ = f"{self.fun_name}_vjp"
        given = structs([ArrayType(x.shape, x.dtype).tangent() for x in self.out_avals])
        export_it = export(
            jit(backward), platforms=self.platforms, disabled_checks=self.disabled_safety_checks
        )
        exported = export_it(*self.in_avals, *given)
        shardings = self.body.shardings
        if shardings is not None:
            body = exported.body
            exported = replace(
                exported,
                body=Body(body.name, body.program, body.constants, shardings.transposed()),
                nr_devices=self.nr_devices,
            )
        return exported

    # --- other forms ---

    def serialize(self, vjp_order: int = 0) -> bytearray:
        """Return the function as bytes, with derivatives up to an order; `deserialize` reads them.

        Raises:
            ArgumentError: the order is negative, or a node of the trees of arguments and results has no name.
            UnsupportedError: the function calls Python functions back.
            DerivativeError: there is no derivative of this order.

        Example:
            >>> import treadle
            >>> from treadle import export
            >>> exported = export.export(treadle.jit(lambda x: x ** 2))(1.0)
            >>> again = export.deserialize(exported.serialize(vjp_order=1))
            >>> print(again.call(3.0), treadle.grad(again.call)(3.0))
            9.0 6.0
        """
        from treadle.export.artefact import to_bytes  # noqa: PLC0415 - it reads what is defined here

        order = integer("serialize", "vjp_order", vjp_order)
        if order < 0:
            raise ArgumentError(f"serialize: vjp_order is {order}, but must not be negative")
        chain = [self]
        for _ in range(order):
            chain.append(chain[-1].vjp())
        return bytearray(to_bytes(chain))

    def mlir_module(self, platform: str | None = None) -> str:
        """StableHLO text, for one of its platforms (by default the first); arrays that it captured are constants.

        Raises:
            ArgumentError: it was not exported for this platform.
            UnsupportedError: the function calls Python functions back.
        """
        return pretty(self._stablehlo(platform))

    @property
    def mlir_module_serialized(self) -> bytes:
        """StableHLO in its portable form of bytes, for the first platform."""
        return portable_artifact(self._stablehlo(None))

    def _stablehlo(self, platform: str | None) -> str:
        chosen = self.platforms[0] if platform is None else platform
        if chosen not in self.platforms:
            raise ArgumentError(
                f"mlir_module: {self.fun_name} was exported for {', '.join(self.platforms)}, not for {chosen!r}",
                fix=f"export it with platforms=[{chosen!r}, ...]",
            )
        if self.ordered_effects or self.unordered_effects:
            raise UnsupportedError(
                f"mlir_module: {self.fun_name} calls a Python function back, which StableHLO cannot hold"
            )
        return self.body.stablehlo(chosen)

    # --- JAX's further names ---

    @property
    def module_kept_var_idx(self) -> tuple[int, ...]:
        """Which arguments `mlir_module` takes: all of them."""
        return tuple(range(len(self.in_avals)))

    @property
    def uses_global_constants(self) -> bool:
        """Whether dimensions or the platform are arguments of the module: never."""
        return False

    def in_shardings_jax(self, mesh: object) -> tuple[NamedSharding | None, ...]:
        """Return the shardings of the arguments over a mesh of devices; None for unspecified ones.

        Raises:
            ArgumentError: it is not a mesh; ShardingError: its axes are not those that the function was exported over.
        """
        return self._on(
            mesh,
            self.in_shardings_hlo if self.body.shardings is None else self.body.shardings.inputs,
        )

    def out_shardings_jax(self, mesh: object) -> tuple[NamedSharding | None, ...]:
        """Return the shardings of the results over a mesh of devices; None for unspecified ones.

        Raises:
            ArgumentError: it is not a mesh; ShardingError: its axes are not those that the function was exported over.
        """
        return self._on(
            mesh,
            self.out_shardings_hlo if self.body.shardings is None else self.body.shardings.outputs,
        )

    def _on(self, mesh: object, over: Sequence[Over | None]) -> tuple[NamedSharding | None, ...]:
        return tuple([None if each is None else each.on(mesh) for each in over])

    def __str__(self) -> str:
        return f"Exported(fun_name={self.fun_name}, ...)"


def _path(args: tuple[Tree, ...], kwargs: dict[str, Tree], number: int) -> str:
    path = leaf_paths((args, kwargs))[number]
    return f"{'args' if path[0].idx == 0 else 'kwargs'}{keystr(path[1:])}"
