"""The part of the suite that a brief run tries: of laws whose cases are many and slow, one case of every few.

`.ci/run` runs the brief suite, so that it ends in minutes on two cores; `nox -s conformance` and the workflows run all
of it. Cases of a law are numbered in the order of collection, where the cases of one operation are adjacent: a brief
run tries every operation that has enough cases, each on other element types and shapes than the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import pytest

from conformance.effort import BRIEF

T = TypeVar("T")

# The law, as `file::function`, and how many cases stand for one that is tried.
ONE_OF: Final[dict[str, int]] = {
    # One operation in all element types, or on drawn operands: each compiles, differentiates or loops.
    "test_batching.py::test_batched_agrees_with_a_loop": 2,
    "test_batching.py::test_batched_agrees_with_a_loop_in_every_element_type": 4,
    "test_batching.py::test_batched_agrees_with_a_loop_on_anything": 3,
    "test_batching.py::test_batched_twice_agrees_with_loops": 4,
    "test_jaxpr_views.py::test_an_equation_is_bound_again_with_its_params": 4,
    "test_jvp.py::test_jvp_in_every_element_type_agrees_with_double": 4,
    "test_jvp.py::test_linearize_agrees_with_jvp": 2,
    "test_jvp.py::test_second_derivative_agrees_with_central_differences": 2,
    "test_lowering.py::test_compiled_agrees_in_every_element_type": 6,
    "test_lowering.py::test_compiled_agrees_on_anything": 4,
    "test_lowering.py::test_text_is_deterministic": 4,
    "test_reference.py::test_reference_agrees_with_the_truth_in_every_element_type": 3,
    "test_reference.py::test_reference_agrees_with_the_truth_on_anything": 3,
    "test_rewrites.py::test_passes_keep_what_an_operation_gives": 4,
    "test_text.py::test_round_trip": 2,
    "test_transpose.py::test_forward_and_reverse_are_transposes": 3,
    "test_types.py::test_kernel_returns_what_infer_says_in_every_element_type": 4,
    "test_types.py::test_kernel_returns_what_infer_says_of_anything": 4,
    "test_types.py::test_staged_program_computes_the_same": 4,
    # Programs of the pool under every pair of transformations, in eight contexts, over eight devices.
    "contexts/calls.py::calls": 4,
    "sharding/test_sharding.py::test_collectives_over_several_axes": 4,
    "sharding/test_sharding.py::test_pmap_is_vmap": 5,
    "sharding/test_sharding.py::test_programs_of_the_pool": 4,
    "sharding/test_sharding.py::test_shard_map_is_vmap": 5,
    "test_compositions.py::test_composition_agrees_with_numpy": 4,
    # Memory after many rounds, with a full garbage collection in each.
    "kept/test_classes.py::test_classes_are_freed": 4,
    "kept/test_flat.py::test_live_objects_are_flat": 4,
    "kept/test_kept.py::test_resident_size_does_not_grow": 6,
    "kept/test_kept.py::test_what_a_round_held_is_let_go": 3,
    # A call for each value in the place of each argument; a process for each module.
    "hostile/run.py::faults": 4,
    "test_each_module_first.py::modules": 4,
}
LEFT_OUT: Final = pytest.StashKey[Iterable[pytest.Item]]()


def law_of(item: pytest.Item) -> str:
    """Return the law of a test, as the table names it."""
    root, file = item.config.rootpath / "conformance", item.path
    file = file.relative_to(root) if file.is_relative_to(root) else file  # a package's test
    function = getattr(item, "originalname", "")
    return f"{file.as_posix()}::{function}"


def divided(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that a brief run keeps, and those that it leaves out."""
    seen: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        law = law_of(item)
        (kept if seen[law] % ONE_OF.get(law, 1) == 0 else left_out).append(item)
        seen[law] += 1
    return kept, left_out


def kept(law: str, cases: Sequence[T], first: int = 0) -> list[T]:
    """Return the cases of a law, or in a brief run one of every few, as `divided` does.

    Args:
        law: a key of `ONE_OF`, or of a test that has all of its cases in a brief run, too.
        cases: all cases.
        first: the first one that is kept, modulo the number of cases that one stands for.
    """
    every = ONE_OF.get(law, 1) if BRIEF else 1
    return [*cases[first % every :: every]]
