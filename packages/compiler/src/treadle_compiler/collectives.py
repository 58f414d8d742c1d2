"""What devices tell each other while a compiled program runs, read from its text."""

from __future__ import annotations

import re
from typing import Final, final

from treadle_compiler.device_groups import Groups, device_groups
from treadle_ir.analysis import ring_bytes
from treadle_ir.process import frozen

_OPERATIONS: Final = (
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
)
_COMPUTATION: Final = re.compile(r"(ENTRY )?%?([\w.-]+) \(.*\{$")
_INSTRUCTION: Final = re.compile(r"\s+(?:ROOT )?%?([\w.-]+) = (.+?) ([a-z][\w-]*)\((.*)")
_END_OF_OPERANDS: Final = re.compile(r"\)(?:, |$)")
_OPERAND: Final = re.compile(r"%([\w.-]+)")
_ARRAY: Final = re.compile(r"([a-z]\w*)\[([\d,]*)\]")
_CALLED: Final = re.compile(
    r"\b(body|condition|to_apply|calls|true_computation|false_computation|branch_computations)="
    r"(\{[^}]*\}|%?[\w.-]+)"
)
_NAME: Final = re.compile(r"[\w.-]+")
_TRIPS: Final = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_GROUPS: Final = re.compile(r"\b(?:replica_groups|source_target_pairs)=")
_DEVICES: Final = re.compile(r"\b(?:num_partitions|replica_count)=(\d+)")
_WRITTEN: Final = re.compile(r'op_name="([^"]*)"')


@final
@frozen
class Collective:
    """An exchange between devices.

    `operands` are the types of what each device gives, as XLA writes them. `groups` are the devices that take part
    together, by their places in the program's order; for a `collective-permute`, the pairs of sender and receiver.
    `times` is how often it runs in a call: an exchange in a loop as often as the loop's body, None if that is unknown,
    and one in a branch as if the branch were taken. `name` says which operation of the program it is made of.
    """

    operation: str
    operands: tuple[str, ...]
    groups: Groups
    times: int | None
    name: str

    @property
    def group_size(self) -> int:
        """How many devices take part together."""
        return max([len(group) for group in self.groups], default=1)

    @property
    def operand_bytes(self) -> int:
        """The bytes that each device gives."""
        return sum([_bytes(operand) for operand in self.operands])

    @property
    def bytes_sent(self) -> int:
        """The bytes that a device sends each time it runs: `treadle_ir.analysis.ring_bytes`."""
        if self.operation == "collective-permute":
            moved = any([source != target for source, target in self.groups])
            return self.operand_bytes if moved else 0
        return ring_bytes(self.operation, self.operand_bytes, self.group_size)

    def __str__(self) -> str:
        shown = ", ".join(self.operands[:4]) + (", ..." if len(self.operands) > 4 else "")
        times = {None: ", in a loop", 1: ""}.get(self.times, f", {self.times} times")
        return (
            f"{self.operation} of {shown} among {self.group_size}: {self.bytes_sent} bytes{times}"
        )


def has_collectives(text: str) -> bool:
    """Return whether devices wait for each other in a program, from its optimised HLO text."""
    return any(
        f" {operation}{kind}(" in text for operation in _OPERATIONS for kind in ("", "-start")
    )


def read_collectives(text: str) -> list[Collective]:
    """The exchanges of a program, from its optimised HLO text, in the order of the text.

    Raises:
        ModuleError: XLA wrote the groups of one in a way that is not known.
    """
    devices = 1
    found: list[tuple[str, str, tuple[str, ...], str]] = []
    types: dict[str, str] = {}
    order: list[str] = []
    times: dict[str, int | None] = {}
    calls: dict[str, list[tuple[str, int | None]]] = {}
    for line in text.splitlines():
        if line.startswith("HloModule"):
            devices = max([int(count) for count in _DEVICES.findall(line)], default=1)
        elif header := _COMPUTATION.match(line):
            order.append(header[2])
            times[header[2]] = 1 if header[1] else 0
            calls[header[2]] = []
            types = {}
        elif order and (instruction := _INSTRUCTION.match(line)):
            name, type, operation, rest = instruction.groups()
            types[name] = type
            calls[order[-1]] += _called(operation, rest)
            operation = operation.removesuffix("-start")
            if operation in _OPERATIONS:
                given, *_ = _END_OF_OPERANDS.split(rest, maxsplit=1)
                operands = [types[operand] for operand in _OPERAND.findall(given)]
                arrays = [
                    f"{kind}[{sizes}]" for each in operands for kind, sizes in _ARRAY.findall(each)
                ]
                found.append((order[-1], operation, tuple(arrays), rest))
    for caller in reversed(order):  # a callee is written before its callers
        for callee, count in calls[caller]:
            times[callee] = _sum(times[callee], _product(times[caller], count))
    return [
        Collective(operation, operands, _groups(rest, devices), times[place], _written(rest))
        for place, operation, operands, rest in found
    ]


def _called(operation: str, rest: str) -> list[tuple[str, int | None]]:
    """The computations that an instruction calls, and how often it does so each time it runs."""
    if operation.endswith(("-done", "-update")):  # of what its start has called
        return []
    trips = _TRIPS.search(rest)
    called: list[tuple[str, int | None]] = []
    for role, names in _CALLED.findall(rest):
        count: int | None = 1
        if role in ("body", "condition"):
            count = int(trips[1]) + (role == "condition") if trips else None
        called += [(name, count) for name in _NAME.findall(names)]
    return called


def _sum(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else x + y


def _product(x: int | None, y: int | None) -> int | None:
    return 0 if x == 0 or y == 0 else None if x is None or y is None else x * y


def _groups(rest: str, devices: int) -> Groups:
    place = _GROUPS.search(rest)
    return device_groups(rest[place.end() :] if place else "{}", devices)


def _written(rest: str) -> str:
    name = _WRITTEN.search(rest)
    return name[1] if name else ""


def _bytes(array: str) -> int:
    """The bytes of an array, as XLA writes its type: `bf16[4,32]`. Elements of less than a byte are packed."""
    kind, sizes = _ARRAY.fullmatch(array).groups()  # type: ignore[union-attr]  # made by the same pattern
    bits = re.match(r"[a-z]+?(\d+)", kind)
    count = 8 if kind == "pred" else int(bits[1]) if bits else 0  # tokens have none
    for size in sizes.split(","):
        count *= int(size or 1)
    return -(-count // 8)
