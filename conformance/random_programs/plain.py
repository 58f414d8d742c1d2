# ruff: noqa: F821 - it follows names.py in a script
# mypy: ignore-errors
"""The same helpers with Python's loops and branches: what the transformations must amount to."""


def _rows(operands):
    """The operands of each row."""
    for i in range(2):
        yield [x[i] if isinstance(x, tuple) else x for x in operands]


def _loop(function, *operands):
    return tuple(
        tnp.stack(each) for each in zip(*[function(*row) for row in _rows(operands)], strict=True)
    )


def jitted(function, *operands):
    return function(*operands)


checkpointed = jitted
vmapped = vmapped_last = mapped = _loop


def vmapped_named(function, *operands):
    return tuple(
        tnp.broadcast_to(tnp.sum(y, axis=0).astype(y.dtype), y.shape) if inexact(y) else y
        for y in _loop(function, *operands)
    )


def scanned(function, first, *operands):
    collected = []
    for row in _rows(operands):
        results = function(first, *row)
        first = carry(first, results)
        collected.append(results)
    return first, tuple(tnp.stack(each) for each in zip(*collected, strict=True))


def looped(function, first, *rest):
    for _ in range(2):
        first = carry(first, function(first, *rest))
    return first


repeated = looped


def branched(function, predicate, *operands):
    results = function(*operands)
    return results if bool(predicate) else tuple(tnp.zeros_like(y) for y in results)


def with_own_jvp(function, *operands):
    return tuple(y for y in function(*operands) if inexact(y))


with_own_vjp = with_own_jvp


def referenced(function, first, *rest):
    return looped(function, first, *rest), first


def sharded(function, *operands):
    results = []
    for y in _loop(function, *operands):
        eight = tnp.concatenate([y] * 4)
        if inexact(y):
            eight = tnp.broadcast_to(tnp.sum(eight, axis=0).astype(y.dtype), eight.shape)
        results.append(eight)
    return tuple(results)
