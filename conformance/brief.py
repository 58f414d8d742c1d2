"""The part of the suite that a brief run tries: of laws whose cases are many and slow, one case of every few.

`.ci/run` runs the brief suite, so that it ends in minutes on two cores; `nox -s conformance` and the workflows run all
of it. Cases of a law are numbered in the order of collection, where the cases of one operation are adjacent: a brief
run tries every operation that has enough cases, each on other element types and shapes than the next.

Some fifteen hundred cases take more time than all others together, here and in the suites of the packages.
`slow_cases.txt` lists them; a brief run leaves them out where quicker cases of the same law remain. As a plugin (`-p
conformance.brief`) this module does so in a package's suite, too. The list is made from reports of runs on a quiet
machine, before which it is emptied:

    nox -s conformance-brief -- --junitxml=conformance.xml
    nox -s "tests-3.11(ir)" -- --junitxml=ir.xml
    python -m conformance.brief conformance.xml ir.xml
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import pytest

from conformance.effort import BRIEF

T = TypeVar("T")

# The law, as `file::function` in conformance or in `packages/`, and the N of which one case in N runs.
ONE_OF: Final[dict[str, int]] = {
    "derivatives/test_derivatives.py::test_derivatives_are_the_true_ones": 3,
    "export/test_symbolic.py::test_derivatives": 2,
    "export/test_symbolic.py::test_values": 2,
    "test_jvp.py::test_jvp_agrees_with_central_differences": 4,
    "test_jvp.py::test_results_and_tangents_have_the_right_types": 4,
    "test_linear_algebra.py::test_compiled_code_solves_the_equations": 2,
    "test_lowering.py::test_compiled_agrees_with_reference": 2,
    "test_linear_growth.py::test_tracing_and_lowering": 3,
    "test_rewrites.py::test_passes_keep_what_a_program_gives": 4,
    "test_text.py::test_programs_of_the_pool": 4,
    "test_undifferentiated.py::test_integers": 2,
    # One operation in all element types, or on drawn operands: each compiles, differentiates or loops.
    "test_batching.py::test_batched_agrees_with_a_loop": 4,
    "test_batching.py::test_batched_agrees_with_a_loop_in_every_element_type": 4,
    "test_batching.py::test_batched_agrees_with_a_loop_on_anything": 3,
    "test_batching.py::test_batched_twice_agrees_with_loops": 8,
    "test_jaxpr_views.py::test_an_equation_is_bound_again_with_its_params": 4,
    "test_jvp.py::test_jvp_in_every_element_type_agrees_with_double": 4,
    "test_jvp.py::test_linearize_agrees_with_jvp": 4,
    "test_jvp.py::test_second_derivative_agrees_with_central_differences": 4,
    "test_lowering.py::test_compiled_agrees_in_every_element_type": 14,
    "test_lowering.py::test_compiled_agrees_on_anything": 4,
    "test_lowering.py::test_text_is_deterministic": 8,
    "test_reference.py::test_reference_agrees_with_the_truth_in_every_element_type": 6,
    "test_reference.py::test_reference_agrees_with_the_truth_on_anything": 3,
    "test_rewrites.py::test_passes_keep_what_an_operation_gives": 8,
    "test_text.py::test_round_trip": 4,
    "test_transpose.py::test_forward_and_reverse_are_transposes": 6,
    "test_types.py::test_kernel_returns_what_infer_says_in_every_element_type": 4,
    "test_types.py::test_kernel_returns_what_infer_says_of_anything": 4,
    "test_types.py::test_staged_program_computes_the_same": 4,
    # Many quick cases, of which each costs as much to start as to run.
    "test_rewrites.py::test_passes_keep_what_an_operation_gives_of_literals": 3,
    "test_array_api.py::test_of_any_two_numbers": 3,
    "test_array_api.py::test_of_any_number": 3,
    "test_array_api.py::test_of_one": 2,
    "test_jvp.py::test_tangents_add_up_over_operands": 2,
    "test_types.py::test_kernel_returns_what_infer_says": 4,
    "test_types.py::test_operands_have_the_types_of_the_example": 4,
    "test_reference.py::test_reference_agrees_with_the_truth": 3,
    "test_globals_and_closures.py::test_each_call_reads_again": 3,
    "test_composed.py::test_a_whole_is_its_operations": 2,
    "tracebacks/test_entrances.py::test_the_users_lines_are_shown_and_none_of_ours": 3,
    "test_attributes.py::test_each_attribute_reaches_the_text": 2,
    "packages/ir/tests/text/test_parser.py::test_every_primitive_reads_back": 4,
    "packages/ir/tests/analysis/test_roofline.py::test_each_operation_needs_something_sensible": 4,
    "packages/numpy-api/tests/operands/test_promotion.py::test_result_type": 4,
    "packages/treadle/tests/experimental/sparse/test_bcoo.py::test_arrays_of_any_layouts_are_put_together": 3,
    # Programs of the pool under every pair of transformations, in eight contexts, over eight devices.
    "contexts/calls.py::calls": 40,
    "sharding/test_sharding.py::test_arrays": 3,
    "sharding/test_sharding.py::test_memories": 3,
    "sharding/test_sharding.py::test_explicit_axes": 5,
    "sharding/test_sharding.py::test_collectives_over_several_axes": 12,
    "sharding/test_sharding.py::test_pmap_is_vmap": 15,
    "sharding/test_sharding.py::test_programs_of_the_pool": 24,
    "sharding/test_sharding.py::test_shard_map_is_vmap": 15,
    "test_compositions.py::test_composition_agrees_with_numpy": 16,
    # A process for each way to end.
    "faults/test_exit.py::end_in_all_ways": 6,
    # Two or four processes for each case.
    "distributed/test_differences.py::test_a_difference_ends_all_processes_with_its_name": 4,
    # Five hundred rounds each, with a collection of garbage in every twentieth.
    "kept/test_kept.py::test_resident_size_does_not_grow": 3,
    # A call for each value in the place of each argument; a process for each module.
    "hostile/run.py::faults": 60,
    "test_each_module_first.py::modules": 10,
}
SLOW_CASES: Final = Path(__file__).with_name("slow_cases.txt")
SLOW: Final = 0.15  # seconds
LEFT_OUT: Final = pytest.StashKey[Iterable[pytest.Item]]()


def law_of(item: pytest.Item) -> str:
    """Return the law of a test, as the table names it; the law of a package's test begins with `packages/`."""
    root, file = item.config.rootpath, item.path
    for folder in (root / "conformance", root):
        if file.is_relative_to(folder):
            file = file.relative_to(folder)
            break
    function = getattr(item, "originalname", "")
    return f"{file.as_posix()}::{function}"


