"""A program as a picture: one pill for each operation, data flowing downwards, drawn from the IR alone.

Operations that do the same with the same inputs for the same users share a pill ("slice ×9"); calls
of jitted functions are opened. Every pill tells in its tooltip what it makes and from which line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from treadle_ir import Program, Value
from treadle_ir.rewrite import cse, dce, inline

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
ROW: Final = 33
HEIGHT: Final = 19
GAP: Final = 6
LETTER: Final = 6.0
FAR: Final = 4  # rows: longer edges run next to the pills, not behind them


@dataclass(eq=False)
class Node:
    """A pill: some equal operations, an input or the result."""

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
    """The colour group of an operation."""
    for kind, words in KINDS.items():
        if name.startswith(words):
            return kind
    return "plain"


def plain(program: Program) -> Program:
    """Return the program without calls, repetitions and unused equations."""
    return dce(cse(inline(program)))


def nodes_of(program: Program, names: Sequence[str]) -> list[Node]:
    """One node for each input that is used, operation and result, linked both ways."""
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
    """Put parallel runs of operations with the same inputs, names and users into one run of pills."""
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
    """Cut the graph into runs: operations that have one input and one user, one after another."""

    def follows(node: Node) -> bool:
        return len(node.above) == 1 and len(node.above[0].below) == 1 and bool(node.above[0].above)

    runs: dict[int, list[Node]] = {}  # by the last node
    for node in nodes:
        run = runs.pop(id(node.above[0])) if follows(node) else []
        runs[id(node)] = [*run, node]
    return list(runs.values())


def chained(nodes: list[Node]) -> list[Node]:
    """Put a chain of additions, each only there for the next, into one pill."""
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
    """Return a key that equal lists of neighbours share."""
    return frozenset(map(id, nodes))


def layers_of(nodes: list[Node]) -> list[list[Node]]:
    """Rows: every operation below its inputs, and inputs right above their first use."""
    for node in nodes:  # in program order, so what is above is done
        node.layer = 1 + max((source.layer for source in node.above), default=0)
    for node in reversed(nodes):
        if node.below and (not node.above or all(not source.above for source in node.above)):
            node.layer = min(user.layer for user in node.below) - 1
    first = min(node.layer for node in nodes)
    rows: list[list[Node]] = [[] for _ in range(max(node.layer for node in nodes) - first + 1)]
    for node in nodes:
        rows[node.layer - first].append(node)
    return [row for row in rows if row]


def arrange(rows: list[list[Node]]) -> None:
    """Choose `x` of every node: pulled towards its neighbours, never overlapping."""
    for row in rows:
        spread(row, [i * 60.0 for i in range(len(row))])
    for turn in range(40):
        downwards = turn % 2 == 0
        for row in rows if downwards else reversed(rows):
            wanted = []
            for node in row:
                near = node.above if downwards else node.below
                near = [n for n in near if abs(n.layer - node.layer) <= 6] or near
                wanted.append(sum(n.x for n in near) / len(near) if near else node.x)
            spread(row, wanted)


def spread(row: list[Node], wanted: list[float]) -> None:
    """Set a row in the order of its wishes, as near to them as the pills' widths allow."""
    order = sorted(range(len(row)), key=lambda i: wanted[i])
    row[:] = [row[i] for i in order]
    wanted = [wanted[i] for i in order]
    # Blocks of touching pills move together: each stands at the mean of its members' wishes.
    blocks: list[tuple[float, int, float]] = []  # sum of (wish - offset), count, width
    for i, node in enumerate(row):
        step = node.width + GAP
        total, count, width = wanted[i] - node.width / 2, 1, step
        while blocks and blocks[-1][0] / blocks[-1][1] + blocks[-1][2] > total / count:
            before_total, before_count, before_width = blocks.pop()
            total = before_total + total - count * before_width
            count += before_count
            width += before_width
        blocks.append((total, count, width))
    at = 0
    for total, count, _ in blocks:
        left = total / count
        for node in row[at : at + count]:
            node.x = left + node.width / 2
            left += node.width + GAP
        at += count


def lanes_of(spans: list[tuple[float, float]]) -> list[int]:
    """Assign a lane next to the pills to each long edge: short ones inside, none that overlap in one lane."""
    lanes = [0] * len(spans)
    taken: list[list[tuple[float, float]]] = []
    for i in sorted(range(len(spans)), key=lambda i: spans[i][1] - spans[i][0]):
        start, end = spans[i]
        free = (
            n
            for n, lane in enumerate(taken)
            if all(end <= other[0] or other[1] <= start for other in lane)
        )
        lanes[i] = next(free, len(taken))
        if lanes[i] == len(taken):
            taken.append([])
        taken[lanes[i]].append((start, end))
    return lanes


def svg(program: Program, names: Sequence[str]) -> str:
    """The picture, of its natural size; colours come from the page's style sheet."""
    rows = layers_of(merged(chained(nodes_of(plain(program), names))))
    arrange(rows)
    nodes = [node for row in rows for node in row]
    height_of = {id(node): 16 + i * ROW for i, row in enumerate(rows) for node in row}
    left = min(node.x - node.width / 2 for node in nodes) - 6
    right = max(node.x + node.width / 2 for node in nodes) + 6
    lines, pills, far = [], [], []
    for node in nodes:
        x, y = node.x - left, height_of[id(node)]
        for user in node.below:
            to_x, to_y = user.x - left, height_of[id(user)] - HEIGHT / 2
            start = y + HEIGHT / 2
            if to_y - start > FAR * ROW:
                far.append((start, to_y, x, to_x))
                continue
            bend = max(10.0, (to_y - start) * 0.45)
            lines.append(
                f'<path class="edge" d="M{x:.1f} {start:.1f}C{x:.1f} {start + bend:.1f} '
                f'{to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"/>'
            )
        note = "\n".join(node.notes[:4]) + ("\n…" if len(node.notes) > 4 else "")
        pills.append(
            f'<g class="op {node.kind}"><title>{escape(note)}</title>'
            f'<rect x="{x - node.width / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{node.width:.1f}"'
            f' height="{HEIGHT}" rx="{HEIGHT / 2}"/>'
            f'<text x="{x:.1f}" y="{y + 3.6:.1f}">{escape(node.label)}</text></g>'
        )
    lanes = lanes_of([(start, end) for start, end, _, _ in far])
    edge = right - left
    for (start, end, x, to_x), lane in zip(far, lanes, strict=True):
        at = edge + 6 + 4 * lane
        lines.append(
            f'<path class="edge far" d="M{x:.1f} {start:.1f}C{x:.1f} {start + 16:.1f} '
            f"{at} {start:.1f} {at} {start + ROW:.1f}V{end - ROW:.1f}"
            f'C{at} {end:.1f} {to_x:.1f} {end - 16:.1f} {to_x:.1f} {end:.1f}"/>'
        )
    width, height = edge + 10 + 4 * (max(lanes, default=-2) + 1), 16 + len(rows) * ROW
    return (
        f'<svg class="graph" width="{width:.0f}" height="{height}" role="img"'
        f' viewBox="0 0 {width:.0f} {height}">{"".join(lines)}{"".join(pills)}</svg>'
    )
