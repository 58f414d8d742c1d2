"""The fast path of a call: a function generated for one shape of call, so that a hit decides nothing.

A jitted function is called again and again with arguments of the same kinds, in the same containers, in the same
places. For such a shape of call this module writes the Python of a function that does what is left to do, and no more:

    def fast_call(args, kwargs):
        overrides = get_overrides()
        if (process[0] if overrides is None else overrides.context()).key is not CONTEXT or get_trace() is not ROOT:
            return MISS
        if len(args) != 2 or kwargs:
            return MISS
        x0, x1 = args
        if x0.__class__ is not DeviceArray or x0.placed is not P0:  # an array: its type and place
            return MISS
        if x1.__class__ is not int or x1 != 3:  # a static argument
            return MISS
        b0 = x0.raw
        if b0 is None:
            b0 = buffer_of(x0)
        results = EXECUTABLE.execute_sharded([b0]).consume_with_handlers(HANDLERS)
        r0 = new(DeviceArray)  # and not DeviceArray(...), which takes half as long again
        r0.placed = R0
        r0.type = T0
        r0.host, r0.raw = None, results[0]
        return r0

Whatever is not as expected returns `MISS`, and the call goes the general way (`CompiledCall.call`), which is also the
one that raises errors. Names in capitals are constants of the function. It is written when a signature is met for the
second time: that takes some 100 us.

Arguments of many leaves are taken apart all together, in C, by an `Expectation`; the others node by node. Nodes of
registered classes are opened by their own function, and their metadata compared.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_compiler import jaxlib
from treadle_ir import (
    ROOT,
    Arguments,
    context_overrides,
    current_context,
    current_trace,
    process_context,
)
from treadle_ir.tree import Kind, PyTreeDef, default_registry, expectation
from treadle_runtime.arrays.array import DeviceArray, buffer_of, give_away
from treadle_runtime.arrays.deleted import GivenAway
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.known_numbers import known_elements, known_numbers, putting_to
from treadle_runtime.jitting.miss import MISS, FastCall
from treadle_runtime.jitting.tree_source import Source, source_of
from treadle_runtime.launch import translated

MOST_LEAVES: Final = 24  # that are taken apart one by one; more are taken apart all together
MOST_OPENED: Final = 128  # the same, where there are nodes of registered classes
MOST_NODES: Final = 512
MOST_DEPTH: Final = 32
MOST_RESULTS: Final = 128  # that are built one by one
MOST_ALIKE: Final = 40  # the same, where most of their nodes are alike
MOST_BYTES: Final = 1 << 14  # of a NumPy array that is handed over as it is
MOST_KNOWN_BYTES: Final = 256  # of a NumPy array that is known again by its elements

_NUMBERS: Final = (bool, int, float)
_PLAIN: Final = (bool, int, float, str, bytes, type(None))  # compare cheaply, cannot change

Names: TypeAlias = dict[str, Any]  # the constants of the function, of all kinds


@final
class _NotFast(Exception):  # noqa: N818 - no error: the call goes the general way
    """This shape of call has no fast way."""


def fast_call(
    call: CompiledCall, arguments: Arguments, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> FastCall | None:
    """The fast way for calls like this one; None where there is none. Any: what users pass.

    `arguments` are those of this call, taken apart, and `call` is what its signature was compiled to.
    """
    if not _is_in_place(call):
        return None
    if len(call.launch.placement.devices) > 1 and any(
        [type(leaf) is not DeviceArray for leaf in arguments.leaves]
    ):
        return None  # what is on the host has to be spread first
    try:
        return _Writer(call, arguments, args, kwargs).function()
    except _NotFast:
        return None


def _is_in_place(call: CompiledCall) -> bool:
    """Whether all that the program takes is where it runs."""
    devices = call.launch.placement.devices
    operands = [*[x.placed for x in call.captured], *call.operands]
    return all([operands[index].placement.devices == devices for index in call.kept])


@final
class _Writer:
    """Writes one function."""

    def __init__(
        self,
        call: CompiledCall,
        arguments: Arguments,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.call = call
        self.args = args
        self.kwargs = kwargs
        self.arguments = arguments
        self.lines: list[str] = []
        self.nodes = 0
        self.leaves: list[str] = []  # the variable of each leaf that was met, in order
        self.names: Names = {
            "DeviceArray": DeviceArray,
            "MISS": MISS,
            "ROOT": ROOT,
            "CONTEXT": current_context().key,
            "get_overrides": context_overrides.get,
            "get_trace": current_trace,
            "process": process_context,
            "buffer_of": buffer_of,
            "new": object.__new__,
            "EXECUTABLE": call.launch.executable,
            "__name__": __name__,
            "HANDLERS": call.launch.handlers,
            "TYPES": call.launch.types,
            "translated": translated,
        }

    def function(self) -> FastCall:
        """The function."""
        self.check_context()
        self.execute(self.take_all() if self.are_many() else self.take_one_by_one())
        returned = self.results()
        self.lines.append(f"return {returned}")
        body = "\n    ".join(self.lines)
        # "<string>" is never taken for the user's file.
        code = compile(f"def fast_call(args, kwargs):\n    {body}\n", "<string>", "exec")
        exec(code, self.names)
        function: FastCall = self.names["fast_call"]
        return function

    def constant(self, prefix: str, value: Any) -> str:  # Any: whatever the function needs
        """The name of a constant."""
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def miss_if(self, condition: str) -> None:
        """Leave the fast way under a condition."""
        self.lines += [f"if {condition}:", "    return MISS"]

    # ---- the call

    def check_context(self) -> None:
        """The context and the trace are those that the call was compiled for."""
        self.lines.append("overrides = get_overrides()")
        self.miss_if(
            "(process[0] if overrides is None else overrides.context()).key is not CONTEXT"
            " or get_trace() is not ROOT"
        )

    def are_many(self) -> bool:
        """Whether the leaves are better taken all together."""
        count = len(self.arguments.leaves)
        if count <= MOST_LEAVES:
            return False
        # Nodes of registered classes cannot be opened in C; and where few are alike, nothing is gained by it.
        return count > MOST_OPENED or _are_alike(self.arguments.structure)

    def take_all(self) -> str:
        """Take many leaves apart together, and compare their types and places as one list."""
        if self.kwargs or self.arguments.statics is not None:
            raise _NotFast
        if self.call.donated and self.call.captured:  # one that is given away may be captured
            raise _NotFast
        expected = expectation(self.arguments.structure)
        if expected is None or not all(type(x) is DeviceArray for x in self.arguments.leaves):
            raise _NotFast
        take = self.constant("TAKE", expected.take)
        placed = self.constant("PLACED", [*self.call.operands])
        self.names["placed_of"], self.names["raw_of"] = attrgetter("placed"), attrgetter("raw")
        self.miss_if("kwargs")
        self.lines += [
            f"leaves = {take}(args)",
            "try:",
            f"    if leaves is None or [*map(placed_of, leaves)] != {placed}:",
            "        return MISS",
            "except AttributeError:",  # a leaf that is no array of ours
            "    return MISS",
        ]
        if self.call.donated:
            given = [f"leaves[{number}]" for number in self.call.donated]
            self.miss_if(f"len({{*map(id, leaves)}}) != {len(self.call.operands)}")
            self.lines += [
                f"given = [{', '.join(given)}]",
                "for each in given:",  # as `forget_host`
                "    if each.raw is not None:",
                "        each.host = None",
            ]
        count = len(self.call.captured)
        chosen = [index - count for index in self.call.kept if index >= count]
        if chosen != [*range(len(self.call.operands))]:
            if len(chosen) < 2:
                raise _NotFast
            self.lines.append(f"leaves = {self.constant('KEPT', itemgetter(*chosen))}(leaves)")
        self.lines += [
            "buffers = [*map(raw_of, leaves)]",
            "if None in buffers:",
            "    buffers = [*map(buffer_of, leaves)]",
        ]
        captured = [self.captured_buffer(index) for index in self.call.kept if index < count]
        return f"[{', '.join(captured)}, *buffers]" if captured else "buffers"

    def take_one_by_one(self) -> str:
        """Take the arguments apart node by node, and compare each leaf."""
        numbers, values, names, named = self.arguments.statics or ((), (), (), ())
        statics = dict(zip(numbers, values, strict=True)) | dict(zip(names, named, strict=True))
        count = len(self.args)
        unpacked = [f"a{i}" for i in range(count)]
        wrong = f"len(args) != {count}"
        self.miss_if(
            f"{wrong} or len(kwargs) != {len(self.kwargs)}" if self.kwargs else f"{wrong} or kwargs"
        )
        if count:
            self.lines.append(f"{', '.join(unpacked)}, = args")
        for i, (variable, argument) in enumerate(zip(unpacked, self.args, strict=True)):
            if i in statics:
                self.static(variable, statics[i])
            else:
                self.node(variable, argument)
        # Leaves of keyword arguments come in the order of their names.
        for name in sorted(self.kwargs):
            variable = f"k{len(self.lines)}"
            self.lines.append(f"{variable} = kwargs.get({name!r}, MISS)")
            if name in statics:
                self.static(variable, statics[name])
            else:
                self.node(variable, self.kwargs[name])
        assert len(self.leaves) == len(self.call.operands), "each leaf is met once"
        return self.buffers()

    def static(self, variable: str, value: Any) -> None:  # Any: a static argument
        """A static argument is what it was."""
        if type(value) not in _PLAIN or value != value:
            raise _NotFast
        if type(value) is float and value == 0.0:
            raise _NotFast  # 0.0 == -0.0
        kind, known = self.constant("KIND", type(value)), self.constant("VALUE", value)
        self.miss_if(f"{variable}.__class__ is not {kind} or {variable} != {known}")

    def node(self, variable: str, tree: Any, depth: int = 0) -> None:  # Any: a pytree
        """A node of an argument is of its class and size; then its children."""
        kind = type(tree)
        self.nodes += 1
        if depth > MOST_DEPTH or self.nodes > MOST_NODES:
            raise _NotFast
        children: list[str]
        if kind is dict:
            keys = sorted(tree) if tree else []
            self.miss_if(f"{variable}.__class__ is not dict or len({variable}) != {len(keys)}")
            for key in keys:
                child = f"n{len(self.lines)}"
                self.lines.append(f"{child} = {variable}.get({self.constant('KEY', key)}, MISS)")
                self.node(child, tree[key], depth + 1)
        elif kind is tuple or kind is list:
            self.miss_if(
                f"{variable}.__class__ is not {kind.__name__} or len({variable}) != {len(tree)}"
            )
            children = [f"n{len(self.lines)}_{i}" for i in range(len(tree))]
            if children:
                self.lines.append(f"{', '.join(children)}, = {variable}")
            for child, subtree in zip(children, tree, strict=True):
                self.node(child, subtree, depth + 1)
        elif tree is None:
            self.miss_if(f"{variable} is not None")
        elif (registered := default_registry.kinds[kind]) is None:
            self.leaf(variable, tree)
        else:
            self.registered(variable, tree, registered, depth)

    def registered(
        self, variable: str, tree: Any, registered: Kind, depth: int
    ) -> None:  # Any: a pytree
        """A node of a registered class has the metadata that it had; errors are left to the general way."""
        opened, meta = registered.open(tree)
        subtrees = [*opened]
        place = len(self.lines)
        expected = self.constant("META", meta)
        self.miss_if(f"{variable}.__class__ is not {self.constant('KIND', type(tree))}")
        self.lines += [
            "try:",
            f"    c{place}, m{place} = {self.constant('OPEN', registered.open)}({variable})",
            f"    if m{place} is not {expected} and not (m{place} == {expected}):",
            "        return MISS",
            "except Exception:",
            "    return MISS",
        ]
        self.miss_if(f"len(c{place}) != {len(subtrees)}")
        children = [f"n{place}_{i}" for i in range(len(subtrees))]
        if children:
            self.lines.append(f"{', '.join(children)}, = c{place}")
        for child, subtree in zip(children, subtrees, strict=True):
            self.node(child, subtree, depth + 1)

    # ---- leaves and buffers

    def leaf(self, variable: str, leaf: Any) -> None:  # Any: an array or a number
        """A leaf has its type and place; `_buffer` has the code for its buffer."""
        number = len(self.leaves)
        placed = self.call.operands[number]
        kind = type(leaf)
        self.leaves.append(variable)
        if kind is DeviceArray:
            expected = self.constant("P", placed)
            self.miss_if(
                f"{variable}.__class__ is not DeviceArray or {variable}.placed is not {expected}"
            )
        elif kind in _NUMBERS:
            self.miss_if(f"{variable}.__class__ is not {kind.__name__}")
        elif kind is np.ndarray:
            if leaf.dtype != placed.type.dtype or leaf.nbytes > MOST_BYTES:
                raise _NotFast
            dtype = self.constant("DTYPE", leaf.dtype)
            self.names["ndarray"] = np.ndarray
            self.miss_if(
                f"{variable}.__class__ is not ndarray or {variable}.shape != {leaf.shape!r}"
                f" or {variable}.dtype != {dtype}"
            )
        elif isinstance(leaf, np.generic) and leaf.dtype == placed.type.dtype:
            self.miss_if(f"{variable}.__class__ is not {self.constant('KIND', kind)}")
        else:
            raise _NotFast

    def buffers(self) -> str:
        """The list of buffers that the program takes."""
        call, count = self.call, len(self.call.captured)
        if call.donated:
            self.refuse_shared()
        found = []
        for index in call.kept:
            if index < count:
                found.append(self.captured_buffer(index))
                continue
            number = index - count
            buffer, variable = f"b{number}", self.leaves[number]
            if type(self.arguments.leaves[number]) is DeviceArray:
                self.lines += [
                    f"{buffer} = {variable}.raw",
                    f"if {buffer} is None:",
                    f"    {buffer} = buffer_of({variable})",
                ]
                if number in call.donated:  # as `forget_host`
                    self.lines += ["else:", f"    {variable}.host = None"]
            else:
                self.put(buffer, variable, number)
            found.append(buffer)
        return f"[{', '.join(found)}]"

    def put(self, buffer: str, variable: str, number: int) -> None:
        """The buffer of a number or of a NumPy array."""
        placed = self.call.operands[number]
        put = putting_to(placed)
        leaf = self.arguments.leaves[number]
        real = isinstance(leaf, np.generic) and leaf.dtype.kind in "biuf"
        if type(leaf) is np.ndarray and leaf.nbytes <= MOST_KNOWN_BYTES:
            self.put_small(buffer, variable, put)
            return
        if type(leaf) not in _NUMBERS and not real:
            elements = variable if type(leaf) is np.ndarray else f"asarray({variable})"
            self.names["asarray"] = np.asarray
            self.lines.append(f"{buffer} = {self.constant('PUT', put)}({elements})")
            return
        known, put_number = known_numbers(put, type(leaf), placed.type.dtype)
        get, putting = self.constant("KNOWN", known), self.constant("PUT", put_number)
        if isinstance(leaf, (float, np.floating)):  # 0.0 == -0.0, and both are zero to `if`
            self.names["as_argument"] = as_argument
            self.lines += [
                f"{buffer} = {get}({variable})",
                f"if {buffer} is None:",
                f"    {buffer} = {putting}({variable}) if {variable} else buffer_of(as_argument({variable}))",
            ]
            return
        self.lines += [
            f"{buffer} = {get}({variable})",
            f"if {buffer} is None:",
            "    try:",
            f"        {buffer} = {putting}({variable})",
            "    except OverflowError:",
            "        return MISS",
        ]

    def put_small(self, buffer: str, variable: str, put: Callable[[Any], Any]) -> None:
        """The buffer of a small NumPy array: a table of a few elements is often the same in each call.

        To compare its elements costs a tenth of what it costs to copy them to a device.
        """
        known, put_elements = known_elements(put)
        get, putting = self.constant("KNOWN", known), self.constant("PUT", put_elements)
        self.lines += [
            f"elements = {variable}.tobytes()",
            f"{buffer} = {get}(elements)",
            f"if {buffer} is None:",
            f"    {buffer} = {putting}({variable}, elements)",
        ]

    def captured_buffer(self, index: int) -> str:
        """The buffer of an array that the function closed over; looked up, for it might be deleted."""
        array = self.call.captured[index]
        buffer_of(array)
        return f"{self.constant('C', array)}.raw"

    def refuse_shared(self) -> None:
        """An array that is donated is no other argument of the call."""
        if not all(type(self.arguments.leaves[i]) is DeviceArray for i in self.call.donated):
            raise _NotFast
        donated = {*self.call.donated}
        given = self.arguments.leaves
        arrays = [i for i, leaf in enumerate(given) if type(leaf) is DeviceArray]
        if len(arrays) > MOST_LEAVES:  # as `take_all`: no two may be one
            listed = ", ".join([self.leaves[i] for i in arrays])
            self.miss_if(f"len({{*map(id, ({listed}))}}) != {len(arrays)}")
            return
        pairs = [(i, j) for i in donated for j in arrays if j > i or (j < i and j not in donated)]
        if pairs:
            same = [f"{self.leaves[i]} is {self.leaves[j]}" for i, j in pairs]
            self.miss_if(" or ".join(same))

    # ---- execution and results

    def execute(self, buffers: str) -> None:
        """Run the program; what is no buffer (any more) misses."""
        if self.call.launch.callbacks:
            # Asked beforehand: a TypeError may be one that a callback has raised.
            there = frozenset({jaxlib().core.ArrayImpl}).issuperset
            self.lines.append(f"buffers = {buffers}")
            self.miss_if(f"not {self.constant('THERE', there)}(map(type, buffers))")
            run = self.constant("RUN", self.call.launch.execute)
            self.lines.append(f"results = {run}(buffers)")
        else:
            self.lines += [
                "execute = EXECUTABLE.execute_sharded",  # which a forked child exchanges
                "try:",
                f"    results = execute({buffers}).consume_with_handlers(HANDLERS)",
                "except TypeError:",
                "    return MISS",
                "except Exception as error:",
                "    raise translated(error, TYPES) from error",
            ]
        if self.call.donated:
            self.names["give_away"] = give_away
            here = self.constant("HERE", GivenAway(self.call.where).here)
            self.lines.append(f"gone = {here}(2)")  # this function and `JitFunction.__call__`
            if not self.leaves:  # taken all together
                self.lines += ["for each in given:", "    give_away(each, gone)"]
            for number in self.call.donated if self.leaves else ():
                self.lines.append(f"give_away({self.leaves[number]}, gone)")

    def results(self) -> str:
        """The expression for the results in their structure."""
        placed = self.call.launch.results
        structure = self.call.traced.structure
        most = MOST_ALIKE if _are_alike(structure) else MOST_RESULTS
        if len(placed) > most:
            unflatten = self.constant("UNFLATTEN", self.call.unflatten)
            self.names["repeat"] = repeat
            types = self.constant("R", placed)
            return f"{unflatten}([*map(DeviceArray, {types}, repeat(None), results)])"
        leaves = [f"r{i}" for i in range(len(placed))]
        for i, (leaf, each) in enumerate(zip(leaves, placed, strict=True)):
            self.lines += [
                f"{leaf} = new(DeviceArray)",
                f"{leaf}.placed = {self.constant('R', each)}",
                f"{leaf}.type = {self.constant('T', each.type)}",
                f"{leaf}.host, {leaf}.raw = None, results[{i}]",
            ]
        text = None
        if structure.num_nodes <= MOST_NODES:
            text = source_of(structure.unflatten([*map(Source, leaves)]), self.constant)
        if text is not None:
            return text
        return f"{self.constant('UNFLATTEN', self.call.unflatten)}([{', '.join(leaves)}])"


def _are_alike(structure: PyTreeDef) -> bool:
    """Whether most nodes of a tree are alike, so that it is quicker to deal with all of them together."""
    expected = expectation(structure)
    return expected is not None and expected.regular