def divided(
    items: list[pytest.Item], slow: Container[str] | None = None
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that a brief run keeps, and those that it leaves out.

    Args:
        items: all tests, in the order of collection.
        slow: the tests that are left out where others of the same law remain, as `file::name`; the listed ones by
            default.
    """
    slow = slow_cases() if slow is None else slow
    numbers: Counter[str] = Counter()
    chosen: dict[str, list[pytest.Item]] = {}  # of each law, one of every few
    for item in items:
        law = law_of(item)
        if numbers[law] % ONE_OF.get(law, 1) == 0:
            chosen.setdefault(law, []).append(item)
        numbers[law] += 1
    kept: set[pytest.Item] = set()
    for law, cases in chosen.items():
        file = law.partition("::")[0]
        quick = [case for case in cases if f"{file}::{case.name}" not in slow]
        kept.update(quick or cases[:1])
    return [item for item in items if item in kept], [item for item in items if item not in kept]


def slow_cases() -> frozenset[str]:
    """Return the listed cases, as `file::name`."""
    return frozenset(SLOW_CASES.read_text().splitlines())


def slow_in(report: Path) -> list[str]:
    """Return the cases that took more than `SLOW` seconds, as `file::name`.

    Args:
        report: what pytest wrote for `--junitxml`.
    """
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.attrib["classname"].removeprefix("conformance.").replace(".", "/") + ".py"
        if float(case.attrib["time"]) > SLOW:
            found.append(f"{file}::{case.attrib['name']}")
    return sorted(found)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what a brief run leaves out of a package's suite; conformance/conftest.py does so for conformance."""
    items[:], left_out = divided(items)
    config.hook.pytest_deselected(items=left_out)


def kept(law: str, cases: Sequence[T], first: int = 0) -> list[T]:
    """Return the cases of a law, or in a brief run one of every few, as `divided` does.

    Args:
        law: a key of `ONE_OF`, or of a test that has all of its cases in a brief run, too.
        cases: all cases.
        first: the first case that is kept, modulo the number of cases that it represents.
    """
    every = ONE_OF.get(law, 1) if BRIEF else 1
    return [*cases[first % every :: every]]


if __name__ == "__main__":
    slowest = sorted({case for report in sys.argv[1:] for case in slow_in(Path(report))})
    SLOW_CASES.write_text("".join(f"{case}\n" for case in slowest))
