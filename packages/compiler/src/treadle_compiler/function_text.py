"""A function of a module as text."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.types import mlir_type
from treadle_compiler.value import HloValues


def function_text(
    name: str,
    visibility: str,
    lines: Sequence[str],
    parameters: HloValues,
    results: HloValues,
    attributes: Sequence[Sequence[str]] = (),
    result_attributes: Sequence[Sequence[str]] = (),
) -> str:
    """Return a function of a module as text; without attributes, its parameters and results have none."""
    marks = map(_braced, attributes or ((),) * len(parameters))
    declared = ", ".join(
        [f"{x.name}: {mlir_type(x.type)}{mark}" for x, mark in zip(parameters, marks, strict=True)]
    )
    types = ", ".join([mlir_type(result.type) for result in results])
    ends = map(_braced, result_attributes or ((),) * len(results))
    returned = ", ".join(
        [f"{mlir_type(x.type)}{mark}" for x, mark in zip(results, ends, strict=True)]
    )
    names = ", ".join([result.name for result in results])
    end = f"func.return {names} : {types}" if results else "func.return"
    body = "\n".join(lines)
    return f"func.func {visibility} {name}({declared}) -> ({returned}) {{\n{body}\n{end}\n}}"


def _braced(attributes: Sequence[str]) -> str:
    return f" {{{', '.join(attributes)}}}" if attributes else ""
