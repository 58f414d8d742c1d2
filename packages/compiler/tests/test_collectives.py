"""Exchanges are found wherever a text has them, with the bytes that the ring algorithms send."""

from __future__ import annotations

import pytest

from treadle_compiler import Collective, read_collectives

TEXT = """\
HloModule main, is_scheduled=true, entry_computation_layout={(f32[4,32]{1,0})->f32[4,32]{1,0}}, num_partitions=8

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}

%scattered (given: bf16[16]) -> bf16[2] {
  %given = bf16[16]{0} parameter(0)
  ROOT %reduce-scatter.1 = bf16[2]{0} reduce-scatter(%given), replica_groups={}, to_apply=%add
}

%inner (p.1: f32[4,32]) -> f32[4,32] {
  %p.1 = f32[4,32]{1,0:T(8,128)} parameter(0)
  ROOT %all-reduce.7 = f32[4,32]{1,0} all-reduce(%p.1), replica_groups=[2,4]<=[8], metadata={op_name="jit(f)/psum"}
}

%again (p.2: f32[4,32]) -> pred[] {
  %p.2 = f32[4,32]{1,0} parameter(0)
  %ends = pred[3]{0} constant({...})
  ROOT %collective-broadcast.1 = pred[3]{0} collective-broadcast(%ends), replica_groups={{0,1,2,3,4,5,6,7}}
}

%outer (p.3: f32[4,32]) -> f32[4,32] {
  %p.3 = f32[4,32]{1,0} parameter(0)
  ROOT %w = f32[4,32]{1,0} while(%p.3), body=%inner, condition=%again, backend_config={"known_trip_count":{"n":"5"}}
}

%always (p.4: f32[4,32]) -> pred[] {
  %p.4 = f32[4,32]{1,0} parameter(0)
  ROOT %yes = pred[] constant(true)
}

%unknown (p.5: f32[4,32]) -> f32[4,32] {
  %p.5 = f32[4,32]{1,0} parameter(0)
  ROOT %collective-permute.2 = f32[4,32]{1,0} collective-permute(%p.5), source_target_pairs={{0,1},{1,0}}
}

%never (p.6: s4[5]) -> s4[40] {
  %p.6 = s4[5]{0} parameter(0)
  ROOT %all-gather.2 = s4[40]{0} all-gather(%p.6), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
}

ENTRY %main (a: f32[4,32], b: bf16[16], c: c64[3]) -> f32[4,32] {
  %a = f32[4,32]{1,0} parameter(0)
  %b = bf16[16]{0} parameter(1)
  %c = c64[3]{0} parameter(2)
  %all-gather-start.1 = (f32[4,32]{1,0}, f32[8,32]{1,0}) all-gather-start(%a), replica_groups=[4,2]<=[8], dimensions={0}
  %all-gather-done.1 = f32[8,32]{1,0} all-gather-done(%all-gather-start.1)
  %reduce-scatter-start.1 = ((bf16[16]{0}), bf16[2]{0}) async-start(%b), calls=%scattered
  %reduce-scatter-done.1 = bf16[2]{0} async-done(%reduce-scatter-start.1), calls=%scattered
  %all-to-all.1 = (f32[4,32]{1,0}, /*index=1*/c64[3]{0}) all-to-all(%a, /*index=1*/%c), replica_groups=[4,2]<=[8]
  %while.2 = f32[4,32]{1,0} while(%a), condition=%always, body=%outer, backend_config={"known_trip_count":{"n":"3"}}
  %while.3 = f32[4,32]{1,0} while(%a), condition=%always, body=%unknown
  ROOT %conditional.1 = f32[4,32]{1,0} conditional(%c, %a, %a), branch_computations={%inner, %outer}
}
"""


def test_every_exchange_of_a_text() -> None:
    found = {each.operation: each for each in read_collectives(TEXT)}
    assert list(found) == [
        *("reduce-scatter", "all-reduce", "collective-broadcast", "collective-permute"),
        *("all-gather", "all-to-all"),
    ]
    shown = {
        name: (each.operands, each.group_size, each.times, each.bytes_sent)
        for name, each in found.items()
        if name != "all-gather"
    }
    matrix = "f32[4,32]"
    assert shown == {
        "reduce-scatter": (("bf16[16]",), 8, 1, 28),
        # In two loops, 3 times 5, and again in both branches: once, and 5 times.
        "all-reduce": ((matrix,), 4, 3 * 5 + 1 + 5, 768),
        "collective-broadcast": (("pred[3]",), 8, 3 * 6 + 6, 3),
        "collective-permute": ((matrix,), 2, None, 512),
        "all-to-all": ((matrix, "c64[3]"), 2, 1, (512 + 24) // 2),
    }
    assert found["all-reduce"].name == "jit(f)/psum"
    never, gathered = (each for each in read_collectives(TEXT) if each.operation == "all-gather")
    assert (never.times, never.bytes_sent) == (0, 3 * 7)
    assert (gathered.operands, gathered.times, gathered.bytes_sent) == ((matrix,), 1, 512)


def test_how_they_read() -> None:
    shown = {each.operation: str(each) for each in read_collectives(TEXT)}
    assert shown["all-reduce"] == "all-reduce of f32[4,32] among 4: 768 bytes, 21 times"
    assert shown["all-gather"] == "all-gather of f32[4,32] among 2: 512 bytes"
    assert (
        shown["collective-permute"]
        == "collective-permute of f32[4,32] among 2: 512 bytes, in a loop"
    )


def sent_in_a_ring(operation: str, devices: int, size: int) -> int:
    """The bytes that device 0 sends, by doing it: who needs which piece next, hop by hop along the ring."""
    sent = 0
    if operation in ("reduce-scatter", "all-reduce"):  # partial sums of size/devices go round once
        sent += sum(size // devices for _ in range(devices - 1))
    if operation == "all-reduce":  # and then the whole sums
        size //= devices
    if operation in ("all-gather", "all-reduce"):  # each hop passes on what came by the hop before
        known = {0}
        while len(known) < devices:
            sent += size
            known.add(len(known))
    if operation == "all-to-all":  # a piece for each other device
        sent += sum(size // devices for other in range(devices) if other)
    return sent


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("operation", ["all-reduce", "all-gather", "reduce-scatter", "all-to-all"])
def test_bytes_are_those_of_a_ring(operation: str, devices: int) -> None:
    group = tuple(range(devices))
    given = Collective(operation, ("f32[24]", "s32[24]"), (group,), 1, "")
    assert given.operand_bytes == 192
    assert given.bytes_sent == sent_in_a_ring(operation, devices, 192)


def test_who_tells_only_itself_sends_nothing() -> None:
    pairs = ((0, 0), (1, 1))
    assert Collective("collective-permute", ("f32[4]",), pairs, 1, "").bytes_sent == 0
    assert Collective("collective-permute", ("f32[4]",), (), 1, "").bytes_sent == 0


def test_a_text_without_any() -> None:
    assert read_collectives("") == []
    assert read_collectives("HloModule m\n\nENTRY %main () -> f32[] {\n}\n") == []
