"""The fast path of a call: a function generated for one call shape, so that a hit makes no decisions.

A jitted function is called repeatedly with arguments of the same types, in the same containers, with the same
placements. For such a call shape this module generates a Python function that does only the remaining work:

    def fast_call(args, kwargs):
        overrides = get_overrides()
        context = process[0] if overrides is None else overrides.context()
        if context.dispatch is not CONTEXT or get_trace() is not ROOT:
            return MISS
        if len(args) != 2 or kwargs:
            return MISS
        x0, x1 = args
        if x0.__class__ is not DeviceArray or x0.placed is not P0:  # an array: its type and placement
            return MISS
        if x1.__class__ is not int or x1 != 3:  # a static argument
            return MISS
        b0 = x0.raw
        if b0 is None:
            b0 = buffer_of(x0)
        results = EXECUTABLE.execute_sharded([b0]).consume_with_handlers(HANDLERS)
        r0 = new(DeviceArray)  # DeviceArray(...) would take 50 % longer
        r0.placed = R0
        r0.type = T0
        r0.host, r0.raw = None, results[0]
        return r0

If anything differs, the function returns `MISS`, and the call falls back to the slow path (`CompiledCall.call`), which
also raises all errors. Names in capitals are constants of the function. It is generated in the second call with a
signature, which takes some 100 us.

Arguments with many leaves are flattened in one C call, by an `Expectation`; others are unpacked node by node. Nodes of
registered classes are flattened by their own function, and their metadata is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_compiler import device_dtype, jaxlib
from treadle_ir.settings import context_overrides, current_context, process_context
from treadle_ir.tracing import ROOT, Arguments, current_trace
from treadle_ir.tree import Kind, PyTreeDef, default_registry, expectation
from treadle_runtime.arrays.array import DeviceArray, buffer_of, give_away
from treadle_runtime.arrays.deleted import GivenAway
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.client import number_range
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.miss import MISS, FastCall
from treadle_runtime.jitting.tree_source import Source, source_of
from treadle_runtime.launch import translated
from treadle_runtime.placement.placement import PlacedType

MOST_LEAVES: Final = 24  # that are unpacked one by one; more are flattened in one C call
MOST_OPENED: Final = 128  # the same, if there are nodes of registered classes
MOST_NODES: Final = 512
MOST_DEPTH: Final = 32
MOST_RESULTS: Final = 128  # that are built one by one
MOST_ALIKE: Final = 40  # the same, if most of their nodes are alike
MOST_BYTES: Final = 1 << 14  # of a NumPy array that is passed on unchanged
MOST_KNOWN_BYTES: Final = 256  # of a NumPy array that is recognised by its elements

_NUMBERS: Final = (bool, int, float)
_PLAIN: Final = (bool, int, float, str, bytes, type(None))  # immutable, and cheap to compare

Names: TypeAlias = dict[str, Any]  # the constants of the function


@final
class _UnsupportedCallShape(Exception):  # noqa: N818 - not an error: the call takes the slow path
    """Unsupported call shape: the fast path cannot serve it."""


def fast_call(
    call: CompiledCall, arguments: Arguments, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> FastCall | None:
    """Return the fast path for calls like this one; None if the call shape is not supported.

    Any: arguments of users.

    Args:
        call: the compiled call of its signature.
        arguments: the flattened arguments of this call.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    if not _is_in_place(call):
        return None
    if len(call.launch.placement.devices) > 1 and any(
        [type(leaf) is not DeviceArray for leaf in arguments.leaves]
    ):
        return None  # elements on the host have to be sharded first
    try:
        return _Writer(call, arguments, args, kwargs).function()
    except _UnsupportedCallShape:
        return None


def _is_in_place(call: CompiledCall) -> bool:
    """Return whether all operands of the program are on the devices where it runs."""
    devices = call.launch.placement.devices
    operands = [*[x.placed for x in call.captured], *call.operands]
    return all([operands[index].placement.devices == devices for index in call.kept])


