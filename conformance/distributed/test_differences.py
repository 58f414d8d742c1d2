"""Whatever one process does otherwise than the others, all end in seconds, and say which process and what it was.

Drawn are which process differs, from which step on, and, unless the run is long, some of the differences between two
processes. A brief run tries one case in four.
"""

import random
import re

import pytest

from conformance.distributed.starting import run
from conformance.effort import LONG, SEED

# What one process does, and what at least one of the others says of it.
DIFFERENCES = {
    "another program": "does something different from|runs a different program from",
    "a constant": "does something different from|runs a different program from",
    "a shape": "does something different from|runs a different program from",
    "another order": "does something different from|launches programs in a different order",
    "a launch more": "does something different from",
    "an end": "the end of the process|has ended",
    "sys.exit": "the end of the process|has ended",
    "SystemExit after a caught error": "the end of the process|has ended",
    "an end at a barrier": "did not reach it, and has ended",
    "sys.exit at a barrier": "did not reach it, and has ended",
    "an exception": "ended with ValueError: mine",
    "an exception while tracing": "ended with ValueError: only here",
    "a caught exception while tracing": "does something different from",
    "an exception while compiling": "ended with",
    "os._exit": "disconnected unexpectedly",
    "a barrier": "does something different from|did not reach it",
}
SECONDS = 60
"""Some ten seconds after the difference, as docs/distributed.md says, on a machine that does nothing else."""

draw = random.Random(SEED)
ALWAYS = ["a constant", "another order", "sys.exit", "a barrier"]
RARE = [what for what in DIFFERENCES if what not in ALWAYS]
CASES = [
    (what, 2, draw.randrange(2), draw.randrange(1, 12))
    for what in (DIFFERENCES if LONG else [*ALWAYS, *draw.sample(RARE, 4)])
]
CASES += [(what, 4, draw.randrange(4), draw.randrange(1, 12)) for what in DIFFERENCES]


@pytest.mark.parametrize(("what", "count", "who", "when"), CASES)
def test_a_difference_ends_all_processes_with_its_name(what, count, who, when):
    ended = run("differing.py", what, who, when, count=count, seconds=SECONDS)
    outputs = "\n".join(each.output for each in ended)
    others = [each for number, each in enumerate(ended) if number != who]
    for each in others:
        assert each.code == 1, outputs
        assert re.search(r"process \d \(|process \d (does|runs|launches)", each.output), each.output
    assert any(re.search(DIFFERENCES[what], each.output) for each in others), outputs
    assert ended[who].code != 0, outputs
