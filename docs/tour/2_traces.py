"""Tour, 2 of 6: traces. How one function is computed, staged, differentiated and counted."""

import numpy as np

from treadle_ir import ArrayType, ops, stage, type_of
from treadle_ir.errors import NOWHERE
from treadle_ir.tracing import EvalTrace, Trace, Tracer, current_trace, running

x = np.array([1.0, 2.0, 3.0], np.float32)


def f(x):
    y = ops.sine(x)
    return ops.add(ops.multiply(y, y), ops.multiply(x, np.float32(2.0)))


# Every function of `ops` calls `bind(primitive, *operands)`, and `bind` dispatches to the current trace:
# `current_trace().process(primitive, operands)`. A trace is an interpretation of primitives, with the single method
# `process`. The outermost trace evaluates.
assert isinstance(current_trace(), EvalTrace)


# Our own trace. Its parent is the trace that was current when it was created. It does its own work for each primitive,
# and then passes the primitive to the parent.
class CountingTrace(Trace):
    """Counts operations by name, and computes with the parent."""

    def __init__(self, parent):
        super().__init__(parent)
        self.counts = {}

    def process(self, primitive, operands):
        self.counts[primitive.name] = self.counts.get(primitive.name, 0) + 1
        with running(self.parent):
            return self.parent.process(primitive, operands)


def counted(function, *operands):
    trace = CountingTrace(current_trace())
    with running(trace):
        result = function(*operands)
    trace.closed = True
    return result, trace.counts


result, counts = counted(f, x)
assert np.allclose(result, np.sin(x) ** 2 + 2 * x)
assert counts == {"sine": 1, "multiply": 2, "add": 1}
assert isinstance(current_trace(), EvalTrace)  # the previous trace is current again

# The parent may be any trace. Under staging, operations are counted while the program is staged, not when it runs.
program = stage(lambda x: [counted(f, x)[0]], ArrayType((3,), np.dtype(np.float32))).program
assert len(program.equations) == sum(counts.values())


# Most traces only track values that depend on an argument. Their arguments are tracers, which carry what the trace
# needs: a tangent, a mapped axis, a value of a program. Our tracer carries the number of operations between an argument
# and the value.
class DepthTracer(Tracer):
    """An array, and the length of the longest path of operations to it."""

    __slots__ = ("depth", "type", "value")
    made_by = "measured"
    source = NOWHERE

    def __init__(self, trace, value, depth):
        self.owner, self.value, self.depth = trace, value, depth
        self.type = type_of(value)

    def concrete(self):
        """Return the elements: with them, `if` on the tracer works, as it does under grad."""
        return np.asarray(self.value)


class DepthTrace(Trace):
    """Computes with the parent, and tracks the depth of values that depend on the arguments."""

    def process(self, primitive, operands):
        depth = 0
        values = []
        for operand in operands:
            # A tracer of another trace is an ordinary operand here: the parent handles it.
            if isinstance(operand, DepthTracer) and operand.owner is self:
                depth = max(depth, operand.depth + 1)
                operand = operand.value
            values.append(operand)
        with running(self.parent):
            results = self.parent.process(primitive, values)
        return [DepthTracer(self, value, depth) if depth else value for value in results]


def depth_of(function, *operands):
    trace = DepthTrace(current_trace())
    with running(trace):
        result = function(*[DepthTracer(trace, operand, 0) for operand in operands])
    trace.closed = True
    return result.depth


def branching(x):
    largest = ops.reduce_maximum(x, axes=(0,))
    return ops.sine(f(x)) if float(largest) > 2 else x


assert depth_of(f, x) == 3  # sine, multiply, add
assert depth_of(branching, x) == 4
# Traces nest in any order. There are no levels to compare: each trace recognises its own tracers.
assert counted(lambda x: depth_of(f, x), x) == (3, {"sine": 1, "multiply": 2, "add": 1})

print("2 traces: all assertions hold")
