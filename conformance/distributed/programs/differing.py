"""Takes steps over all processes, of which one does something else than the others from some step on."""

import os
import sys

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.experimental import multihost_utils
from treadle.sharding import NamedSharding, PartitionSpec as P

what, who, when = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
treadle.distributed.initialize()
me = treadle.process_index() == who
count = treadle.process_count()
sharding = NamedSharding(treadle.make_mesh((count,), ("d",)), P("d"))


def rows(number):
    """An array over all processes, with so many rows in each."""
    return treadle.make_array_from_process_local_data(
        sharding, np.ones((number, 3), np.float32), (number * count, 3)
    )


def failing(x):
    if treadle.process_index() == who:
        raise ValueError("only here")
    return x.sum()


x = rows(2)
total, largest = treadle.jit(lambda x: x.sum()), treadle.jit(lambda x: x.max())
chosen = {"a caught exception while tracing": failing, "an exception while tracing": failing}


def usual():
    return float(total(x))


def as_the_others():
    """Do what the other processes do at the step in which one process differs."""
    if what in ("a barrier", "an end at a barrier", "sys.exit at a barrier"):
        return multihost_utils.sync_global_devices("step")
    if what in chosen:
        return float(treadle.jit(chosen[what])(x))
    return usual()


def otherwise():
    """Do what this process does at the step in which it differs."""
    if what == "another program":
        treadle.jit(lambda x: (x * 2).max())(x)
    elif what == "a constant":
        treadle.jit(lambda x: (x * (who + 2)).sum())(x)
    elif what == "a shape":
        total(rows(3))
    elif what == "another order":
        float(largest(x))
    elif what == "a launch more":
        usual()
        largest(rows(4))
    elif what in ("an end", "an end at a barrier"):
        os.environ["ENDED"] = "1"
    elif what in ("sys.exit", "sys.exit at a barrier"):
        sys.exit(3)
    elif what == "SystemExit after a caught error":
        try:
            raise ValueError("mine")
        except ValueError:
            raise SystemExit(7) from None
    elif what == "an exception":
        raise ValueError("mine")
    elif what == "an exception while tracing":
        as_the_others()
    elif what == "a caught exception while tracing":
        try:
            as_the_others()
        except ValueError:
            usual()
    elif what == "an exception while compiling":
        treadle.jit(lambda x: x.min(), compiler_options={"no_such_option": 1})(x)
    elif what == "os._exit":
        os._exit(3)
    elif what == "a barrier":
        usual()
    else:
        raise AssertionError(what)


for number in range(when + 5):
    if number == when:
        if me:
            otherwise()
            if os.environ.get("ENDED"):
                break
        else:
            as_the_others()
    else:
        usual()
        treadle.block_until_ready(tnp.ones(3) + number)
print("all steps taken", flush=True)
