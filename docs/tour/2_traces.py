"""Tour, 2 of 6: traces. How one function is computed, staged, differentiated and counted."""

import numpy as np

from treadle_ir import (
    NOWHERE,
    ArrayType,
    EvalTrace,
    Trace,
    Tracer,
    current_trace,
    ops,
    running,
    stage,
    type_of,
)

x = np.array([1.0, 2.0, 3.0], np.float32)


def f(x):
    y = ops.sine(x)
    return ops.add(ops.multiply(y, y), ops.multiply(x, np.float32(2.0)))


# Every function of `ops` ends in `bind(primitive, *operands)`, and `bind` asks the current trace:
# `current_trace().process(primitive, operands)`. A trace is an interpretation of primitives; `process` is all it has.
# At the bottom lies the one that evaluates.
assert isinstance(current_trace(), EvalTrace)


# A trace of our own. Its parent is the trace under which it was made; what it has to say about a primitive it says,
# and then leaves the work to the parent.
class CountingTrace(Trace):
    """Counts operations by name; the parent does the work."""

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
assert isinstance(current_trace(), EvalTrace)  # the old trace is back

# The parent may be any trace. Under staging the count happens while the program is written, not when it runs.
program = stage(lambda x: [counted(f, x)[0]], ArrayType((3,), np.dtype(np.float32))).program
assert len(program.equations) == sum(counts.values())


# Most traces care about some values only: those that depend on an argument. Their arguments are tracers, which carry
# what the trace wants to know: a tangent, a mapped axis, a value of a program. Ours carries the number of operations
# between an argument and the value.
class DepthTracer(Tracer):
    """An array, and how long the longest path of operations to it is."""

    __slots__ = ("depth", "type", "value")
    made_by = "measured"
    source = NOWHERE

    def __init__(self, trace, value, depth):
        self.owner, self.value, self.depth = trace, value, depth
        self.type = type_of(value)

    def concrete(self):
        """The elements: with them `if` on the tracer works, as it does under grad."""
        return np.asarray(self.value)


class DepthTrace(Trace):
    """Computes, and keeps the depth of what comes from the arguments."""

    def process(self, primitive, operands):
        depth = 0
        values = []
        for operand in operands:
            # A tracer of another trace is not ours: it is an operand like any other, and the parent knows it.
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
# Traces nest in any order. No levels are compared; each one knows its own tracers.
assert counted(lambda x: depth_of(f, x), x) == (3, {"sine": 1, "multiply": 2, "add": 1})

print("2 traces: all assertions hold")
