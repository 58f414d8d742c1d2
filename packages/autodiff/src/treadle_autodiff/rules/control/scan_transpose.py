"""The transpose of scan: a loop that runs the other way.

It carries the cotangents of the carry and, summed up, the cotangents of the constants; the cotangents of the ys are
among its xs, and the cotangents of the xs are its ys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import or_
from typing import TypeVar, final

from treadle_autodiff.dependence import DEPENDENCE
from treadle_autodiff.programs import (
    TransposedProgram,
    cells_key,
    held_in,
    strong,
    transpose_program,
    transposed_with_cells,
)
from treadle_autodiff.registry import Cotangents, LinearOperands, transpose_rule
from treadle_autodiff.rules.control.operands import filled, nonzero_flags, those
from treadle_autodiff.rules.control.scan import linear_operands, run_known, signature
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, add, materialise, zeros
from treadle_ir import ArrayType, Operand, Operands, Program, UnsupportedError, bind, stage, type_of
from treadle_ir.analysis import backward
from treadle_ir.core import Flags, ScanOperands, unsharded
from treadle_ir.core.dtypes import is_integer
from treadle_ir.primitives.control import Scan
from treadle_ir.process import frozen
from treadle_ir.refs import Cell, store
from treadle_ir.tracing import derived, interpret_unchecked as interpret
from treadle_ir.tree import tree_flatten

T = TypeVar("T")


@final
@frozen(eq=False)
class _TransposedScan:
    """The transpose of a scan's body, whose constants begin with what it captured.

    Its other constants and its xs are known operands. It carries the sums of the constants' cotangents, the cotangents
    of the carry, and what cells hold.
    """

    body: Program
    captured: tuple[Operand, ...]
    given: Flags  # per result of the original body: whether it has a cotangent in some iteration
    returned: Flags  # per operand of the original: whether it has a cotangent


@transpose_rule(Scan)
def scan_transpose(
    primitive: Scan, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The loop the other way; cotangents of constants are summed up in carries.

    Raises:
        UnsupportedError: the loop is linear in integers, as `linear_transpose` may be asked for.
    """
    linear = tuple([isinstance(operand, Linear) for operand in operands])
    for operand in operands:
        type = operand.type if isinstance(operand, Linear) else None
        # The transposed loop is made of derivatives, and integers have none.
        if isinstance(type, ArrayType) and is_integer(type.dtype):
            raise UnsupportedError(
                f"linear_transpose: a loop is linear in an operand of type {type}, "
                "but only loops of floating and complex numbers are transposed",
                fix="transpose it at a float: linear_transpose(f, x.astype(float))",
            )
    # If all carries depend on linear operands, the body needs no analysis.
    if not all(primitive.operand_groups(linear).carry):
        (depends,) = DEPENDENCE.within(primitive, linear).parameters
        if not all(primitive.operand_groups(depends).carry):
            return _transpose_with_known_carry(primitive, cotangents, operands, linear)
    return _with_cells(primitive, cotangents, operands)


def _with_cells(scan: Scan, cotangents: Tangents, operands: LinearOperands) -> Cotangents:
    """The transposed loop, of linear carries; backward rules of users in its body may write to references."""
    return transposed_with_cells(
        scan.body,
        ("scan", *signature(scan, tuple(_linear(operands)), nonzero_flags(cotangents))),
        lambda cells: _transposed(scan, cotangents, operands, cells),
    )


def _transposed(
    scan: Scan,
    cotangents: Tangents,
    operands: LinearOperands,
    cells: tuple[Cell, ...],
) -> Cotangents:
    """The transposed loop, of linear carries; it carries what cells hold that are used in its body."""
    consts, carry, xs = scan.operand_groups(operands)
    is_linear = ScanOperands(_linear(consts), [True] * len(carry), _linear(xs)).flat()
    nonzero = nonzero_flags(cotangents)
    loop = derived(
        scan.body,
        ("scan_transpose", *signature(scan, is_linear, nonzero), *cells_key(cells)),
        lambda: _transpose_scan(scan, is_linear, nonzero, cells),
    )
    held, structure = tree_flatten([cell.load() for cell in cells])
    returned = scan.operand_groups(loop.returned)
    ct_carry, ct_ys = scan.result_groups(cotangents).where(scan.result_groups(loop.given))
    of_transposed: ScanOperands[Operand] = ScanOperands(
        consts=[*loop.captured, *_known(consts)],
        carry=[
            *[zeros(x.type.tangent()) for x in those(consts, returned.consts)],
            *map(materialise, ct_carry),
            *map(strong, held),
        ],
        xs=[*_known(xs), *map(materialise, ct_ys)],
    )
    transposed = scan.with_body(loop.body, of_transposed, reverse=not scan.reverse)
    outputs = iter(bind(transposed, *of_transposed.flat()))
    to_consts = _cotangents(consts, returned.consts, outputs)
    to_carry = _cotangents(carry, scan.result_groups(loop.given).carry, outputs)
    store(cells, structure.unflatten([next(outputs) for _ in held]))
    return [*to_consts, *to_carry, *_cotangents(xs, returned.xs, outputs)]


