"""Ways in which a process can end while XLA is at work, each with the exit code that it means."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any, Final, NamedTuple

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.faults.inside import doubled, interrupt_after
from treadle.experimental import io_callback

END: Final = "end"  # said by a process that gets there
CODE: Final = 7  # of such a process


class Way(NamedTuple):
    """What is run, the exit code (less than zero: a signal), and the lines that are printed."""

    run: Callable[[], Any]
    code: int
    printed: tuple[str, ...]


WAYS: Final[dict[str, Way]] = {}
kept: Final[list[Any]] = []  # until the interpreter clears its modules
early: Final[
    list[Callable[[], Any]]
] = []  # run by a function that was registered before treadle was imported


def ends(code: int, *printed: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """A way to end with an exit code, after some lines."""

    def note(run: Callable[[], Any]) -> Callable[[], Any]:
        WAYS[run.__name__] = Way(run, code, printed)
        return run

    return note


# ---- work

X: Final = np.broadcast_to(np.eye(64, dtype=np.float32), (200, 64, 64))


def factors(x: Any) -> Any:
    """Many calls of LAPACK, one after the other; each is an object of XLA's of its own."""
    for number in range(12):
        x = tnp.linalg.cholesky(x @ x.swapaxes(-1, -2) + (number + 1) * tnp.eye(x.shape[-1]))
    return x


def heavy(count: int = len(X)) -> Any:
    """An array that takes a while, and is not there yet."""
    return treadle.jit(factors)(X[:count])


def endless() -> Any:
    """An array that takes minutes."""
    return treadle.jit(lambda x: treadle.lax.fori_loop(0, 10_000, lambda i, x: factors(x), x))(X)


def compile_long(length: int = 20) -> None:
    """Compile a program for a second or more."""

    def deep(x: Any) -> Any:
        for i in range(length):
            x = tnp.linalg.cholesky(tnp.sin(x) @ tnp.cos(x.T) + i)
        return x

    treadle.jit(treadle.jacfwd(deep)).lower(tnp.eye(8)).compile()


def loop() -> None:
    """Compute for ever."""
    while True:
        heavy(10).block_until_ready()


def trace_on() -> None:
    """Trace and compile new programs for ever."""
    number = 0
    while True:
        number += 1
        treadle.jit(lambda x, number=number: x * number + number)(X)