@final
class _Writer:
    """Generates one function."""

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
        self.leaves: list[str] = []  # the variable of each visited leaf, in order
        self.names: Names = {
            "DeviceArray": DeviceArray,
            "MISS": MISS,
            "ROOT": ROOT,
            "CONTEXT": current_context().dispatch,
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
        """Generate the function, and return it."""
        self.check_context()
        self.execute(self.take_all() if self.are_many() else self.take_one_by_one())
        returned = self.results()
        self.lines.append(f"return {returned}")
        body = "\n    ".join(self.lines)
        # "<string>" is never mistaken for a file of the user.
        code = compile(f"def fast_call(args, kwargs):\n    {body}\n", "<string>", "exec")
        exec(code, self.names)
        function: FastCall = self.names["fast_call"]
        return function

    def constant(self, prefix: str, value: Any) -> str:  # Any: whatever the function needs
        """Return a new name for a constant."""
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def miss_if(self, condition: str) -> None:
        """Bail out to the slow path if `condition` holds."""
        self.lines += [f"if {condition}:", "    return MISS"]

    # ---- the call

    def check_context(self) -> None:
        """Check the context and the trace."""
        self.lines.append("overrides = get_overrides()")
        self.miss_if(
            "(process[0] if overrides is None else overrides.context()).dispatch is not CONTEXT"
            " or get_trace() is not ROOT"
        )

    def are_many(self) -> bool:
        """Return whether it is better to flatten the arguments in one C call."""
        count = len(self.arguments.leaves)
        if count <= MOST_LEAVES:
            return False
        # C code cannot flatten nodes of registered classes; and it only pays off if many nodes are alike.
        return count > MOST_OPENED or _are_alike(self.arguments.structure)

    def take_all(self) -> str:
        """Flatten many leaves in one C call, and compare their types and placements as one list."""
        if self.kwargs or self.arguments.statics is not None:
            raise _UnsupportedCallShape
        if self.call.donated and self.call.captured:  # a donated array may also be captured
            raise _UnsupportedCallShape
        expected = expectation(self.arguments.structure)
        if expected is None or not all(type(x) is DeviceArray for x in self.arguments.leaves):
            raise _UnsupportedCallShape
        take = self.constant("TAKE", expected.take)
        placed = self.constant("PLACED", [*self.call.operands])
        self.names["placed_of"], self.names["raw_of"] = attrgetter("placed"), attrgetter("raw")
        self.miss_if("kwargs")
        self.lines += [
            f"leaves = {take}(args)",
            "try:",
            f"    if leaves is None or [*map(placed_of, leaves)] != {placed}:",
            "        return MISS",
            "except AttributeError:",  # a leaf that is not a device array
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
                raise _UnsupportedCallShape
            self.lines.append(f"leaves = {self.constant('KEPT', itemgetter(*chosen))}(leaves)")
        self.lines += [
            "buffers = [*map(raw_of, leaves)]",
            "if None in buffers:",
            "    buffers = [*map(buffer_of, leaves)]",
        ]
        captured = [self.captured_buffer(index) for index in self.call.kept if index < count]
        return f"[{', '.join(captured)}, *buffers]" if captured else "buffers"

    def take_one_by_one(self) -> str:
        """Unpack the arguments node by node, and compare each leaf."""
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
        # Leaves of keyword arguments are in the order of their names.
        for name in sorted(self.kwargs):
            variable = f"k{len(self.lines)}"
            self.lines.append(f"{variable} = kwargs.get({name!r}, MISS)")
            if name in statics:
                self.static(variable, statics[name])
            else:
                self.node(variable, self.kwargs[name])
        assert len(self.leaves) == len(self.call.operands), "each leaf is visited once"
        return self.buffers()

    def static(self, variable: str, value: Any) -> None:  # Any: a static argument
        """Check that a static argument has the same value."""
        if type(value) not in _PLAIN or value != value:
            raise _UnsupportedCallShape
        if type(value) is float and value == 0.0:
            raise _UnsupportedCallShape  # 0.0 == -0.0
        kind, known = self.constant("KIND", type(value)), self.constant("VALUE", value)
        self.miss_if(f"{variable}.__class__ is not {kind} or {variable} != {known}")

    def node(self, variable: str, tree: Any, depth: int = 0) -> None:  # Any: a pytree
        """Check the class and the size of a node of an argument, and then its children."""
        kind = type(tree)
        self.nodes += 1
        if depth > MOST_DEPTH or self.nodes > MOST_NODES:
            raise _UnsupportedCallShape
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
        """Check the metadata of a node of a registered class; errors are left to the slow path."""
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
        """Check the type and placement of a leaf; `buffers` has the code for its buffer."""
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
                raise _UnsupportedCallShape
            dtype = self.constant("DTYPE", leaf.dtype)
            self.names["ndarray"] = np.ndarray
            self.miss_if(
                f"{variable}.__class__ is not ndarray or {variable}.shape != {leaf.shape!r}"
                f" or {variable}.dtype != {dtype}"
            )
        elif isinstance(leaf, np.generic) and leaf.dtype == placed.type.dtype:
            self.miss_if(f"{variable}.__class__ is not {self.constant('KIND', kind)}")
        else:
            raise _UnsupportedCallShape

    def buffers(self) -> str:
        """Return the expression for the list of the program's buffers."""
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
        """Assign the buffer of a number or of a NumPy array."""
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
        """Assign the buffer of a small NumPy array, which often has the same elements in each call.

        Comparing the elements costs a tenth of copying them to a device.
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
        """Return the expression for the buffer of a captured array, which is read in each call: it may be deleted."""
        array = self.call.captured[index]
        buffer_of(array)
        return f"{self.constant('C', array)}.raw"

    def refuse_shared(self) -> None:
        """Check that a donated array is not also a second argument of the call."""
        if not all(type(self.arguments.leaves[i]) is DeviceArray for i in self.call.donated):
            raise _UnsupportedCallShape
        donated = {*self.call.donated}
        given = self.arguments.leaves
        arrays = [i for i, leaf in enumerate(given) if type(leaf) is DeviceArray]
        if len(arrays) > MOST_LEAVES:  # as in `take_all`: all must be different
            listed = ", ".join([self.leaves[i] for i in arrays])
            self.miss_if(f"len({{*map(id, ({listed}))}}) != {len(arrays)}")
            return
        pairs = [(i, j) for i in donated for j in arrays if j > i or (j < i and j not in donated)]
        if pairs:
            same = [f"{self.leaves[i]} is {self.leaves[j]}" for i, j in pairs]
            self.miss_if(" or ".join(same))

    # ---- execution and results

    def execute(self, buffers: str) -> None:
        """Run the program; deleted buffers miss."""
        if self.call.launch.callbacks:
            # Checked in advance, since a callback may also raise a TypeError.
            there = frozenset({jaxlib().core.ArrayImpl}).issuperset
            self.lines.append(f"buffers = {buffers}")
            self.miss_if(f"not {self.constant('THERE', there)}(map(type, buffers))")
            run = self.constant("RUN", self.call.launch.execute)
            self.lines.append(f"results = {run}(buffers)")
        else:
            self.lines += [
                "execute = EXECUTABLE.execute_sharded",  # a forked child replaces it
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
            if not self.leaves:  # flattened in one C call
                self.lines += ["for each in given:", "    give_away(each, gone)"]
            for number in self.call.donated if self.leaves else ():
                self.lines.append(f"give_away({self.leaves[number]}, gone)")

    def results(self) -> str:
        """Return the expression for the results in their tree structure."""
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
    """Return whether most nodes of a tree are alike, so that it is faster to handle them all at once."""
    expected = expectation(structure)
    return expected is not None and expected.regular


MOST_NUMBERS: Final = 64  # that are cached for each argument

Elements: TypeAlias = np.ndarray[Any, Any]
Put: TypeAlias = Callable[[Any], Any]  # Any: a NumPy array or a number, and jaxlib's array


def putting_to(placed: PlacedType) -> Put:
    """Return a function that copies small arrays of one type to one device."""
    device = placed.placement.device
    return device.backend.putting(placed.type.shape, device_dtype(placed.type.dtype), device.raw)


def known_numbers(put: Put, kind: type, dtype: np.dtype[Any]) -> tuple[Put, Put]:
    """Return two functions of a number: look up its cached buffer, or None; and create its buffer."""
    known: dict[Any, Any] = {}
    low, high = number_range(kind, dtype)

    def put_number(value: Any) -> Any:
        made = put(value if low <= value <= high else np.asarray(value, dtype))
        if len(known) < MOST_NUMBERS:
            known[value] = made
        return made

    return known.get, put_number


def known_elements(put: Put) -> tuple[Put, Callable[[Elements, bytes], Any]]:
    """Return two functions for small NumPy arrays: look up the buffer by the bytes of the elements; and create it."""
    known: dict[bytes, Any] = {}

    def put_elements(array: Elements, elements: bytes) -> Any:
        made = put(array)
        if len(known) < MOST_NUMBERS:
            known[elements] = made
        return made

    return known.get, put_elements
