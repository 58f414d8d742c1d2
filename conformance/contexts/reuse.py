"""Calls of functions in one context after another, in a process with several devices.

`python -m conformance.contexts.reuse one` (or `several`, for threads) reads from stdin what each call gives in a fresh
process, by context, and prints the calls that give something else here.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from conformance.contexts.calls import Call, calls, seen
from conformance.contexts.settings import CONTEXTS

Truth: TypeAlias = Mapping[str, Mapping[str, str]]


def differences(truth: Truth, reused: Mapping[str, Call], order: Iterable[str]) -> list[str]:
    """Calls in these contexts, one after the other, that do not give what they give in a fresh process."""
    wrong = []
    before = "nothing"
    for name in order:
        with CONTEXTS[name]():
            for call_name, call in reused.items():
                got, expected = seen(call), truth[name][call_name]
                if got != expected:
                    wrong.append(f"{call_name} in {name} after {before}: {got}, not {expected}")
        before = name
    return wrong


def tour(names: Iterable[str]) -> list[str]:
    """Return the shortest walk that goes from every name to every other one, back to the first.

    It is an Euler tour of the complete directed graph.

    >>> tour("abc")
    ['a', 'b', 'a', 'c', 'b', 'c', 'a']
    """
    nodes = list(names)
    return [*itertools.chain.from_iterable(itertools.combinations(nodes, 2)), nodes[0]]


def one_thread(truth: Truth, reused: Mapping[str, Call]) -> list[str]:
    """Every context comes after every other one."""
    return differences(truth, reused, tour(CONTEXTS))


def several_threads(truth: Truth, reused: Mapping[str, Call]) -> list[str]:
    """Each thread is in a context of its own, and changes it."""
    names = [*CONTEXTS]

    def work(number: int) -> list[str]:
        order = [names[(number + step) % len(names)] for step in range(len(names))]
        return differences(truth, reused, order)

    with ThreadPoolExecutor(4) as pool:
        return [line for lines in pool.map(work, range(4)) for line in lines]


if __name__ == "__main__":
    run = {"one": one_thread, "several": several_threads}[sys.argv[1]]
    print(*run(json.load(sys.stdin), calls()), sep="\n")
