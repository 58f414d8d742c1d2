from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import Operand, Program, bind, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.primitives.call import Call
from treadle_ir.rewrite import unpromised
from treadle_ir.testing.examples import array_type

VECTOR, PAIR = array_type("f64[3]"), array_type("i32[2,1]")
POINTS: Any = {
    "mode": "promise_in_bounds",
    "indices_are_sorted": True,
    "unique_indices": True,
}


def taken(x: Operand, i: Operand, **promises: Any) -> Operand:
    return ops.gather(
        x,
        i,
        offset_dims=(),
        collapsed_slice_dims=(0,),
        start_index_map=(0,),
        slice_sizes=(1,),
        **promises,
    )


def added(x: Operand, i: Operand, u: Operand, **promises: Any) -> Operand:
    return ops.scatter_add(
        x,
        i,
        u,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        **promises,
    )


def program(**promises: Any) -> Program:
    inner = stage(lambda x, i: [taken(x, i, **promises)], VECTOR, PAIR).program
    return stage(
        lambda x, i: [added(x, i, bind(Call(inner), x, i)[0], **promises)], VECTOR, PAIR
    ).program


def test_promises_go_also_from_nested_programs() -> None:
    promising = program(**POINTS)
    found = unpromised(promising)
    verify(found)
    for word in ("promise_in_bounds", "indices_are_sorted=True", "unique_indices=True"):
        assert word in str(promising)
        assert word not in str(found)
    assert unpromised(promising) is found
    assert unpromised(found) is found


def test_what_promises_nothing_stays_itself() -> None:
    plain = program()
    assert unpromised(plain) is plain


def test_results_are_the_same_where_the_promise_holds() -> None:
    x, i = np.array([1.0, 2.0, 3.0]), np.array([[0], [2]], np.int32)
    for each in (program(**POINTS), unpromised(program(**POINTS))):
        (result,) = bind(Call(each), x, i)
        np.testing.assert_array_equal(result, [2.0, 2.0, 6.0])
