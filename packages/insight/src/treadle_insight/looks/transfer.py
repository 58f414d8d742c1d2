"""Arrays that are transferred from the host again and again, although their elements stay the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from treadle_insight.expressions import argument_text, operand_texts, paths_or_numbers
from treadle_insight.finding import Cost, Finding, bytes_text
from treadle_insight.kinds import Kind
from treadle_insight.looks.misses import place_of_definition
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_insight.spelling import Spelling
from treadle_ir.events import ElementsTransferred, Event, TransferredOperand
from treadle_ir.process import fork_safe_lock

LEAST_TIMES: Final = 10
LEAST_BYTES: Final = 1_000_000
_MOST_KNOWN: Final = 4096  # arrays that are remembered
_SAMPLED: Final = 64  # elements that are compared
_SMALL: Final = 1024  # bytes of an array that is ignored

KINDS: Final = (
    Kind(
        "transfer.repeated",
        "A NumPy array with the same elements is transferred to a device in each call.",
        wrong="""\
import numpy as np
import treadle
import treadle.numpy as tnp

batch = np.ones((64, 1000), np.float32)

@treadle.jit
def step(weights, batch):
    return weights + batch.sum()

weights = tnp.zeros(3)
with treadle.watch("transfer") as report:
    for _ in range(20):
        weights = step(weights, batch)
""",
        right="""\
import numpy as np
import treadle
import treadle.numpy as tnp

batch = treadle.device_put(np.ones((64, 1000), np.float32))

@treadle.jit
def step(weights, batch):
    return weights + batch.sum()

weights = tnp.zeros(3)
with treadle.watch("transfer") as report:
    for _ in range(20):
        weights = step(weights, batch)
""",
    ),
)


@final
@dataclass
class _Repeated:
    """One array, transferred for one operand at one place."""

    what: str
    call: str
    place: Place
    defined: Place | None
    target: str
    text: str  # its type
    name: str  # the parameter, or the operand as it is written; empty if it is not known
    given: str  # what the caller gives, as it is written; empty if it is not known
    times: int = 0
    bytes: int = 0


@final
class TransferPart(Part):
    """Finds arrays that are transferred again and again."""

    events: tuple[type[Event], ...] = (ElementsTransferred,)

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._known: dict[tuple[object, ...], _Repeated] = {}

    def hear(self, event: Event) -> None:
        """Note a transfer from the host.

        Args:
            event: what happened, in the thread in which it happened.
        """
        if not isinstance(event, ElementsTransferred) or event.source != "host":
            return
        operand = event.operand
        if operand is None or event.type.nbytes < _SMALL:
            return
        fingerprint = _fingerprint(operand.given)
        if fingerprint is None:
            return
        key = (
            id(
                event.place.code
            ),  # alive as long as the function is; its hash would read all constants
            event.place.offset,
            operand.name,
            operand.number,
            event.target,
            *fingerprint,
        )
        with self._lock:
            known = self._known.get(key)
            if known is None:
                known = _repeated(event, operand)
                if len(self._known) >= _MOST_KNOWN:  # arrays of which most came once
                    self._known = {k: x for k, x in self._known.items() if x.times > 1}
                if len(self._known) < _MOST_KNOWN:
                    self._known[key] = known
            known.times += 1
            known.bytes += event.type.nbytes

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            known = [*self._known.values()]
        return [
            _finding(each)
            for each in known
            if each.times >= LEAST_TIMES and each.bytes >= LEAST_BYTES
        ]


def _repeated(event: ElementsTransferred, operand: TransferredOperand) -> _Repeated:
    """Return what is known of an array that is transferred for the first time."""
    place, path = Place.of(event.place), f"operand {operand.number}"
    if operand.paths is not None:
        path = paths_or_numbers(operand.paths, len(operand.operands))[operand.number]
    what, name, text = path, "", ""
    defined = None
    if operand.function is not None:
        defined = place_of_definition(operand.function)
        if path.startswith("argument "):
            name = path.removeprefix("argument ")
            what = f"argument `{name}`"
            text = argument_text(place, operand.function, name)
    else:
        texts = operand_texts(place)
        if len(texts) == len(operand.operands):
            name = text = texts[operand.number]
            what = f"`{text}`"
    return _Repeated(what, operand.name, place, defined, event.target, str(event.type), name, text)


def _fingerprint(given: Any) -> tuple[object, ...] | None:  # Any: an array of any kind
    """Return the memory of an array on the host and a sample of its elements, to recognise it when it comes again.

    None for random keys and other arrays whose elements NumPy cannot read.
    """
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):
        return None
    flat = array.reshape(-1) if array.flags.c_contiguous else array.ravel()[:_SAMPLED]
    sample = flat[:: max(1, flat.size // _SAMPLED)].tobytes()
    return array.__array_interface__["data"][0], array.shape, array.dtype, sample


def _code(each: _Repeated) -> str:
    """Return the line that transfers an array once; empty if it is not known how the source writes the array."""
    variable = each.given if each.given.isidentifier() else each.name
    if not each.given or not variable.isidentifier():
        return ""
    return f"{variable} = {Spelling.of_file(each.place.file).name('device_put')}({each.given})"


def _finding(each: _Repeated) -> Finding:
    places = [each.place, *([each.defined] if each.defined is not None else [])]
    moved = f"{each.times:,} times, {bytes_text(each.bytes)}"
    return Finding(
        "transfer.repeated",
        f"The same elements went from the host to {each.target} {moved}: {each.what} of {each.call}.",
        tuple(places),
        (f"It is a NumPy array of type {each.text}.",),
        "Transfer it once, before the loop.",
        _code(each),
        cost=Cost(bytes=each.bytes),
    )