def busy(value: Any) -> Any:
    """Python code that takes a while."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        pass
    return value


def called(function: Callable[[Any], Any]) -> Any:
    """A program that calls a function."""
    return treadle.jit(lambda x: treadle.pure_callback(function, x, x) + 1)(X)


def in_thread(work: Callable[[], Any], *, daemon: bool = True) -> None:
    """Begin it in another thread."""
    threading.Thread(target=work, daemon=daemon).start()
    time.sleep(0.3)


def say(*words: Any) -> None:
    """Print at once."""
    print(*words, flush=True)


def impatient() -> None:
    """Have the end of the process wait for less than it does."""
    from treadle_compiler import ending  # noqa: PLC0415 - what is tested

    ending.LONGEST = 0.5  # type: ignore[misc]


# ---- the main thread computes


@ends(CODE, END)
def a_result() -> None:
    kept.append(heavy())


@ends(CODE, END)
def a_result_that_was_dropped() -> None:
    heavy()


@ends(CODE, END)
def many_results_that_were_dropped() -> None:
    for _ in range(40):
        heavy(20)


@ends(CODE, END)
def a_derivative() -> None:
    kept.append(treadle.jit(treadle.grad(lambda x: factors(x).sum()))(X[:50]))


@ends(CODE, END)
def an_operation() -> None:
    kept.append(tnp.linalg.qr(tnp.ones((700, 700))))


@ends(CODE, END)
def a_large_operation() -> None:
    kept.append(tnp.sin(tnp.ones((1 << 22,))))


@ends(CODE, END)
def a_transfer() -> None:
    kept.append(treadle.device_put(np.ones(1 << 23, np.float32), treadle.devices()[0]))


@ends(CODE, END)
def a_transfer_that_was_dropped() -> None:
    treadle.device_put(np.ones(1 << 23, np.float32), treadle.devices()[0])


@ends(1)
def an_exception() -> None:
    kept.append(heavy())
    raise ValueError("mine")


@ends(3)
def sys_exit() -> None:
    kept.append(heavy())
    sys.exit(3)


@ends(1)
def sys_exit_with_a_text() -> None:
    kept.append(heavy())
    sys.exit("why")


@ends(9, END)
def os_exit() -> None:
    kept.append(heavy())
    say(END)
    os._exit(9)


@ends(-signal.SIGINT)
def ctrl_c() -> None:
    interrupt_after(0.3)
    endless().block_until_ready()


@ends(-signal.SIGTERM)
def sigterm() -> None:
    kept.append(heavy())
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


# ---- callbacks


@ends(CODE, "called", END)
def a_debug_callback() -> None:
    treadle.jit(lambda x: treadle.debug.callback(lambda v: say("called"), x))(X)


@ends(CODE, "called", END)
def an_ordered_callback() -> None:
    treadle.jit(lambda x: io_callback(lambda v: say("called"), None, x, ordered=True))(X)


@ends(4)
def sys_exit_in_a_pure_callback() -> None:
    kept.append(heavy())
    called(lambda v: sys.exit(4))


@ends(5)
def sys_exit_in_an_ordered_callback() -> None:
    kept.append(heavy())
    treadle.jit(lambda x: io_callback(lambda v: sys.exit(5), None, x, ordered=True))(X)


@ends(8)
def sys_exit_in_a_debug_callback() -> None:
    kept.append(heavy())
    treadle.jit(lambda x: treadle.debug.callback(lambda v: sys.exit(8), x))(X)


# ---- threads


@ends(CODE, END)
def a_thread_that_computes() -> None:
    in_thread(lambda: kept.extend([heavy(), heavy()]), daemon=False)


@ends(CODE, END)
def a_thread_that_compiles() -> None:
    in_thread(compile_long, daemon=False)


@ends(CODE, END)
def threads_of_a_pool() -> None:
    pool = ThreadPoolExecutor(4)
    kept.extend([pool.submit(heavy, 10 * number) for number in range(8)])


@ends(CODE, END)
def a_daemon_thread_that_computes() -> None:
    in_thread(loop)


@ends(3)
def a_daemon_thread_that_computes_and_sys_exit() -> None:
    in_thread(loop)
    sys.exit(3)


@ends(CODE, END)
def a_daemon_thread_that_compiles() -> None:
    in_thread(compile_long)


@ends(CODE, END)
def a_daemon_thread_that_traces() -> None:
    in_thread(trace_on)


@ends(CODE, END)
def a_daemon_thread_that_waits() -> None:
    in_thread(lambda: heavy().block_until_ready())


@ends(CODE, END)
def a_daemon_thread_in_a_callback() -> None:
    in_thread(lambda: called(busy))


# ---- processes


@ends(6)
def a_forked_child() -> None:
    pending = heavy()
    child = os.fork()
    if child == 0:
        sys.exit(6)
    kept.append(pending)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def worker(method: Any) -> None:
    """End with the exit code of a worker that computes."""
    kept.append(heavy())
    process = get_context(method).Process(target=doubled, args=(2.0,))
    process.start()
    process.join()
    sys.exit(10 + (process.exitcode or 0))


@ends(10)
def a_worker_by_spawn() -> None:
    worker("spawn")


@ends(11)
def a_worker_by_fork() -> None:
    worker("fork")


# ---- work that begins when the process ends


@ends(CODE, END, "called (9, 64, 64)")
def a_function_of_atexit() -> None:
    kept.append(heavy())
    atexit.register(lambda: say("called", heavy(9).shape))


@ends(CODE, END, "called")
def an_earlier_function_of_atexit() -> None:
    kept.append(heavy())

    def computes() -> None:
        heavy()
        say("called")

    early.append(computes)


@ends(CODE, END, "called")
def an_object_that_computes_when_it_goes() -> None:
    compiled = treadle.jit(factors).lower(X).compile()
    x = tnp.asarray(X)
    compiled(x).block_until_ready()  # when the object goes, Python imports nothing any more

    class Late:
        def __del__(self, say: Callable[..., None] = say) -> None:
            compiled(x)
            say("called")

    kept.append(Late())


# ---- what takes longer than the end of a process waits


@ends(CODE, END)
def a_result_that_takes_too_long() -> None:
    impatient()
    kept.append(endless())


@ends(CODE, END)
def a_dropped_result_that_takes_too_long() -> None:
    impatient()
    endless()


@ends(CODE, END)
def a_daemon_thread_that_compiles_for_too_long() -> None:
    impatient()
    in_thread(lambda: compile_long(150))


@ends(CODE, END)
def a_daemon_thread_in_a_callback_for_too_long() -> None:
    impatient()
    in_thread(lambda: called(lambda v: [busy(v) for _ in range(30)]))
