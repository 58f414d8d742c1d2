"""From a jitted function to an exported one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from treadle.export.body import Body
from treadle.export.checks import DisabledSafetyCheck, default_export_platform
from treadle.export.exported import Exported, structs
from treadle.export.shardings import anywhere, exported_shardings, in_memories
from treadle_compiler import lower_program
from treadle_ir import ArgumentError, Array, ArrayType, TreadleError, UnsupportedError
from treadle_ir.errors import refused, sequence, shown
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.rewrite import without_shardings
from treadle_ir.symbolic.solving import mixed, unsolvable
from treadle_ir.tracing import Tracer
from treadle_ir.tree import flatten_leaves_and_structure
from treadle_runtime import JitFunction, jit, platforms_of

# mypy infers the type of a lambda inside of `jit` against these, not against `...`.
P = ParamSpec("P")
R = TypeVar("R", bound=Any)


def export(
    fun_jit: Callable[P, R],
    *,
    platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[DisabledSafetyCheck] = (),
) -> Callable[..., Exported]:
    """Export a jitted function for arguments of certain types, as a portable program.

    Sizes that are to stay open are symbolic dimensions, made by `symbolic_shape`.

    The result takes the arguments (or things with their `shape` and `dtype`) and returns an `Exported`. Static
    arguments are passed here and no longer to `Exported.call`.

    Args:
        fun_jit: what `jit` returned, or a function of the numerical modules.
        platforms: where it will run: of `cpu`, `cuda`, `rocm` and `tpu`; by default, the platform of this process.
            One artefact serves all of them.
        disabled_checks: checks to leave out.

    Raises:
        ArgumentError: `fun_jit` is not a jitted function, or there is no such platform or check; by the result:
            sizes of arguments are of scopes with different constraints.
        MissingRuleError: by the result: an operation cannot be lowered for one of the platforms.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle import export
        >>> weights = tnp.arange(3.0)
        >>> exported = export.export(treadle.jit(lambda x: x @ weights), platforms=["cpu", "cuda"])(
        ...     treadle.ShapeDtypeStruct((2, 3), tnp.float32))
        >>> exported.in_avals, exported.platforms
        ((ShapeDtypeStruct(shape=(2, 3), dtype=float32),), ('cpu', 'cuda'))
        >>> exported.call(tnp.ones((2, 3)))
        Array([3., 3.], dtype=float32)
    """
    function = fun_jit if isinstance(fun_jit, JitFunction) else _jitted(fun_jit)
    if function is None:
        raise ArgumentError(
            f"Function to be exported must be the result of `jit` but is: {shown(fun_jit)}",
            fix="write export(jit(f))(...)",
        )
    wanted = platforms_of("export", "platforms", platforms)
    checks = sequence("export", "disabled_checks", disabled_checks)
    for check in checks:
        if not isinstance(check, DisabledSafetyCheck):
            raise refused("export", "disabled_checks", "DisabledSafetyCheck values", check)

    def exported(*args: Any, **kwargs: Any) -> Exported:  # Any: what the function takes
        return _export(function, wanted or (default_export_platform(),), checks, args, kwargs)

    return exported


def _jitted(function: Callable[P, R]) -> JitFunction[P, R] | None:
    """Return a function of the numerical modules, which in JAX are jitted, under `jit`; None of any other."""
    module = getattr(function, "__module__", None) or type(function).__module__
    of_treadle = str(module).partition(".")[0] in ("treadle", "treadle_numpy")
    return jit(function) if of_treadle and callable(function) else None


def _export(
    function: JitFunction[..., Any],
    platforms: tuple[str, ...],
    checks: tuple[DisabledSafetyCheck, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Exported:
    call = function.trace(*args, **kwargs)
    traced, arguments = call.parts
    if any([isinstance(each, Tracer) for each in traced.captured]):
        raise UnsupportedError(
            f"export: {call.fun_name} closes over a traced array, which belongs to another transformation",
            fix="export outside of jit, grad and vmap, or pass the array as an argument",
        )
    constants = [each for each in traced.captured if isinstance(each, Array)]
    inputs, outputs = call.shardings()
    shardings = exported_shardings(call.fun_name, traced.program, inputs, outputs)
    if shardings is not None and any(
        isinstance(equation.primitive, CustomPartitioning)
        for program in (traced.program, *traced.program.nested())
        for equation in program.equations
    ):
        raise UnsupportedError(
            f"export: {call.fun_name} over several devices has a custom_partitioning, whose Python function says how "
            "it is partitioned and cannot be written down",
            fix="leave the custom_partitioning out of what is exported, or use shard_map",
        )
    program = in_memories(without_shardings(traced.program), outputs)
    program = anywhere(program) if shardings is not None else program
    body = Body(call.fun_name, program, constants, shardings)
    what = f"export of {call.fun_name}"
    problem = mixed(what, body.shapes) or unsolvable(what, body.shapes)
    if problem is not None:
        raise problem
    example = body.example()
    for platform in platforms:
        if example is None:
            break
        over = None if shardings is None else shardings.partitioning(example)
        try:
            lower_program(example, name=call.fun_name, platform=platform, partitioning=over)
        except TreadleError as error:
            error.add_note(f"  while: exporting {call.fun_name} for {platform}")
            raise
    dynamic = arguments.structure.unflatten(arguments.leaves)
    whole = (dynamic, {}) if arguments.statics is None else dynamic
    in_types = [t for t in program.parameter_types[len(constants) :] if isinstance(t, ArrayType)]
    out_types = [t for t in program.result_types if isinstance(t, ArrayType)]
    return Exported(
        fun_name=call.fun_name,
        in_tree=flatten_leaves_and_structure(whole)[1],
        in_avals=structs(in_types),
        out_tree=traced.structure,
        out_avals=structs(out_types),
        platforms=platforms,
        body=body,
        donated=call.donate_argnums,
        ordered_effects=tuple([each for each in program.effects if each.ordered]),
        unordered_effects=tuple([each for each in program.effects if not each.ordered]),
        disabled_safety_checks=checks,
        nr_devices=1 if shardings is None else shardings.mesh.size,
        in_shardings_hlo=(None,) * len(in_types),
        out_shardings_hlo=(None,) * len(out_types),
    )