def _linear(operands: LinearOperands) -> list[bool]:
    return [isinstance(x, Linear) for x in operands]


def _known(operands: LinearOperands) -> list[Operand]:
    return [x for x in operands if not isinstance(x, Linear)]


def _cotangents(
    operands: LinearOperands, returned: Sequence[bool], outputs: Iterator[Operand]
) -> Cotangents:
    """Return the cotangents of operands, which are among the outputs where they are returned; None of known ones."""
    cotangents: list[Tangent | None] = []
    for x, flag in zip(operands, returned, strict=True):
        ct = next(outputs) if flag else None
        if not isinstance(x, Linear):
            cotangents.append(None)  # of zeros that a carry is at first, too
        else:
            cotangents.append(Zero(x.type.tangent()) if ct is None else ct)
    return cotangents


def _transpose_with_known_carry(
    scan: Scan,
    cotangents: Tangents,
    operands: LinearOperands,
    linear: Flags,
) -> Cotangents:
    """Transpose a loop that also carries known values, a counter for example.

    The loop is linear in the `Linear` operands, so it is its own derivative at zero. Linearizing it there
    runs the known carries and leaves a loop that carries nothing else than linear values: it is transposed as such,
    without asking again what depends on what, though a body may well return zeros for some of its carries.
    """
    primals = [zeros(x.type) if isinstance(x, Linear) else x for x in operands]
    _, split, residuals = run_known(scan, primals, linear)
    given = those(cotangents, split.returned)
    if all([isinstance(ct, Zero) for ct in given]):
        return [Zero(x.type.tangent()) if isinstance(x, Linear) else None for x in operands]
    tangents = [x if isinstance(x, Linear) else zeros(type_of(x).tangent()) for x in operands]
    of_linear = linear_operands(scan, split, residuals, tangents)
    loop, flat = scan.with_body(split.linear, of_linear), of_linear.flat()
    outgoing = _with_cells(loop, given, flat)
    found = iter(those(outgoing, _linear(flat)))
    return [next(found) if flag else None for flag in linear]


def _transpose_scan(
    scan: Scan, linear: Flags, nonzero: Flags, cells: tuple[Cell, ...] = ()
) -> _TransposedScan:
    body = scan.body

    def transposed(given: Flags) -> TransposedProgram:
        return transpose_program(body, linear, given, cells=cells)

    def cotangents(_: Program, given: Flags) -> Flags:
        return filled(linear, transposed(given).nonzero)

    found = backward(scan.flows(), nonzero, cotangents, or_, bottom=False)
    (given,), (returned,) = found.returned, found.parameters
    transpose = transposed(given)
    to_consts, to_carry, to_xs = scan.operand_groups(returned)
    carried, _ = scan.result_groups(given)
    consts, carry, _ = scan.operand_groups(body.parameter_types)
    sum_types = [type.tangent() for type in those(consts, to_consts)]
    # The transpose takes what it captured, what cells hold, known constants and xs, then cotangents; a scan wants
    # the carry before the xs.
    captured, (held, _) = len(transpose.captured), held_in(cells)
    known_consts, _, known_xs = scan.operand_groups([not flag for flag in linear])
    types = [*transpose.program.parameter_types]
    del types[captured : captured + len(held)]
    fixed_types, x_types, ct_types, y_types = _cut(
        types, captured + sum(known_consts), sum(known_xs), sum(carried)
    )

    def iteration(*operands: Operand) -> Operands:
        fixed, so_far, incoming, values, elements, ys = _cut(
            operands, len(fixed_types), len(sum_types), len(ct_types), len(held), len(x_types)
        )
        first = [*fixed[:captured], *values, *fixed[captured:]]
        outputs = iter(interpret(transpose.program, *first, *elements, *incoming, *ys))
        summed = [materialise(add(x, next(outputs))) for x in so_far]
        outgoing = [
            next(outputs) if flag else zeros(type.tangent())
            for type, flag in zip(carry, to_carry, strict=True)
        ]
        of_xs = [next(outputs) for flag in to_xs if flag]
        return [*summed, *those(outgoing, carried), *outputs, *of_xs]

    given_types = (*fixed_types, *sum_types, *ct_types, *held, *x_types, *y_types)
    staged = stage(iteration, *unsharded(given_types))
    assert not staged.captured, "an iteration takes everything as operands"
    return _TransposedScan(staged.program, transpose.captured, given, returned)


def _cut(items: Sequence[T], *lengths: int) -> list[Sequence[T]]:
    """Return parts of a list with these lengths, and the rest."""
    ends = [0, *accumulate(lengths)]
    return [*[items[i:j] for i, j in pairwise(ends)], items[ends[-1] :]]
