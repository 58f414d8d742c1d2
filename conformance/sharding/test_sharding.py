"""The laws of this folder hold, on eight devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import ran_on
from conformance.sharding import (
    annotations as annotated,
    arrays,
    deferred,
    exchanges,
    exported,
    inferred,
    maps,
    memories,
    mistakes,
    partitioned,
    pmaps,
    pool,
    several_axes,
)
from conformance.sharding.explicit import laws as explicit, within
from conformance.sharding.process import results

raised = ran_on.shared(results)  # a process for each module


@pytest.mark.parametrize("law", pool.LAWS)
def test_programs_of_the_pool(law: str) -> None:
    assert not raised("pool")[law], raised("pool")[law]


@pytest.mark.parametrize("law", annotated.LAWS)
def test_annotations(law: str) -> None:
    assert not raised("annotations")[law], raised("annotations")[law]


@pytest.mark.parametrize("law", arrays.LAWS)
def test_arrays(law: str) -> None:
    assert not raised("arrays")[law], raised("arrays")[law]


@pytest.mark.parametrize("law", memories.LAWS)
def test_memories(law: str) -> None:
    assert not raised("memories")[law], raised("memories")[law]


@pytest.mark.parametrize("law", maps.LAWS)
def test_shard_map_is_vmap(law: str) -> None:
    assert not raised("maps")[law], raised("maps")[law]


@pytest.mark.parametrize("law", inferred.LAWS)
def test_shard_map_within_transformations(law: str) -> None:
    assert not raised("inferred")[law], raised("inferred")[law]


@pytest.mark.parametrize("law", several_axes.LAWS)
def test_collectives_over_several_axes(law: str) -> None:
    assert not raised("several_axes")[law], raised("several_axes")[law]


@pytest.mark.parametrize("law", pmaps.LAWS)
def test_pmap_is_vmap(law: str) -> None:
    assert not raised("pmaps")[law], raised("pmaps")[law]


@pytest.mark.parametrize("law", exchanges.LAWS)
def test_exchanges_are_told(law: str) -> None:
    assert not raised("exchanges")[law], raised("exchanges")[law]


@pytest.mark.parametrize("law", mistakes.LAWS)
def test_mistakes_are_told(law: str) -> None:
    assert not raised("mistakes")[law], raised("mistakes")[law]


@pytest.mark.parametrize("law", partitioned.LAWS)
def test_custom_partitioning(law: str) -> None:
    assert not raised("partitioned")[law], raised("partitioned")[law]


@pytest.mark.parametrize("law", explicit.LAWS)
def test_explicit_axes(law: str) -> None:
    assert not raised("explicit.laws")[law], raised("explicit.laws")[law]


@pytest.mark.parametrize("law", within.LAWS)
def test_functions_over_explicit_axes(law: str) -> None:
    assert not raised("explicit.within")[law], raised("explicit.within")[law]


@pytest.mark.parametrize("law", deferred.LAWS)
def test_sums_that_are_put_off(law: str) -> None:
    assert not raised("deferred")[law], raised("deferred")[law]


@pytest.mark.parametrize("law", exported.LAWS)
def test_exported_functions(law: str) -> None:
    assert not raised("exported")[law], raised("exported")[law]


def test_a_law_can_fail() -> None:
    """A process with one device cannot make the mesh, and reports it for every law."""
    found = results("arrays", TREADLE_NUM_CPU_DEVICES="1")
    assert all("PlacementError" in text for text in found.values())


def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "programs")
    for expected in ("compiled", "found"):
        raised_here = results(
            "cached", EXPECTED=expected, TREADLE_CACHE="1", TREADLE_CACHE_DIR=folder
        )
        assert raised_here == {"found_on_disk": ""}
