"""custom_partitioning: a function whose user says how it runs on the parts of arrays that several devices have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final, TypeAlias, final

import treadle_compiler as compiler
from treadle_ir import (
    AbstractMesh,
    ArgumentError,
    ArrayType,
    Operand,
    Operands,
    Program,
    Staged,
    Type,
    UnsupportedError,
    bind,
    stage,
    type_of,
)
from treadle_ir.calling import TreeFunction, array_results, flatten_arrays
from treadle_ir.errors import ShardingError, flags, functions, refused, shown, wraps
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.primitives.shard_map import inside_axes
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    Tracer,
    in_positional_form,
    interpret_unchecked as interpret,
    positions,
    stage_tree,
)
from treadle_ir.tree import PyTreeDef, spread_prefix, tree_unflatten
from treadle_runtime.abstract import ShapeDtypeStruct
from treadle_runtime.arrays.array import elements_of
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.parallel.sharding_rule import SdyShardingRule, rule_of
from treadle_runtime.placement.mesh import MESH, Mesh
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.partition import inner_sharding
from treadle_runtime.placement.placement import Placement

Tree: TypeAlias = Any  # a pytree: any Python object
_KEPT: Final = 8  # calls of a function
_ANSWER: Final = "(mesh, lower_fn, result_shardings, arg_shardings)"


@final
class custom_partitioning:  # noqa: N801 - a decorator
    """A function for which the user defines how it runs on the shards of arrays over several devices.

    While XLA partitions a program over several devices, it calls `partition`, which `def_partition` has set, for the
    shardings of the function's arguments and results, and for the function that each device runs on its shards. On one
    device and within `shard_map` the function runs unchanged; its derivatives and `vmap` are derived from the function,
    and `partition` is not called for them. A function with effects or without results runs unchanged, too.

    Args:
        fun: takes and returns trees of arrays; it closes over no arrays.
        static_argnums: positions of non-array arguments; `partition` gets them first.

    Raises:
        ArgumentError: `fun` is not a function; by the call: `def_partition` has not been called, a static argument is
            not hashable, or other arguments are not trees of arrays.
        ShardingError, ShapeError: by the call over several devices: the sharding rule does not fit the arrays, or the
            result of `partition` does not fit.
        UnsupportedError: by the call: `fun` closes over arrays; over several devices there is no sharding rule, or
            they are not CPUs.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.custom_partitioning import custom_partitioning
        >>> @custom_partitioning
        ... def double(x):
        ...     return 2 * x
        >>> def partition(mesh, arg_shapes, result_shape):
        ...     (x,) = arg_shapes
        ...     return mesh, lambda part: 2 * part, x.sharding, (x.sharding,)
        >>> _ = double.def_partition(partition, sharding_rule="... i -> ... i")
        >>> double(tnp.arange(3.0))
        Array([0., 2., 4.], dtype=float32)
    """

    def __init__(self, fun: Callable[..., Tree], static_argnums: int | Sequence[int] = ()) -> None:
        functions("custom_partitioning", fun=fun)
        self.fun = fun
        self.static_argnums = static_argnums
        self._partition: Callable[..., Any] | None = None
        self._rule: SdyShardingRule | Callable[..., Any] | None = None
        self._calls: list[CustomPartitioning] = []  # earlier ones: equal ones are compiled once
        wraps(fun)(self)

    def def_partition(
        self,
        partition: Callable[..., Any],
        infer_sharding_from_operands: Callable[..., Any] | None = None,
        propagate_user_sharding: Callable[..., Any] | None = None,
        decode_shardings: bool = True,
        sharding_rule: SdyShardingRule | str | Callable[..., Any] | None = None,
        *,
        reduction_factors: tuple[str, ...] = (),
        need_replication_factors: tuple[str, ...] = (),
        permutation_factors: tuple[str, ...] = (),
        **factor_sizes: int,
    ) -> Callable[..., Any]:
        """Define how the function is partitioned.

        Args:
            partition: a function of the static arguments, the mesh, the arguments and the result, in both of which
                objects with `.shape`, `.dtype` and `.sharding` replace arrays. It returns the mesh (None for the same
                mesh), the function of one device, which may use collectives over the axes of the mesh, and the
                shardings of results and arguments: trees of `NamedSharding`, or prefixes of them.
            infer_sharding_from_operands: not used: `sharding_rule` replaces it.
            propagate_user_sharding: not used: `sharding_rule` replaces it.
            decode_shardings: has no effect: shardings are `NamedSharding` in any case.
            sharding_rule: how axes correspond: `"... i j, ... j k -> ... i k"`, with spaces between factors and
                brackets around the factors that make one axis; an `SdyShardingRule`; or a function of the static
                arguments, the mesh, and the types of arguments and results, that returns one of these.
            reduction_factors: as for `SdyShardingRule`, if the rule is a string.
            need_replication_factors: likewise.
            permutation_factors: likewise.
            factor_sizes: likewise.

        Returns:
            `partition`.

        Raises:
            ArgumentError: an argument is of another kind, or the rule is not valid.
        """
        name = "def_partition"
        functions(name, partition=partition)
        for key, value in (
            ("infer_sharding_from_operands", infer_sharding_from_operands),
            ("propagate_user_sharding", propagate_user_sharding),
        ):
            if value is not None:
                functions(name, **{key: value})
        flags(name, decode_shardings=decode_shardings)
        kinds = {
            "reduction_factors": reduction_factors,
            "need_replication_factors": need_replication_factors,
            "permutation_factors": permutation_factors,
        }
        more = {**{key: value for key, value in kinds.items() if value}, **factor_sizes}
        rule: Any = sharding_rule
        if isinstance(rule, str):
            rule = rule_of(rule, **more)  # type: ignore[arg-type]  # names and sizes
        elif more:
            raise ArgumentError(
                f"def_partition: {', '.join(sorted(more))} belong to a sharding rule in words, but the rule is "
                f"{shown(rule)}",
                fix="give them to SdyShardingRule",
            )
        elif not (rule is None or isinstance(rule, SdyShardingRule) or callable(rule)):
            expected = "a string, an SdyShardingRule or a function"
            raise refused(name, "sharding_rule", expected, rule)
        self._partition, self._rule = partition, rule
        return partition

    def __call__(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Return the function's results."""
        name = getattr(self.fun, "__name__", "function")
        if self._partition is None:
            raise ArgumentError(
                f"custom_partitioning: how {name} is partitioned has not been defined",
                fix="call its method def_partition first",
            )
        positional = in_positional_form(self.fun, args, kwargs)
        what = "custom_partitioning: static_argnums"
        static = positions(self.static_argnums, len(positional), what, "static")
        statics = tuple([(i, positional[i]) for i in sorted({*static})])
        try:
            hash(statics)
        except TypeError:
            raise ArgumentError(
                f"custom_partitioning: the static arguments {shown([x for _, x in statics])} of {name} have no hash",
                fix="pass tuples, or other values that do not change",
            ) from None
        dynamic = tuple([x for i, x in enumerate(positional) if i not in static])
        leaves, structure = flatten_arrays(dynamic, f"custom_partitioning: {name}: argument ")

        def arguments(operands: Sequence[Any]) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
            every = [*tree_unflatten(structure, operands)]
            for place, value in statics:  # they ascend
                every.insert(place, value)
            return tuple(every), {}

        results = array_results(f"custom_partitioning: {name}: result ")
        staged, out = stage_tree(
            TreeFunction(self.fun, arguments, results), *[type_of(x).unsharded for x in leaves]
        )
        _refuse_captured(name, staged.captured)
        values = tuple([value for _, value in statics])
        partitioner = CallPartitioner(self._partition, self._rule, values, structure, out, name)
        made = CustomPartitioning(staged.program, name, partitioner)
        call = next((each for each in self._calls if each == made), made)
        if call is made:
            self._calls[:] = [*self._calls, call][-_KEPT:]
        return tree_unflatten(out, bind(call, *leaves))


