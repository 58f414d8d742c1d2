"""Where the pills of a picture stand: rows from top to bottom, positions in each row, lanes of long edges."""

from __future__ import annotations

from typing import Final

from treadle_ir.drawing.graph import Node

GAP: Final = 6  # pixels between the pills of a row
_ITERATIONS: Final = 40


def layers_of(nodes: list[Node]) -> list[list[Node]]:
    """Return rows of nodes: each operation below its inputs, and inputs right above their first use.

    Args:
        nodes: the nodes in program order.
    """
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
    """Set the `x` of each node: pulled towards its neighbours, never overlapping.

    Args:
        rows: the rows from top to bottom.
    """
    for row in rows:
        place_row(row, [i * 60.0 for i in range(len(row))])
    for iteration in range(_ITERATIONS):
        downwards = iteration % 2 == 0
        for row in rows if downwards else reversed(rows):
            wanted = []
            for node in row:
                near = node.above if downwards else node.below
                near = [n for n in near if abs(n.layer - node.layer) <= 6] or near
                wanted.append(sum(n.x for n in near) / len(near) if near else node.x)
            place_row(row, wanted)


def place_row(row: list[Node], wanted: list[float]) -> None:
    """Order a row by the wanted positions, and set it as near to them as the widths of the pills allow.

    Args:
        row: the nodes of the row.
        wanted: the `x` that is wanted for each.
    """
    order = sorted(range(len(row)), key=lambda i: wanted[i])
    row[:] = [row[i] for i in order]
    wanted = [wanted[i] for i in order]
    # Blocks of touching pills move together: each stands at the mean of its wanted positions.
    blocks: list[tuple[float, int, float]] = []  # sum of (wanted - offset), count, width
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
    """Return a lane next to the pills for each long edge: short edges inside, no overlapping edges in one lane.

    Args:
        spans: the top and the bottom of each edge.
    """
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
