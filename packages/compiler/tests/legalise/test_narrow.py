"""Narrow element types: conversions around the operations that are computed in wider types."""

from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise.narrow import widen_narrow_dtypes

Golden = Callable[..., None]


def test_functions_of_narrow_floats_are_computed_in_f32(golden: Golden) -> None:
    golden(
        widen_narrow_dtypes,
        """
    program @p0(%0: f8e5m2[3]) -> (f8e5m2[3]) {
      %1: f8e5m2[3] = exponential %0
      return %1
    }

    program @main(%0: f8e5m2[3]) -> (f8e5m2[3], bool[3]) {
      %1: f8e5m2[3] = call %0 {program=@p0}
      %2: f8e5m2[3] = maximum %1, 1.0:f8e5m2
      %3: bool[3] = compare %2, %0 {direction="lt"}
      return %2, %3
    }
    """,
        """
    program @p0(%0: f8e5m2[3]) -> (f8e5m2[3]) {
      %1: f32[3] = convert %0 {dtype=f32}
      %2: f32[3] = exponential %1
      %3: f8e5m2[3] = convert %2 {dtype=f8e5m2}
      return %3
    }

    program @main(%0: f8e5m2[3]) -> (f8e5m2[3], bool[3]) {
      %1: f8e5m2[3] = call %0 {program=@p0}
      %2: f32[3] = convert %1 {dtype=f32}
      %3: f32[] = convert 1.0:f8e5m2 {dtype=f32}
      %4: f32[3] = maximum %2, %3
      %5: f8e5m2[3] = convert %4 {dtype=f8e5m2}
      %6: bool[3] = compare %5, %0 {direction="lt"}
      return %5, %6
    }
    """,
    )


def test_integers_of_half_a_byte_are_joined_as_bytes_and_added_as_they_are(golden: Golden) -> None:
    golden(
        widen_narrow_dtypes,
        """
    program @main(%0: i4[3], %1: u4[3]) -> (i4[6], i4[3], u4[4]) {
      %2: i4[6] = concatenate %0, %0 {dimension=0}
      %3: i4[3] = add %0, %0
      %4: u4[4] = pad %1, 0:u4 {low=(1,), high=(0,), interior=(0,)}
      return %2, %3, %4
    }
    """,
        """
    program @main(%0: i4[3], %1: u4[3]) -> (i4[6], i4[3], u4[4]) {
      %2: i8[3] = convert %0 {dtype=i8}
      %3: i8[3] = convert %0 {dtype=i8}
      %4: i8[6] = concatenate %2, %3 {dimension=0}
      %5: i4[6] = convert %4 {dtype=i4}
      %6: i4[3] = add %0, %0
      %7: u8[3] = convert %1 {dtype=u8}
      %8: u8[] = convert 0:u4 {dtype=u8}
      %9: u8[4] = pad %7, %8 {low=(1,), high=(0,), interior=(0,)}
      %10: u4[4] = convert %9 {dtype=u4}
      return %5, %6, %10
    }
    """,
    )


def test_what_only_moves_bits_is_left_alone(golden: Golden) -> None:
    golden(
        widen_narrow_dtypes,
        """
    program @main(%0: bool[3], %1: f8e5m2[3], %2: f32[3]) -> (f8e5m2[3], f8e5m2[3]) {
      %3: f8e5m2[3] = select %0, %1, %1
      %4: f8e5m2[3] = convert %2 {dtype=f8e5m2}
      return %3, %4
    }
    """,
    )
