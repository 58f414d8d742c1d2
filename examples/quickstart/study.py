"""The whole study: train one network, find the strangest images, train eight more, write the report."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import model
import numpy as np
import report
import training
from data import Dataset
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import treadle
from treadle_ir import drawing


@contextmanager
def bar(console: Console, title: str, total: int) -> Iterator[Any]:
    """A progress bar with loss and accuracy; yields what moves it on."""
    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(bar_width=18),
        MofNCompleteColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total, shown="")

        def step(loss: float, accuracy: float | None = None) -> None:
            shown = f"loss {loss:.4f}"
            if accuracy is not None:
                shown += f"  accuracy {100 * accuracy:.1f}%"
            progress.update(task, advance=1, shown=shown)

        yield step


def timings() -> list[tuple[str, dict[str, float]]]:
    """Seconds by compiled function and stage, and their sums."""
    rows = [(name, function.spent()) for name, function in training.JITTED.items()]
    sums = {stage: sum(row[stage] for _, row in rows) for stage in rows[0][1]}
    return [*rows, ("together", sums)]


def graphs(parameters: Any, data: Dataset) -> list[tuple[str, str, str]]:
    """Draw the loss of one image as a program, then its gradient, then the gradient of many images."""
    few = data.take(np.arange(min(32, len(data.labels))))
    one = few.images[0], few.labels[0]
    leaves = [f"{layer}.{name}" for layer in sorted(parameters) for name in ("b", "w")]
    names = [*leaves, "image", "label"]
    gradient = treadle.grad(model.loss)
    batched = treadle.vmap(gradient, in_axes=(None, 0, 0))
    shown = []
    for title, function, operands in (
        ("loss", model.loss, one),
        ("grad(loss)", gradient, one),
        ("vmap(grad(loss))", batched, (few.images, few.labels)),
    ):
        program = treadle.make_jaxpr(function)(parameters, *operands).program
        count = len(drawing.flattened(program).equations)
        text = f"{count} operations on one image"
        if title.startswith("vmap"):
            text = f"{count} operations on {len(few.labels)} images at once"
        shown.append((title, text, drawing.svg(program, names, standalone=False)))
    return shown


def run(data: Dataset, out: Path, epochs: int, seed: int, started: float) -> None:
    """Train, look, report; `started` is when the script began."""
    console = Console()
    train_set, held_out = data.split(seed)
    console.print(
        f"{data.title}: {len(data.labels):,} images of {data.images.shape[1]}×{data.images.shape[2]},"
        f" {len(data.names)} classes, {len(held_out.labels):,} held out",
        highlight=False,
        soft_wrap=True,
    )
    with bar(console, "one network", epochs) as step:
        parameters, curves = training.train(train_set, held_out, epochs, seed, step)
    console.print(f"accuracy: {100 * curves.accuracy[-1]:.1f}%", style="bold", highlight=False)

    norms = training.norms_of(parameters, data.images, data.labels)
    scores = training.predicted(parameters, data.images)
    strangest = int(norms.argmax())
    console.print(
        f"strangest image: number {strangest}, a {data.names[data.labels[strangest]]} that looks like"
        f" {data.names[scores[strangest].argmax()]} (gradient norm {norms[strangest]:.3g},"
        f" median {np.median(norms):.2g})",
        highlight=False,
        soft_wrap=True,
    )
    with bar(console, f"{training.MEMBERS} networks at once", epochs) as step:
        ensemble = training.train_many(train_set, held_out, epochs, seed, step)
    together = float(np.mean(ensemble.joint == held_out.labels))
    console.print(f"ensemble of {training.MEMBERS}: {100 * together:.1f}%", highlight=False)

    example = report.most_typical(data, norms)
    filters, seen = training.responses(parameters, example)
    found = report.Findings(
        train_set=train_set,
        held_out=held_out,
        scores=training.predicted(parameters, held_out.images),
        curves=curves,
        everything=data,
        all_scores=scores,
        norms=norms,
        ensemble=ensemble,
        filters=filters,
        example=example,
        seen=seen,
        graphs=graphs(parameters, data),
        timings=timings(),
        weights=sum(leaf.size for leaf in treadle.tree.leaves(parameters)),
        seconds=time.perf_counter() - started,
        versions=f"treadle {treadle.__version__}, NumPy {np.__version__}, "
        f"Python {sys.version.split()[0]}, on {treadle.devices()[0]}. Seed {seed}, "
        f"{epochs} epochs.",
    )
    out.write_text(report.page(found), encoding="utf-8")
    console.print(f"report: {out.resolve()}", soft_wrap=True, highlight=False)
    cached = all(function.from_disk() for function in training.JITTED.values())
    console.print(f"compiled code: {'from the cache on disk' if cached else 'compiled now'}")
    for name, row in found.timings:
        spent = ", ".join(f"{stage} {1000 * value:.0f} ms" for stage, value in row.items())
        console.print(f"{name + ':':<18}{spent}", highlight=False, soft_wrap=True)
    console.print(f"{'everything:':<18}{time.perf_counter() - started:.1f} s", highlight=False)
