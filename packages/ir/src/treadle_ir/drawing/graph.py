"""The graph of a program: a node for each operation, input and result, linked both ways.

Operations that do the same with the same inputs for the same users share a node ("slice ×9"); calls of jitted functions
are opened. Each node has notes on the types that it makes and on the user's line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from treadle_ir.core.equality import has_programs, inside_out, programs_of
from treadle_ir.core.program import Program
from treadle_ir.core.values import Value
from treadle_ir.rewrite.cse import cse
from treadle_ir.rewrite.dce import dce
from treadle_ir.rewrite.inline import inline

KINDS: Final = {  # how operations are coloured: the first kind that starts the name
    "contract": ("dot_general", "convolution"),
    "reduce": ("reduce_", "cumulative_", "argmax", "argmin", "sort"),
    "choose": ("compare", "select", "clamp", "and", "or", "not"),
    "move": (
        *("reshape", "transpose", "broadcast", "concatenate", "pad", "slice", "gather", "scatter"),
        *("dynamic", "reverse", "convert", "iota", "copy", "squeeze"),
    ),
}
SHORT: Final = {
    "broadcast_in_dim": "broadcast",
    "dot_general": "dot",
    "exponential": "exp",
    "reduce_maximum": "reduce max",
    "dynamic_slice": "dyn slice",
    "dynamic_update_slice": "dyn update",
}
LETTER: Final = 6.0  # pixels


@final
@dataclass(eq=False, slots=True)
class Node:
    """Some equal operations, an input or the result: a pill of the picture."""

    label: str
    kind: str
    notes: list[str]
    above: list[Node] = field(default_factory=list)
    below: list[Node] = field(default_factory=list)
    layer: int = 0
    x: float = 0.0

    @property
    def width(self) -> float:
        """The pill's width in pixels."""
        return LETTER * len(self.label) + 2 * self.label.count("m") + 14


def kind_of(name: str) -> str:
    """Return the colour group of an operation.

    Args:
        name: the mnemonic.
    """
    for kind, words in KINDS.items():
        if name.startswith(words):
            return kind
    return "plain"


def flattened(program: Program) -> Program:
    """Return the program that is drawn: without calls, repetitions and unused equations.

    Args:
        program: the program.
    """
    return dce(cse(inline(program)))


def size_when_flat(program: Program) -> int:
    """Return the number of equations when each nested program stands where it is used; nothing is inlined.

    Args:
        program: the program.
    """
    sizes: dict[int, int] = {}
    for each in inside_out(program):
        sizes[id(each)] = len(each.equations) + sum(
            [
                sizes[id(nested)]
                for equation in each.equations
                if has_programs(equation.primitive)
                for nested in programs_of(equation.primitive)
            ]
        )
    return sizes[id(program)]


def nodes_of(program: Program, names: Sequence[str]) -> list[Node]:
    """Return a node for each input that is used, each operation and the result, linked in both directions.

    Args:
        program: the program.
        names: a name for each parameter.
    """
    made: dict[Value, Node] = {}
    nodes: list[Node] = []

    def link(node: Node, operands: Iterable[object]) -> None:
        sources = {made[x]: None for x in operands if isinstance(x, Value) and x in made}
        node.above = list(sources)
        for source in node.above:
            source.below.append(node)
        nodes.append(node)

    for name, parameter in zip(names, program.parameters, strict=True):
        made[parameter] = Node(name, "input", [f"{name}: {parameter.type}"])
        nodes.append(made[parameter])
    for equation in program.equations:
        name = equation.primitive.name
        types = ", ".join(str(result.type) for result in equation.results)
        note = f"{name} → {types}\n{equation.source.show()}".strip()
        label = SHORT.get(name, name.removesuffix("_in_dim").replace("_", " "))
        node = Node(label, kind_of(name), [note])
        link(node, equation.operands)
        made.update(dict.fromkeys(equation.results, node))
    made_types = [str(result.type) for result in program.results]
    text = "result" if len(made_types) == 1 else f"{len(made_types)} results"
    link(Node(text, "output", ["\n".join(made_types)]), program.results)
    return [node for node in nodes if node.above or node.below]


def merged(nodes: list[Node]) -> list[Node]:
    """Return the nodes with parallel runs of operations of the same inputs, names and users as one run.

    Args:
        nodes: the nodes in program order.
    """
    groups: dict[tuple[tuple[str, ...], frozenset[int], frozenset[int]], list[list[Node]]]
    groups = defaultdict(list)
    for run in runs_of(nodes):
        if run[-1].kind != "output":
            labels = tuple("" if node.kind == "input" else node.label for node in run)
            groups[labels, ids(run[0].above), ids(run[-1].below)].append(run)
    gone: set[int] = set()
    for runs in groups.values():
        if len(runs) < 2:
            continue
        for first, *others in zip(*runs, strict=True):
            first.notes += [note for other in others for note in other.notes]
            if first.kind == "input":
                first.label = ", ".join(node.label for node in (first, *others))
            else:
                first.label += f" ×{len(runs)}"
            gone.update(map(id, others))
        for near in runs[0][0].above:
            near.below = [node for node in near.below if id(node) not in gone]
        for near in runs[0][-1].below:
            near.above = [node for node in near.above if id(node) not in gone]
    return [node for node in nodes if id(node) not in gone]


def runs_of(nodes: list[Node]) -> list[list[Node]]:
    """Return runs of operations, one after another, in which each has one input and one user.

    Args:
        nodes: the nodes in program order.
    """

    def follows(node: Node) -> bool:
        return len(node.above) == 1 and len(node.above[0].below) == 1 and bool(node.above[0].above)

    runs: dict[int, list[Node]] = {}  # by the last node
    for node in nodes:
        run = runs.pop(id(node.above[0])) if follows(node) else []
        runs[id(node)] = [*run, node]
    return list(runs.values())


def chained(nodes: list[Node]) -> list[Node]:
    """Return the nodes with a chain of additions, each used only by the next, as one node.

    Args:
        nodes: the nodes in program order.
    """
    gone: set[int] = set()
    counts: dict[int, int] = {}
    for node in nodes:  # in program order, so the chain before it is one pill already
        if node.label != "add":
            continue
        for source in list(node.above):
            if source.label != "add" or len(source.below) != 1:
                continue
            gone.add(id(source))
            counts[id(node)] = counts.get(id(node), 1) + counts.get(id(source), 1)
            node.notes += source.notes
            node.above = list(
                dict.fromkeys([*source.above, *(n for n in node.above if n is not source)])
            )
            for near in source.above:
                near.below = list(dict.fromkeys(node if n is source else n for n in near.below))
    kept = [node for node in nodes if id(node) not in gone]
    for node in kept:
        if id(node) in counts:
            node.label += f" ×{counts[id(node)]}"
    return kept


def ids(nodes: list[Node]) -> frozenset[int]:
    """Return a key that equal lists of neighbours share.

    Args:
        nodes: the neighbours.
    """
    return frozenset(map(id, nodes))
