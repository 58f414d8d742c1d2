"""A program in the language of Graphviz: `dot -Tpdf` draws it."""

from __future__ import annotations

from collections.abc import Iterator

from treadle_ir.core.equality import has_programs, inside_out
from treadle_ir.core.program import Program
from treadle_ir.core.values import Atom, Value


def to_dot(program: Program) -> str:
    """Return a program as a graph of Graphviz, with a cluster for each nested program.

    Solid edges are values, labelled with their types; a dashed edge leads from an operation to a program that it runs.
    Programs are named as in the text format.

    Args:
        program: the program.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, drawing, ops, stage
        >>> program = stage(lambda x: [ops.sine(x)], ArrayType((3,), np.dtype(np.float32))).program
        >>> print(drawing.to_dot(program))
        digraph main {
          compound=true; node [shape=box, fontname="sans-serif"]; edge [fontname="sans-serif"];
          subgraph cluster_main {
            label="@main";
            main_p0 [label="%0", shape=ellipse];
            main_e0 [label="sine"];
            main_r [label="return", shape=ellipse];
            main_p0 -> main_e0 [label="f32[3]"];
            main_e0 -> main_r [label="f32[3]"];
          }
        }
    """
    names: dict[int, str] = {}
    lines = [
        "digraph main {",
        '  compound=true; node [shape=box, fontname="sans-serif"]; edge [fontname="sans-serif"];',
    ]
    calls: list[str] = []
    for each in inside_out(program):
        name = names[id(each)] = "main" if each is program else f"p{len(names)}"
        lines += [f"  subgraph cluster_{name} {{", f'    label="@{name}";']
        lines += [f"    {line}" for line in _cluster(each, name)]
        lines.append("  }")
        for index, equation in enumerate(each.equations):
            if has_programs(equation.primitive):
                for label, nested in equation.primitive.programs().items():
                    inner = names[id(nested)]
                    calls.append(
                        f"  {name}_e{index} -> {inner}_r "
                        f'[label="{_escaped(label)}", style=dashed, lhead=cluster_{inner}];'
                    )
    return "\n".join([*lines, *calls, "}"])


def _cluster(program: Program, name: str) -> Iterator[str]:
    """Yield the nodes and the edges of one program."""
    made: dict[Atom, str] = {}
    for index, parameter in enumerate(program.parameters):
        made[parameter] = f"{name}_p{index}"
        yield f'{made[parameter]} [label="%{index}", shape=ellipse];'
    for index, equation in enumerate(program.equations):
        made.update(dict.fromkeys(equation.results, f"{name}_e{index}"))
        yield f'{name}_e{index} [label="{_escaped(equation.primitive.name)}"];'
    yield f'{name}_r [label="return", shape=ellipse];'
    uses = [(f"{name}_e{index}", each.operands) for index, each in enumerate(program.equations)]
    for target, operands in [*uses, (f"{name}_r", program.results)]:
        for operand in operands:
            if isinstance(operand, Value):
                yield f'{made[operand]} -> {target} [label="{_escaped(str(operand.type))}"];'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
