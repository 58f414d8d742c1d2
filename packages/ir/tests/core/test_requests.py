from __future__ import annotations

from collections.abc import Generator

from treadle_ir.core.requests import run_requests


def test_many_levels_of_requests_need_no_recursion() -> None:
    def total(n: int) -> Generator[int, int | None, int]:
        if n == 0:
            return 0
        below = yield n - 1
        assert below is not None
        return n + below

    assert run_requests(total(100_000), lambda n: None, total) == 100_000 * 100_001 // 2


def test_a_known_answer_is_not_worked_out_again() -> None:
    worked: list[int] = []
    answers: dict[int, int] = {}

    def fibonacci(n: int) -> Generator[int, int | None, int]:
        worked.append(n)
        result = n
        if n > 1:
            one = yield n - 1
            other = yield n - 2
            assert one is not None
            assert other is not None
            result = one + other
        answers[n] = result
        return result

    assert run_requests(fibonacci(50), answers.get, fibonacci) == 12586269025
    assert sorted(worked) == [*range(51)]
