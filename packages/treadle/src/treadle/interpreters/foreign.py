"""Lowering rules of operations that are calls of native targets: `ffi_lowering`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue, type_of_aval
from treadle.interpreters.building import LoweringRuleContext
from treadle_compiler import IrValue, attribute_text, ir_module, string_text
from treadle_ir import ArgumentError, ArrayType
from treadle_ir.errors import boundaries, flags, integer, integers, names, refused

__all__ = ["build_ffi_lowering_function", "ffi_lowering"]

LayoutOption: TypeAlias = Any  # None, a sequence of axes, or a Layout


def build_ffi_lowering_function(
    call_target_name: str,
    *,
    operand_layouts: Sequence[LayoutOption] | None = None,
    result_layouts: Sequence[LayoutOption] | None = None,
    backend_config: Mapping[str, Any] | str | None = None,
    skip_ffi_layout_processing: bool = False,
    has_side_effect: bool = False,
    api_version: int = 4,
    operand_output_aliases: Mapping[int, int] | None = None,
) -> Callable[..., Any]:
    """Return a function for use within builders, `f(ctx, *values, **attributes)`: the call of a target, as an
    operation.

    Results are of the types that `ctx.avals_out` has. Layouts are in XLA's order here, the axis along which neighbours
    in memory differ first; None is C order. `backend_config` has more attributes, Python's or MLIR's, or is the
    string of a target with an `api_version` below 4.

    Raises:
        ArgumentError: an argument is not of its kind.

    Example:
        >>> call = build_ffi_lowering_function("half", backend_config={"factor": 0.5})
        >>> callable(call)  # a builder calls it: `call(ctx, x)`
        True
    """
    names("build_ffi_lowering_function", call_target_name=call_target_name)
    flags("build_ffi_lowering_function", has_side_effect=has_side_effect)
    version = integer("build_ffi_lowering_function", "api_version", api_version)
    if backend_config is not None and not isinstance(backend_config, (str, Mapping)):
        raise refused(
            "build_ffi_lowering_function", "backend_config", "a dict or a string", backend_config
        )
    if isinstance(backend_config, str) and version >= 4:
        raise ArgumentError(
            "build_ffi_lowering_function: backend_config is a string only for api_version below 4",
            fix="pass a dict of attributes",
        )

    def built(ctx: LoweringRuleContext, *operands: IrValue, **attributes: Any) -> Any:
        ir = ir_module()
        if isinstance(backend_config, str):
            config = ir.StringAttr.get(backend_config)
        else:
            given = {**(backend_config or {}), **attributes}
            config = ir.DictAttr.get(
                {name: _attribute(call_target_name, each) for name, each in given.items()}
            )
        options = {
            "call_target_name": ir.StringAttr.get(call_target_name),
            "api_version": ir.Attribute.parse(f"{version} : i32"),
            "has_side_effect": ir.BoolAttr.get(bool(has_side_effect)),
            "backend_config": config,
        }
        if not skip_ffi_layout_processing:
            options["operand_layouts"] = _layouts(operand_layouts, ctx.avals_in)
            options["result_layouts"] = _layouts(result_layouts, ctx.avals_out)
        if operand_output_aliases:
            several = len(ctx.avals_out) > 1
            texts = [
                f"#stablehlo.output_operand_alias<output_tuple_indices = [{result if several else ''}], "
                f"operand_index = {operand}, operand_tuple_indices = []>"
                for operand, result in operand_output_aliases.items()
            ]
            options["output_operand_aliases"] = ir.Attribute.parse(f"[{', '.join(texts)}]")
        return ctx.apply("stablehlo.custom_call", operands, ctx.avals_out, options)

    return built


def ffi_lowering(
    call_target_name: str,
    *,
    operand_layouts: Sequence[LayoutOption] | None = None,
    result_layouts: Sequence[LayoutOption] | None = None,
    backend_config: Mapping[str, Any] | str | None = None,
    skip_ffi_layout_processing: bool = False,
    **lowering_args: Any,
) -> Callable[..., Sequence[IrValue]]:
    """Return a lowering rule for `register_lowering`: the primitive is a call of a target, its parameters are
    attributes.

    Arguments are as for `build_ffi_lowering_function`.

    Raises:
        ArgumentError: an argument is not of its kind.

    Example:
        >>> import treadle
        >>> from treadle import ffi
        >>> from treadle.extend.core import Primitive
        >>> from treadle.interpreters import mlir
        >>> norm_p = Primitive("norm")
        >>> types = norm_p.def_abstract_eval(lambda x, *, eps: x)
        >>> mlir.register_lowering(norm_p, ffi.ffi_lowering("rms_norm"))
        >>> text = treadle.jit(lambda x: norm_p.bind(x, eps=0.5)).lower(1.0).as_text()
        >>> "@rms_norm(%arg0)" in text, "eps = 5.000000e-01 : f64" in text
        (True, True)
    """
    call = build_ffi_lowering_function(
        call_target_name,
        operand_layouts=operand_layouts,
        result_layouts=result_layouts,
        backend_config=backend_config,
        skip_ffi_layout_processing=skip_ffi_layout_processing,
        **lowering_args,
    )

    def rule(ctx: LoweringRuleContext, *operands: IrValue, **params: Any) -> Sequence[IrValue]:
        results: Sequence[IrValue] = [*call(ctx, *operands, **params).results]
        return results

    return rule


def _attribute(target: str, value: object) -> Any:
    ir = ir_module()
    if isinstance(value, ir.Attribute):
        return value
    return ir.Attribute.parse(attribute_text(f"the lowering to {string_text(target)}", value))


def _layouts(given: Sequence[LayoutOption] | None, avals: Sequence[AbstractValue]) -> Any:
    """Layouts in XLA's order, which begins with the axis along which neighbours in memory differ."""
    options = [None] * len(avals) if given is None else [*given]
    if len(options) != len(avals):
        raise ArgumentError(
            f"ffi_lowering: {len(options)} layouts are given for {len(avals)} arrays",
            fix="give one for each; None stands for C order",
        )
    texts = []
    for option, aval in zip(options, avals, strict=True):
        type = type_of_aval(aval)
        assert isinstance(type, ArrayType)
        if option is None:
            order = [*reversed(range(type.ndim))]
        elif hasattr(option, "major_to_minor"):
            order = [*reversed(option.major_to_minor)]
        else:
            order = [*integers("ffi_lowering", "each layout", option)]
        texts.append(f"dense<{order or ''}> : tensor<{len(order)}xindex>")
    return ir_module().Attribute.parse(f"[{', '.join(texts)}]")


boundaries(__name__)