def _refuse_captured(name: str, captured: Sequence[object]) -> None:
    if captured:
        raise UnsupportedError(
            f"custom_partitioning: {name} closes over arrays, whose sharding is unknown: {len(captured)}",
            fix="pass them as arguments",
        )


@final
@frozen
class CallPartitioner:
    """How a call of the user's function is partitioned: the user's functions, and the arguments of the call."""

    partition: Callable[..., Any]
    sharding_rule: SdyShardingRule | Callable[..., Any] | None
    statics: tuple[Any, ...]
    arguments: PyTreeDef
    results: PyTreeDef
    name: str

    def rule(self, mesh: AbstractMesh, operands: Sequence[Type], results: Sequence[Type]) -> str:
        """Return the text of the sharding rule for arrays of these types.

        Raises:
            UnsupportedError: there is no rule.
            ArgumentError: the user's function has returned something else than a rule.
            ShardingError, ShapeError: the rule does not fit the arrays.
        """
        rule: Any = self.sharding_rule
        if rule is None:
            raise UnsupportedError(
                f"custom_partitioning: {self.name} has no sharding rule, which XLA needs over several devices",
                fix="give def_partition a sharding_rule, such as '... i -> ... i'",
            )
        if not isinstance(rule, SdyShardingRule):
            rule = rule(*self.statics, mesh, [*operands], [*results])
            if isinstance(rule, str):
                rule = rule_of(rule)
            if not isinstance(rule, SdyShardingRule):
                raise ArgumentError(
                    f"custom_partitioning: the sharding_rule of {self.name} has returned {shown(rule)}",
                    fix="return a string or an SdyShardingRule",
                )
        return rule.text(operands, results)

    def parts(
        self,
        placement: Placement,
        platform: str,
        types: tuple[Sequence[Type], Sequence[Type]],
        proposed: tuple[Sequence[Any], Sequence[Any]],  # jaxlib's shardings
    ) -> tuple[str, list[Any], list[Any]]:
        """Call `partition`; return the program of one device as text, and the shardings of operands and results.

        `proposed` are the shardings of operands and results that XLA proposes.

        Raises:
            ArgumentError, ShardingError: the result of `partition` is not valid, or does not fit.
        """
        sharding = placement.sharding
        assert isinstance(sharding, NamedSharding)
        structs = [
            [_struct(type, each, placement) for type, each in zip(*pair, strict=True)]
            for pair in zip(types, proposed, strict=True)
        ]
        arguments = tree_unflatten(self.arguments, structs[0])
        result = tree_unflatten(self.results, structs[1])
        answer = self.partition(*self.statics, sharding.placed, arguments, result)
        if not isinstance(answer, (tuple, list)) or len(answer) != 4:
            raise ArgumentError(
                f"custom_partitioning: partition of {self.name} has returned {shown(answer)}, but must return {_ANSWER}"
            )
        mesh, function, ends, begins = answer
        mesh = self._mesh(mesh, sharding.placed)
        functions(f"partition of {self.name}", lower_fn=function)
        operands = self._spread("arg_shardings and the arguments", begins, arguments, sharding)
        results = self._spread("result_shardings and the results", ends, result, sharding)
        inner = [_part(type, each) for type, each in zip(types[0], operands, strict=True)]
        outer = [_part(type, each) for type, each in zip(types[1], results, strict=True)]
        text = self._lowered(function, mesh, platform, inner, outer)
        return (
            text,
            [x.tiled(t.ndim) for x, t in zip(operands, inner, strict=True)],
            [x.tiled(t.ndim) for x, t in zip(results, outer, strict=True)],
        )

    def _mesh(self, given: object, own: Mesh) -> Mesh:
        if given is None or (
            isinstance(given, AbstractMesh) and given.axis_names == own.axis_names
        ):
            return own
        if not isinstance(given, Mesh) or given.flat != own.flat:
            raise ShardingError(
                f"custom_partitioning: partition of {self.name} has returned the mesh {shown(given)}, but the program "
                f"runs on the devices of {own}",
                fix="return the mesh that it is given, or another one of its devices, in their order",
            )
        return given

    def _spread(
        self, what: str, given: Tree, full: Tree, sharding: NamedSharding
    ) -> list[NamedSharding]:
        """Return the sharding of each array from the prefix `given`, after a check of its devices."""
        found = spread_prefix(f"custom_partitioning: partition of {self.name}: {what}", given, full)
        for each in found:
            if not isinstance(each, NamedSharding):
                raise refused(
                    f"partition of {self.name}",
                    f"each leaf of {what.split(maxsplit=1)[0]}",
                    "a NamedSharding",
                    each,
                )
            if isinstance(each.mesh, Mesh) and each.devices != sharding.devices:
                raise ShardingError(
                    f"custom_partitioning: partition of {self.name}: {each} has different devices from the program, "
                    f"or in another order; the program is over {sharding.placed}"
                )
            if each.mesh.size != sharding.num_devices:
                raise ShardingError(
                    f"custom_partitioning: partition of {self.name}: {each} is over {each.mesh.size} devices, but the "
                    f"program over {sharding.num_devices}"
                )
        return found

    def _lowered(
        self,
        function: Callable[..., Tree],
        mesh: Mesh,
        platform: str,
        inner: Sequence[ArrayType],
        outer: Sequence[ArrayType],
    ) -> str:
        """Return the function of one device as text."""
        what = f"lower_fn of {self.name}"

        def arguments(operands: Sequence[Any]) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
            return tuple(tree_unflatten(self.arguments, operands)), {}

        tree = TreeFunction(function, arguments, array_results(f"{what}: result "))
        with ExitStack() as stack:
            stack.enter_context(MESH.override(mesh))
            stack.enter_context(inside_axes(mesh.axes, mesh.axis_names, False))
            staged, out = stage_tree(tree, *inner)
            program = _embedded(what, staged, inner)
        if out != self.results:
            raise ArgumentError(
                f"custom_partitioning: {what} returns {out}, but {self.name} returns {self.results}"
            )
        for number, (found, wanted) in enumerate(zip(program.result_types, outer, strict=True)):
            assert isinstance(found, ArrayType)
            if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
                raise ShardingError(
                    f"custom_partitioning: result {number} of {what} is {found.strong()}, but a device's part of what "
                    f"{self.name} returns is {wanted.strong()}",
                    fix="return a part as result_shardings say",
                )
        return compiler.part_text(program, platform, mesh.axes)


def _embedded(what: str, staged: Staged, types: Sequence[ArrayType]) -> Program:
    """Return the program of one device, with the arrays that its function closes over embedded."""
    captured = staged.captured
    if not captured:
        return staged.program
    if any([isinstance(x, Tracer) for x in captured]):
        _refuse_captured(what, captured)
    arrays = [as_device_array(x) for x in captured]

    def embedded(*operands: Operand) -> Operands:
        inside = [bind(compiler.Embedded(elements_of(x), x.type), *())[0] for x in arrays]
        return interpret(staged.program, *inside, *operands)

    return stage(embedded, *types).program


def _struct(type: Type, proposed: Any, placement: Placement) -> ShapeDtypeStruct:
    """Return the object that `partition` gets instead of an array. Any: a sharding of jaxlib's."""
    assert isinstance(type, ArrayType)
    sharding = inner_sharding(proposed, placement, type.ndim)
    return ShapeDtypeStruct(type.shape, type.dtype, sharding=sharding)


def _part(type: Type, sharding: NamedSharding) -> ArrayType:
    assert isinstance(type, ArrayType)
    return type.with_shape(sharding.shard_shape(type.shape))
