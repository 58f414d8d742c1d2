# ruff: noqa: F821 - it follows names.py in a script
# mypy: ignore-errors
"""The helpers of random programs with transformations, as source: it follows names.py in a script."""


def stacked(operand):
    """A pair of rows as an array; anything else as it is."""
    return tnp.stack(operand) if isinstance(operand, tuple) else operand


def axes(operands):
    return tuple(0 if isinstance(x, tuple) else None for x in operands)


def split(function, operands):
    """A function of the mapped operands alone, and these, stacked."""
    places = [i for i, x in enumerate(operands) if isinstance(x, tuple)]

    def of_rows(xs):
        given = dict(zip(places, xs, strict=True))
        return function(*[given.get(i, x) for i, x in enumerate(operands)])

    return of_rows, tuple(stacked(operands[i]) for i in places)


def jitted(function, *operands):
    return treadle.jit(function)(*operands)


def checkpointed(function, *operands):
    return treadle.checkpoint(function)(*operands)


def vmapped(function, *operands):
    return treadle.vmap(function, in_axes=axes(operands))(*[stacked(x) for x in operands])


def vmapped_last(function, *operands):
    moved = [tnp.stack(x, axis=-1) if isinstance(x, tuple) else x for x in operands]
    places = tuple(-1 if isinstance(x, tuple) else None for x in operands)
    return treadle.vmap(function, in_axes=places)(*moved)


def vmapped_named(function, *operands):
    def summed_over_rows(*xs):
        return tuple(lax.psum(y, "rows") if inexact(y) else y for y in function(*xs))

    named = treadle.vmap(summed_over_rows, in_axes=axes(operands), axis_name="rows")
    return named(*[stacked(x) for x in operands])


def mapped(function, *operands):
    of_rows, rows_of = split(function, operands)
    return lax.map(of_rows, rows_of)


def scanned(function, first, *operands):
    def step(before, rows_of):
        given = iter(rows_of)
        results = function(before, *[next(given) if isinstance(x, tuple) else x for x in operands])
        return carry(before, results), results

    return lax.scan(step, first, [stacked(x) for x in operands if isinstance(x, tuple)])


def looped(function, first, *rest):
    return lax.fori_loop(0, 2, lambda i, before: carry(before, function(before, *rest)), first)


def repeated(function, first, *rest):
    def step(state):
        return state[0] + 1, carry(state[1], function(state[1], *rest))

    return lax.while_loop(lambda state: state[0] < 2, step, (0, first))[1]


def branched(function, predicate, *operands):
    return lax.cond(
        predicate,
        lambda *xs: function(*xs),
        lambda *xs: treadle.tree.map(tnp.zeros_like, function(*xs)),
        *operands,
    )


def with_own_jvp(function, *operands):
    of_inexact, primals = smooth(function, operands)
    own = treadle.custom_jvp(of_inexact)
    own.defjvp(lambda given, tangents: treadle.jvp(of_inexact, given, tangents))
    return own(*primals)


def with_own_vjp(function, *operands):
    of_inexact, primals = smooth(function, operands)
    own = treadle.custom_vjp(of_inexact)
    own.defvjp(lambda *xs: treadle.vjp(of_inexact, *xs), lambda back, given: back(given))
    return own(*primals)


def referenced(function, first, *rest):
    reference = treadle.new_ref(first)

    def step(i, done):
        reference[...] = carry(reference[...], function(reference[...], *rest))
        return done + 1

    lax.fori_loop(0, 2, step, 0)
    before = treadle.ref.swap(reference, ..., first)
    return before, reference[...]


def sharded(function, *operands):
    automatic = (treadle.sharding.AxisType.Auto,)
    mesh = treadle.make_mesh((8,), ("rows",), axis_types=automatic)

    def shard(*xs):
        given = [x[0] if isinstance(o, tuple) else x for x, o in zip(xs, operands, strict=True)]
        results = function(*given)
        return tuple((lax.psum(y, "rows") if inexact(y) else y)[None] for y in results)

    specs = tuple(treadle.P("rows") if isinstance(x, tuple) else treadle.P() for x in operands)
    rows_of = [tnp.stack(x * 4) if isinstance(x, tuple) else x for x in operands]
    every = treadle.shard_map(
        shard, mesh=mesh, in_specs=specs, out_specs=treadle.P("rows"), check_vma=False
    )
    return every(*rows_of)
