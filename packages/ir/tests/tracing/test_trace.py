from __future__ import annotations

import sys
from typing import Any

import pytest

from treadle_ir.tracing import ROOT, EvalTrace, current_trace, run_under


def test_a_trace_is_current_for_a_while() -> None:
    trace, before = EvalTrace(ROOT.evaluator), current_trace()
    assert run_under(trace, lambda x: (current_trace(), x), 5) == (trace, 5)
    with pytest.raises(ZeroDivisionError):
        run_under(trace, lambda: 1 // 0)
    assert current_trace() is before


def test_an_interrupt_at_any_point_leaves_the_trace_that_was_current() -> None:
    trace, before = EvalTrace(ROOT.evaluator), current_trace()
    for number in range(20):
        left = number

        def interrupt(frame: Any, event: str, argument: Any) -> None:
            nonlocal left
            if event in {"call", "c_return"} and frame.f_code is run_under.__code__:
                left -= 1
                if left < 0:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        try:
            sys.setprofile(interrupt)
            run_under(trace, lambda: None)
        except KeyboardInterrupt:
            pass
        else:
            assert number > 2  # there was no point left
            break
        finally:
            sys.setprofile(None)
        assert current_trace() is before, f"after an interrupt at event {number}"
