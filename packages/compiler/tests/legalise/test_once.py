"""Values that are read often and cost much pass through `compute_once`; which ones, lowering/test_repeated.py says."""

from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise.once import compute_expensive_once

Golden = Callable[..., None]


def test_a_value_that_is_broadcast_is_computed_once_in_a_call_too(golden: Golden) -> None:
    golden(
        compute_expensive_once,
        """
    program @p0(%0: f32[1000]) -> (f32[1000,1000]) {
      %1: f32[1000] = sine %0
      %2: f32[1000,1000] = broadcast_in_dim %1 {shape=(1000, 1000), dimensions=(1,)}
      return %2
    }

    program @main(%0: f32[1000]) -> (f32[1000,1000]) {
      %1: f32[1000,1000] = call %0 {program=@p0}
      return %1
    }
    """,
        """
    program @p0(%0: f32[1000]) -> (f32[1000,1000]) {
      %1: f32[1000] = sine %0
      %2: f32[1000] = compute_once %1
      %3: f32[1000,1000] = broadcast_in_dim %2 {shape=(1000, 1000), dimensions=(1,)}
      return %3
    }

    program @main(%0: f32[1000]) -> (f32[1000,1000]) {
      %1: f32[1000,1000] = call %0 {program=@p0}
      return %1
    }
    """,
    )


def test_what_costs_little_is_left_alone(golden: Golden) -> None:
    golden(
        compute_expensive_once,
        """
    program @main(%0: f32[1000]) -> (f32[1000,1000]) {
      %1: f32[1000] = negate %0
      %2: f32[1000,1000] = broadcast_in_dim %1 {shape=(1000, 1000), dimensions=(1,)}
      return %2
    }
    """,
    )
