"""Attributes of values: the equations that define them become calls that have the attributes."""

from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise.metadata import attach_metadata

Golden = Callable[..., None]


def test_the_innermost_attribute_of_a_name_counts(golden: Golden) -> None:
    golden(
        attach_metadata,
        """
    program @main(%0: f32[3]) -> (f32[3]) {
      %1: f32[3] = multiply %0, 2.0:f32
      %2: f32[3] = value_metadata %1 {metadata=(("a", "1"),)}
      %3: f32[3] = value_metadata %2 {metadata=(("a", "2"), ("b", "3"))}
      return %3
    }
    """,
        """
    program @p0(%0: f32[3], %1: f32[]) -> (f32[3]) {
      %2: f32[3] = multiply %0, %1
      return %2
    }

    program @main(%0: f32[3]) -> (f32[3]) {
      %1: f32[3] = xla_metadata %0, 2.0:f32 {program=@p0, metadata=(("a", "1"), ("b", "3"))}
      %2: f32[3] = value_metadata %1 {metadata=(("a", "1"),)}
      %3: f32[3] = value_metadata %2 {metadata=(("a", "2"), ("b", "3"))}
      return %3
    }
    """,
    )


def test_of_a_parameter_no_equation_has_attributes(golden: Golden) -> None:
    golden(
        attach_metadata,
        """
    program @main(%0: f32[3]) -> (f32[3]) {
      %1: f32[3] = value_metadata %0 {metadata=(("a", "1"),)}
      return %1
    }
    """,
    )
