"""Elements of several parts: what moves or compares them is repeated for each part."""

from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise.elements import split_elements

Golden = Callable[..., None]


def test_what_moves_keys_is_repeated_and_comparisons_are_combined(golden: Golden) -> None:
    golden(
        split_elements,
        """
    program @main(%0: key<rbg>[3], %1: key<rbg>[3]) -> (key<rbg>[3], bool[3]) {
      %2: key<rbg>[3] = reverse %0 {dimensions=(0,)}
      %3: bool[3] = compare %2, %1 {direction="ne"}
      return %2, %3
    }
    """,
        """
    program @main(%0: key<rbg>[3], %1: key<rbg>[3]) -> (key<rbg>[3], bool[3]) {
      %2: key<fry>[3], %3: key<fry>[3] = unpack_elements %0
      %4: key<fry>[3] = reverse %2 {dimensions=(0,)}
      %5: key<fry>[3] = reverse %3 {dimensions=(0,)}
      %6: key<rbg>[3] = pack_elements %4, %5 {dtype=key<rbg>}
      %7: key<fry>[3], %8: key<fry>[3] = unpack_elements %6
      %9: key<fry>[3], %10: key<fry>[3] = unpack_elements %1
      %11: bool[3] = compare %7, %9 {direction="ne"}
      %12: bool[3] = compare %8, %10 {direction="ne"}
      %13: bool[3] = or %11, %12
      return %6, %13
    }
    """,
    )


def test_keys_within_a_loop_are_split_there(golden: Golden) -> None:
    golden(
        split_elements,
        """
    program @p0(%0: f32[], %1: key<rbg>[]) -> (f32[], key<rbg>[]) {
      %2: key<rbg>[] = random_fold_in %1, 1:u32
      return %0, %2
    }

    program @main(%0: f32[], %1: key<rbg>[3]) -> (f32[], key<rbg>[3]) {
      %2: f32[], %3: key<rbg>[3] = scan %0, %1 {body=@p0, length=3, carries=1}
      return %2, %3
    }
    """,
        """
    program @p0(%0: f32[], %1: key<rbg>[]) -> (f32[], key<rbg>[]) {
      %2: key<fry>[], %3: key<fry>[] = unpack_elements %1
      %4: key<fry>[] = random_fold_in %2, 1:u32
      %5: key<fry>[] = random_fold_in %3, 1:u32
      %6: key<rbg>[] = pack_elements %4, %5 {dtype=key<rbg>}
      return %0, %6
    }

    program @main(%0: f32[], %1: key<rbg>[3]) -> (f32[], key<rbg>[3]) {
      %2: f32[], %3: key<rbg>[3] = scan %0, %1 {body=@p0, length=3, carries=1}
      return %2, %3
    }
    """,
    )


def test_rules_that_know_whole_keys_get_them(golden: Golden) -> None:
    golden(
        split_elements,
        """
    program @main(%0: key<urbg>[3], %1: key<rbg>[]) -> (key<urbg>[3,2], u32[2], key<rbg>[]) {
      %2: key<urbg>[3,2] = random_split %0 {shape=(2,)}
      %3: u32[2] = random_bits %1 {shape=(2,)}
      %4: key<rbg>[] = to_memory %1 {kind="pinned_host"}
      %5: key<rbg>[] = convert %4 {dtype=key<rbg>}
      return %2, %3, %5
    }
    """,
    )


def test_keys_of_one_number_are_left_alone(golden: Golden) -> None:
    golden(
        split_elements,
        """
    program @main(%0: key<fry>[3]) -> (key<fry>[3]) {
      %1: key<fry>[3] = reverse %0 {dimensions=(0,)}
      return %1
    }
    """,
    )
