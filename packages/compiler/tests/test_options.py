from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from treadle_compiler.compile import options_for
from treadle_compiler.options import (
    CompileOptions,
    CompilerEffortLevel,
    ProgramProfile,
    checked_flags,
    choose,
    unknown_flag,
)
from treadle_ir.errors import ArgumentError


def test_options_are_frozen_and_hashable() -> None:
    options = CompileOptions(flags=(("xla_a", 1),))
    assert hash(options) == hash(CompileOptions(flags=(("xla_a", 1),)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.num_replicas = 2  # type: ignore[misc]


def test_c1_device_ids_match_replicas_and_partitions() -> None:
    CompileOptions(num_replicas=2, num_partitions=2, device_ids=(0, 1, 2, 3))
    with pytest.raises(ArgumentError, match="need 2 device ids, got 1"):
        CompileOptions(num_replicas=2)


def test_c2_a_flag_is_given_once() -> None:
    with pytest.raises(ArgumentError, match="`xla_a` is given twice"):
        CompileOptions(flags=(("xla_a", 1), ("xla_a", 2)))


def test_users_dictionary() -> None:
    options = CompileOptions().with_flags({"xla_b": np.int32(3), "--xla_a": True})
    assert options.flags == (("xla_a", True), ("xla_b", 3))
    assert type(options.flags[1][1]) is int
    assert options.with_flags({"xla_b": "4"}).flags == (("xla_a", True), ("xla_b", "4"))
    assert options.with_flags(None) is options


@pytest.mark.parametrize("bad", [{"xla_a": None}, {"xla_a": [1]}, {3: 4}])
def test_users_dictionary_of_the_wrong_kind(bad: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        checked_flags(bad)


def test_fingerprint_tells_values_apart() -> None:
    variants = [
        CompileOptions(),
        CompileOptions(effort="quick"),
        CompileOptions(effort="light"),
        CompileOptions(barriers=True),
        CompileOptions(flags=(("a", 1),)),
        CompileOptions(flags=(("a", True),)),
        CompileOptions(flags=(("a", "1"),)),
        CompileOptions(flags=(("a", 1.0),)),
        CompileOptions(device_ids=(1,)),
        CompileOptions(num_replicas=2, device_ids=(0, 1)),
        CompileOptions(num_partitions=2, device_ids=(0, 1)),
        CompileOptions(num_partitions=2, device_ids=(1, 0)),
    ]
    assert len({options.fingerprint() for options in variants}) == len(variants)


def test_fingerprint_without_placement() -> None:
    first, second = CompileOptions(device_ids=(0,)), CompileOptions(device_ids=(1,))
    assert first.fingerprint(placement=False) == second.fingerprint(placement=False)
    mesh = CompileOptions(num_partitions=2, device_ids=(0, 1))
    turned = CompileOptions(num_partitions=2, device_ids=(1, 0))
    assert mesh.fingerprint(placement=False) != turned.fingerprint(placement=False)


def test_hints_are_for_the_cpu_and_yield_to_the_user() -> None:
    options = CompileOptions(effort="quick", barriers=True)
    assert dict(options.hints("cpu")) == {
        "xla_backend_optimization_level": 0,
        "xla_cpu_use_fusion_emitters": False,
        "xla_allow_excess_precision": False,
        "xla_disable_hlo_passes": "cse_barrier_expander,small-while-loop-hoisting",
    }
    assert options.hints("cuda") == ()
    asked = options.with_flags({"xla_backend_optimization_level": 3})
    assert "xla_backend_optimization_level" not in dict(asked.hints("cpu"))


@pytest.mark.parametrize(
    ("profile", "effort"),
    [
        (ProgramProfile("cpu", 1, 40), "quick"),
        (ProgramProfile("cpu", 0, 0), "quick"),
        (ProgramProfile("cpu", 16, 64), "quick"),
        (ProgramProfile("cpu", 17, 4), "light"),
        (ProgramProfile("cpu", 16, 65), "light"),
        (ProgramProfile("cpu", 1, 40, has_loop=True), "light"),
        (ProgramProfile("cpu", 512, 40, has_loop=True), "light"),
        (ProgramProfile("cpu", 513, 40, has_loop=True), "full"),
        (ProgramProfile("cpu", 513, 40), "light"),
        (ProgramProfile("cpu", 1, 40, has_big_dot=True), "light"),
        (ProgramProfile("cpu", 1, 4 << 20), "full"),
        (ProgramProfile("cuda", 1, 40), "full"),
    ],
)
def test_choose(profile: ProgramProfile, effort: str) -> None:
    assert choose(profile).effort == effort
    assert not choose(profile).barriers


def test_choose_keeps_barriers_for_checkpoint() -> None:
    assert choose(ProgramProfile("cpu", 50, 8 << 20, keeps_barriers=True)).barriers


def test_passes_switched_off_for_two_reasons_make_one_flag() -> None:
    options = CompileOptions(barriers=True, rewrites=False)
    names = dict(options.hints("cpu"))["xla_disable_hlo_passes"]
    assert str(names).split(",") == ["algsimp", "cse_barrier_expander", "small-while-loop-hoisting"]
    assert dict(options.hints("cuda")) == {"xla_disable_hlo_passes": "algsimp"}
    asked = options.with_flags({"xla_disable_hlo_passes": "cse"})
    assert "xla_disable_hlo_passes" not in dict(asked.hints("cpu"))


def test_unknown_flag_guesses() -> None:
    error = unknown_flag("xla_dump_too", release="1", platform="cpu", known=["xla_dump_to"])
    assert str(error) == "compiler option `xla_dump_too` is not known to jaxlib 1 on cpu"
    assert any("did you mean `xla_dump_to`?" in note for note in error.__notes__)


def test_levels_of_effort_by_three_spellings() -> None:
    profile = ProgramProfile("cpu", 1, 40)
    device = SimpleNamespace(id=0)
    assert options_for(profile, [device]).level == 0
    for level in (CompilerEffortLevel.O1, 19, "O1"):
        options = options_for(profile, [device], {"optimization_level": level, "xla_a": True})
        assert (options.effort, options.level, options.memory_fitting) == ("light", 19, 0)
        assert options.flags == (("xla_a", True),)
        options = options_for(profile, [device], {"memory_fitting_level": level})
        assert (options.effort, options.level, options.memory_fitting) == ("quick", 0, 19)
    unknown = {"optimization_level": CompilerEffortLevel.UNKNOWN}
    assert options_for(profile, [device], unknown) == options_for(profile, [device])


@pytest.mark.parametrize("level", ["O9", 5, True, 1.5, [], np.zeros(2)])
def test_what_is_not_a_level_of_effort(level: object) -> None:
    with pytest.raises(ArgumentError, match=r"`optimization_level`: .* is not a level of effort"):
        options_for(ProgramProfile("cpu", 1, 40), [], {"optimization_level": level})
