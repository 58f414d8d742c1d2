"""Instrumented calls of compiled functions, in contexts with a debug setting; see `evaluation/instrumented.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from treadle_ir import TreadleError
from treadle_ir.analysis import Cells, KeyUses
from treadle_ir.errors import capture
from treadle_ir.primitives.call import Call
from treadle_ir.tracing import Arguments, positional_names
from treadle_ir.tree import opened_leaves
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.evaluation.finite import Culprit, Looked, culprit_in, error_of, looked_for
from treadle_runtime.evaluation.instrumented import (
    evaluating_with,
    follows_keys,
    keep,
    known,
    may_run,
)
from treadle_runtime.evaluation.observed import runtime_evaluator
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.placement.guards import guard


def call_instrumented(call: CompiledCall, leaves: Sequence[DeviceArray]) -> Any:
    """Return the results of a compiled function, checked as the debug settings require. Any: a pytree.

    Raises:
        NotFiniteError, KeyReuseError, NoExecutionError: as the settings ask.
    """
    may_run(call.name)
    evaluator = runtime_evaluator()
    assert evaluator is not None, "jit runs where the runtime evaluates"
    program = call.traced.program
    arrays = [*call.captured, *leaves]
    uses = None
    cells: Sequence[Cells | None] = []
    if follows_keys():
        uses = KeyUses()
        try:
            cells = uses.run(program, [known(x, elements=False) for x in arrays])
        except TreadleError as error:
            error.add_note(f"  while: calling {call.name} at {capture().show()}")
            raise
    results = call.call(leaves)
    flat: list[DeviceArray] = opened_leaves(results)
    keep(uses, cells, flat)
    looked = looked_for()
    if looked is not None and looked.any(flat):
        culprit = culprit_in(program, arrays, evaluating_with(evaluator.find_instrumented), looked)
        if culprit is None:
            culprit = _brought(call, arrays, flat, looked)
        raise error_of(culprit.within(f"calling {call.name}"), looked)
    return results


def guard_arguments(
    arguments: Arguments,
    arrays: Sequence[DeviceArray],
    name: str,
    function: Callable[..., Any] | None = None,
) -> None:
    """Guard the transfers of arguments of a compiled function: of all arguments that are not device arrays.

    Raises:
        TransferError: a transfer is refused.
    """

    def named(index: int) -> str:
        names = [] if function is None else positional_names(function)
        return f"{arguments.paths(names)[index]} of {name}"

    for index, (leaf, array) in enumerate(zip(arguments.leaves, arrays, strict=True)):
        if type(leaf) is not DeviceArray:
            device = array.placed.placement.device
            guard("host-to-device", array.type, device, argument=partial(named, index))


def _brought(
    call: CompiledCall,
    arrays: Sequence[DeviceArray],
    results: Sequence[DeviceArray],
    looked: Looked,
) -> Culprit:
    """Return the culprit where none of the operations is: the value came in with an argument, or XLA's arithmetic
    differs.
    """
    culprit = Culprit(Call(call.traced.program, call.name), arrays, results, None)
    bad = [index for index, array in enumerate(arrays) if looked.at(array)]
    if bad:
        which = [
            f"captured array {index}"
            if index < len(call.captured)
            else f"argument {index - len(call.captured)}"
            for index in bad
        ]
        return culprit.within(f"the value came in with {', '.join(which)} of {call.name}")
    return culprit.within("running the operations of it one by one, which gave finite results")
