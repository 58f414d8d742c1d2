"""Takes steps over all processes, in the middle of which something happens in one of them."""

import os
import signal
import sys
import time

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.sharding import NamedSharding, PartitionSpec as P

what, who, initialization, heartbeat, shutdown = sys.argv[1], *map(int, sys.argv[2:])
treadle.distributed.initialize(
    initialization_timeout=initialization,
    heartbeat_timeout_seconds=heartbeat,
    shutdown_timeout_seconds=shutdown,
)
me = treadle.process_index() == who
mesh = treadle.make_mesh((len(treadle.devices()),), ("d",))
sharding = NamedSharding(mesh, P("d"))
data = np.arange(4.0 * len(treadle.devices()), dtype=np.float32)
x = treadle.make_array_from_callback(data.shape, sharding, lambda part: data[part])
step = treadle.jit(lambda x: tnp.tanh(x).sum())


def evaluate(x):
    return x * x if gathers else (x * x).sum()


gathers = os.environ.get("HOW") == "gathers"
evaluate = treadle.jit(evaluate, out_shardings=NamedSharding(mesh, P()))


caught = False
for number in range(400):
    if me and number == 10:
        print("now", time.time(), flush=True)
        if what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif what == "raises":
            raise ValueError("no more data")
        elif what == "leaves":
            break
        elif what == "differs":
            step = treadle.jit(lambda x: tnp.sin(x).sum())
        elif what == "swaps":
            step, evaluate = evaluate, step
    elif what == "differs" and number == 10:
        step = treadle.jit(lambda x: tnp.cos(x).sum())
    if what in ("swaps", "known"):
        np.asarray(evaluate(x))
    try:
        np.asarray(step(x))
    except treadle.errors.ProcessFailureError:
        if what != "killed" or "--catch" not in os.environ.get("HOW", ""):
            print("heard", time.time(), flush=True)
            raise
        caught = True
        treadle.distributed.shutdown()
        print("saved what there was", flush=True)
        break
    time.sleep(0.01)
else:
    print("all steps taken", flush=True)
