"""One program, three layouts over eight devices: the same losses, less memory, other messages.

    python examples/sharded_training/sharded_training.py --plot sharded.png

Eight virtual devices of the CPU stand for eight accelerators.
"""

from __future__ import annotations

import os

os.environ["TREADLE_NUM_CPU_DEVICES"] = "8"  # before treadle starts a backend
os.environ["TREADLE_PLATFORMS"] = "cpu"

import argparse
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

import layouts
import model
import numpy as np

import treadle
from treadle import random

STEPS: Final = 20
SEQUENCES: Final = 32  # in a batch
KINDS: Final = (
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "collective-permute",
)


class Run(NamedTuple):
    """The outcome of training in one layout; bytes are for one device."""

    title: str
    losses: list[float]
    counts: Counter[str]  # collectives of one step
    sent: int  # by them
    parameters: int
    memory: Any


def held(tree: Any, device: Any) -> int:
    """The bytes of a tree's arrays that one device has."""
    return sum(
        shard.data.nbytes
        for array in treadle.tree.leaves(tree)
        for shard in array.addressable_shards
        if shard.device == device
    )


def trained(layout: layouts.Layout, state: model.State, batches: list[Any]) -> Run:
    """Train from a state, with these shardings."""
    shardings = layout.of(state)
    step = treadle.jit(
        model.step,
        in_shardings=(shardings, layout.whole, layout.batch),
        out_shardings=(shardings, layout.whole),
        donate_argnums=0,
    )
    state = treadle.device_put(state, shardings)
    with treadle.set_mesh(layout.mesh):
        compiled = step.lower(state, np.float32(1), batches[0]).compile()
    losses = []
    for number, tokens in enumerate(batches, 1):
        state, value = compiled(state, np.float32(number), tokens)
        losses.append(float(value))
    exchanges = compiled.collectives()
    return Run(
        layout.title,
        losses,
        Counter([each.operation for each in exchanges]),
        sum([each.bytes_sent for each in exchanges]),  # there are no loops: each runs once
        held(state.parameters, treadle.devices()[0]),
        compiled.memory_analysis(),
    )


def table(runs: list[Run]) -> str:
    """A row for each figure, a column for each layout."""
    rows = [["", *[run.title for run in runs]]]
    rows += [
        [f"loss, step {at + 1}", *[f"{run.losses[at]:.6f}" for run in runs]]
        for at in (0, STEPS // 2 - 1, STEPS - 1)
    ]
    rows += [[kind, *[str(run.counts[kind]) for run in runs]] for kind in KINDS]
    figures = {
        "kB sent in a step": lambda run: run.sent,
        "kB of parameters": lambda run: run.parameters,
        "kB of arguments": lambda run: run.memory.argument_size_in_bytes,
        "kB at the peak": lambda run: run.memory.peak_size_in_bytes,
    }
    rows += [
        [name, *[f"{figure(run) / 1e3:,.0f}" for run in runs]] for name, figure in figures.items()
    ]
    return "\n".join(
        f"{first:<19}" + "".join(f"{cell:>15}" for cell in cells) for first, *cells in rows
    )


def draw(runs: list[Run], path: Path) -> None:
    """Losses, collectives and bytes, side by side."""
    import matplotlib  # noqa: PLC0415 - for the picture only

    matplotlib.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after the choice of the backend

    figure, (losses, counts, sizes) = pyplot.subplots(1, 3, figsize=(13, 3.8))
    for run, style in zip(runs, ("-", "--", ":"), strict=True):
        losses.plot(range(1, STEPS + 1), run.losses, style, lw=2.5, label=run.title)
    losses.set(xlabel="step", ylabel="nats", title="losses: one curve")
    losses.legend()
    titles = [run.title for run in runs]
    below = np.zeros(len(runs))
    for kind in KINDS:
        heights = np.array([run.counts[kind] for run in runs])
        if heights.any():
            counts.bar(titles, heights, bottom=below, label=kind)
            below += heights
    counts.set(title="collectives in a step")
    counts.legend()
    parts = {
        "parameters": [run.parameters / 1e6 for run in runs],
        "all arguments": [run.memory.argument_size_in_bytes / 1e6 for run in runs],
        "peak": [run.memory.peak_size_in_bytes / 1e6 for run in runs],
        "sent in a step": [run.sent / 1e6 for run in runs],
    }
    for number, (name, megabytes) in enumerate(parts.items()):
        sizes.bar(np.arange(len(runs)) + 0.2 * number - 0.3, megabytes, 0.2, label=name)
    sizes.set_xticks(range(len(runs)), titles)
    sizes.set(ylabel="MB", title="bytes of one device")
    sizes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Train in each layout, compare, draw."""
    parser = argparse.ArgumentParser(description="one program, three layouts")
    parser.add_argument("--plot", type=Path, help="write a picture of all figures here")
    plot = parser.parse_args().plot
    state = treadle.jit(model.start)(random.key(0))
    some = treadle.jit(model.batch, static_argnums=1)
    batches = [some(key, SEQUENCES) for key in random.split(random.key(1), STEPS)]
    runs = [trained(layout(state), state, batches) for layout in layouts.ALL]
    print(table(runs))
    first, *others = runs
    apart = max(np.abs(np.subtract(run.losses, first.losses)).max() for run in others)
    assert apart < 1e-4, "the layouts should compute the same"
    print(f"the losses of all three differ by {apart:.0e} at most")
    for one, other in zip(runs, others, strict=False):
        assert other.parameters < one.parameters
        assert other.memory.peak_size_in_bytes < one.memory.peak_size_in_bytes
    if plot is not None:
        draw(runs, plot)
        print(f"wrote {plot}")


if __name__ == "__main__":
    main()
