"""Work on nested programs without recursion: generators that yield requests and receive the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

R = TypeVar("R")  # a request
A = TypeVar("A")  # an answer, which is never None


def run_requests(
    first: Generator[R, A | None, A],
    known: Callable[[R], A | None],
    work: Callable[[R], Generator[R, A | None, A]],
) -> A:
    """Run a generator on a stack with the generators that answer its requests, and return what it returns.

    Args:
        first: the generator; it yields requests and receives their answers.
        known: returns the answer to a request if there is one already, or None.
        work: returns the generator that answers a request.

    Example:
        >>> def factorial(n):
        ...     return n * (yield n - 1) if n else 1
        >>> run_requests(factorial(5), lambda n: None, factorial)
        120
    """
    stack = [first]
    answer: A | None = None
    while stack:
        try:
            request = stack[-1].send(answer)
        except StopIteration as stop:
            stack.pop()
            answer = stop.value
        else:
            answer = known(request)
            if answer is None:
                stack.append(work(request))
    assert answer is not None
    return answer
