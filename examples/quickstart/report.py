"""The report: one HTML page that holds everything it shows and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np
from data import Dataset, Floats, Ints
from pictures import Chart, image, signed
from training import Curves, Ensemble

STYLE: Final = Path(__file__).with_name("report.css")
SHOWN: Final = 18  # strange images
MISTAKES: Final = 9
SPLIT: Final = 9  # images that the ensemble is split about


@dataclass(frozen=True)
class Findings:
    """What the page is about."""

    train_set: Dataset
    held_out: Dataset
    scores: Floats  # of the held-out images
    curves: Curves
    everything: Dataset  # what the next two speak about: training images and held-out ones
    all_scores: Floats
    norms: Floats
    ensemble: Ensemble
    filters: Floats
    example: Floats
    seen: Floats
    graphs: Sequence[tuple[str, str, str]]  # title, what it says, picture
    timings: Sequence[tuple[str, dict[str, float]]]
    weights: int
    seconds: float
    versions: str


def percent(share: float) -> str:
    """`98.6%`."""
    return f"{100 * share:.1f}%"


def section(title: str, text: str, *body: str) -> str:
    """A card with a heading, a sentence or two, and pictures."""
    return f"<section><h2>{title}</h2><p>{text}</p>{''.join(body)}</section>"


def tiles(found: Findings) -> str:
    """The figures at the top."""
    joint = float(np.mean(found.ensemble.joint == found.held_out.labels))
    shown = [
        (percent(found.curves.accuracy[-1]), "accuracy on held-out images"),
        (percent(joint), f"by {len(found.ensemble.votes)} networks together"),
        (f"{len(found.train_set.labels):,}", "images to learn from"),
        (f"{len(found.held_out.labels):,}", "images held out"),
        (f"{found.weights:,}", "weights in one network"),
        (f"{found.seconds:.1f} s", "from start to report"),
    ]
    return '<div class="tiles">{}</div>'.format(
        "".join(f"<div><b>{value}</b><span>{name}</span></div>" for value, name in shown)
    )


def learning(found: Findings) -> str:
    """Loss and accuracy by epoch."""
    curves, members = found.curves, found.ensemble.losses
    count = len(curves.accuracy)
    epochs = [float(i) for i in range(1, count + 1)]
    losses = [*curves.train_loss, *curves.held_out_loss, *map(float, members.ravel())]
    low, high = max(min(losses) / 1.3, 1e-6), max(losses) * 1.15
    loss = Chart((1, max(count, 2)), (low, max(high, low * 12)), x_label="epoch", logarithmic=True)
    for member in members.T:
        loss.line(
            [float(i) for i in range(1, len(member) + 1)], [float(v) for v in member], "faint"
        )
    loss.line(epochs, curves.train_loss, "blue")
    loss.line(epochs, curves.held_out_loss, "warm")
    floor = max(0.0, min(min(curves.accuracy), 0.9) - 0.02)
    accuracy = Chart(
        (1, max(count, 2)), (100 * floor, 100), x_label="epoch", y_format="{:g}%".format
    )
    accuracy.line(epochs, [100 * value for value in curves.accuracy], "warm")
    return section(
        "Learning",
        "Each epoch is one call of one compiled program: a <code>scan</code> over batches of"
        " <code>value_and_grad</code> and Adam, the state's memory donated from call to call.",
        '<div class="pair"><figure><figcaption>Loss'
        '<span class="key blue">training</span><span class="key warm">held out</span>'
        '<span class="key faint">ensemble</span></figcaption>',
        loss.svg("Loss by epoch"),
        '</figure><figure><figcaption>Accuracy<span class="key warm">held out</span></figcaption>',
        accuracy.svg("Accuracy by epoch"),
        "</figure></div>",
    )


def confusion(found: Findings) -> str:
    """Show which class was taken for which."""
    names, labels = found.held_out.names, found.held_out.labels
    table = np.zeros((len(names), len(names)), int)
    np.add.at(table, (labels, found.scores.argmax(axis=1)), 1)
    wrong = int(table.sum() - np.trace(table))
    text = (
        f"Rows are the true classes of the {len(labels):,} held-out images, columns what the"
        f" network says. {wrong} {'is' if wrong == 1 else 'are'} off the diagonal."
    )
    if len(names) > 20:
        pairs = [(table[i, j], i, j) for i, j in np.argwhere(table) if i != j]
        rows = "".join(
            f"<tr><td>{escape(names[i])}</td><td>{escape(names[j])}</td><td>{count}</td></tr>"
            for count, i, j in sorted(pairs, reverse=True)[:12]
        )
        head = "<tr><th>class</th><th>taken for</th><th>images</th></tr>"
        return section("Confusion", text, f'<table class="plain">{head}{rows}</table>')
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = ""
    for i, row in enumerate(table):
        cells = ""
        for j, count in enumerate(row):
            share = count / max(row.sum(), 1)
            strength = 0.12 + 0.78 * share if i == j else min(1.0, 0.25 + 3 * share)
            style = f' class="{"right" if i == j else "wrong"}" style="--s:{strength:.2f}"'
            cells += f"<td{style if count else ''}>{count if count else '·'}</td>"
        body += f"<tr><th>{escape(names[i])}</th>{cells}</tr>"
    return section(
        "Confusion",
        text,
        f'<div class="aside"><table class="confusion"><tr><th></th>{head}</tr>{body}</table>',
        mistakes(found),
        "</div>",
    )


def mistakes(found: Findings) -> str:
    """The held-out images that were taken for something else, and how sure the network was."""
    labels, scores = found.held_out.labels, found.scores
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    sure = shares.max(axis=1) / shares.sum(axis=1)
    rows = np.flatnonzero(scores.argmax(axis=1) != labels)
    cards = "".join(
        f"<figure>{image(found.held_out.images[row], 'a mistake')}<figcaption>"
        f"{escape(found.held_out.names[labels[row]])}"
        f' <span class="bad">taken for {escape(found.held_out.names[scores[row].argmax()])}</span>'
        f"<small>{percent(float(sure[row]))} sure</small></figcaption></figure>"
        for row in rows[np.argsort(-sure[rows])][:MISTAKES]
    )
    if not cards:
        return "<div><h3>Mistakes</h3><p>None.</p></div>"
    return f'<div><h3>Mistakes</h3><div class="cards">{cards}</div></div>'


def strange(found: Findings) -> str:
    """The images that would move the network most."""
    data, norms = found.everything, found.norms
    order = np.argsort(-norms)[:SHOWN]
    guesses = found.all_scores.argmax(axis=1)
    cards = ""
    for row in order:
        label, guess = data.names[data.labels[row]], data.names[guesses[row]]
        verdict = (
            f'<span class="good">{escape(label)}</span>'
            if label == guess
            else f'{escape(label)} <span class="bad">taken for {escape(guess)}</span>'
        )
        cards += (
            f"<figure>{image(data.images[row], f'image {row}')}"
            f"<figcaption>{verdict}<small>{norms[row]:.3g}</small></figcaption></figure>"
        )
    return section(
        "The strangest images",
        "How far would one image alone move the weights? <code>vmap(grad(loss))</code> answers for"
        f" all {len(norms):,} at once. These move them most; what is easy for the network hardly"
        " moves it. The number is the norm of the image's own gradient.",
        f'<div class="cards">{cards}</div>',
        norm_histogram(norms),
    )


def norm_histogram(norms: Floats) -> str:
    """Show the distribution of gradient norms, on a logarithmic axis."""
    logs = np.log10(np.maximum(norms, max(float(norms.max()) * 1e-12, 1e-30)))
    low, high = float(np.floor(logs.min())), float(np.ceil(logs.max() + 1e-9))
    counts, edges = np.histogram(logs, bins=48, range=(low, max(high, low + 1)))
    chart = Chart(
        (low, max(high, low + 1)),
        (0, float(counts.max()) * 1.08),
        x_label="gradient norm",
        x_format=lambda power: f"{10**power:g}",
        size=(1060, 190),
    )
    limit = np.sort(logs)[-min(SHOWN, len(logs))]
    for i, count in enumerate(counts):
        style = "warm" if edges[i + 1] > limit else "blue"
        chart.bar(float(edges[i]), float(edges[i + 1]), float(count), style)
    return (
        '<figure class="below"><figcaption>Images by gradient norm'
        '<span class="key blue">all</span><span class="key warm">where those above are</span>'
        f"</figcaption>{chart.svg('Histogram of gradient norms')}</figure>"
    )


def first_layer(found: Findings) -> str:
    """Filters, and what they make of one image."""
    cards = "".join(
        f"<figure>{signed(one, f'filter {i}')}{image(seen / max(float(found.seen.max()), 1e-9))}</figure>"
        for i, (one, seen) in enumerate(zip(found.filters, found.seen, strict=True))
    )
    return section(
        "What the first layer looks for",
        "Sixteen windows of 3 by 3 weights, <span class='swatch warm'></span> for ink wanted and"
        " <span class='swatch cool'></span> for paper wanted, and below each what it sees in the"
        " image on the left.",
        f'<div class="filters"><figure class="example">{image(found.example, "the image")}</figure>'
        f'<div class="cards small">{cards}</div></div>',
    )


def together(found: Findings) -> str:
    """The ensemble's members, and what they are split about."""
    labels, votes, joint = found.held_out.labels, found.ensemble.votes, found.ensemble.joint
    each = [float(np.mean(vote == labels)) for vote in votes]
    jointly = float(np.mean(joint == labels))
    rows = "".join(
        f'<tr><th>{name}</th><td><i class="{style}" style="--w:{share:.4f}"></i></td>'
        f"<td>{percent(share)}</td></tr>"
        for name, share, style in [
            *((f"network {i + 1}", share, "blue") for i, share in enumerate(each)),
            ("all together", jointly, "warm"),
        ]
    )
    low = max(0.0, min(*each, jointly) - 0.02)
    agreement = (votes == labels).mean(axis=0)
    order = np.argsort(agreement, kind="stable")[:SPLIT]
    cards = ""
    for row in order:
        values, counts = np.unique(votes[:, row], return_counts=True)
        said = ", ".join(
            f"<span class='whole'>{escape(found.held_out.names[value])} ×&thinsp;{count}</span>"
            for value, count in sorted(
                zip(values, counts, strict=True), key=lambda pair: (-pair[1], pair[0])
            )
        )
        label = escape(found.held_out.names[labels[row]])
        cards += (
            f"<figure>{image(found.held_out.images[row], f'a {label}')}"
            f"<figcaption>{label}<small>{said}</small></figcaption></figure>"
        )
    return section(
        f"{len(votes)} networks at once",
        "<code>vmap</code> over the very same training function: weights, Adam's means and random"
        " keys get a leading axis, the images do not. Held-out accuracy of each, and of their mean"
        f" probabilities (the axis starts at {percent(low)}):",
        f'<table class="bars" style="--low:{low:.4f}">{rows}</table>',
        "<h3>What they find hardest</h3><p>The true class, and what the networks say.</p>",
        f'<div class="cards">{cards}</div>',
    )


def programs(found: Findings) -> str:
    """The loss as a program, and what the transformations make of it."""
    kinds = "".join(
        f'<span class="op-key {kind}">{name}</span>'
        for kind, name in [
            ("input", "input"),
            ("contract", "contraction"),
            ("plain", "arithmetic"),
            ("reduce", "reduction"),
            ("choose", "choice"),
            ("move", "movement"),
            ("output", "result"),
        ]
    )
    figures = "".join(
        f"<figure style='flex-basis:{width_of(picture)}px'>"
        f"<figcaption><code>{escape(title)}</code><small>{escape(text)}</small>"
        f"</figcaption>{picture}</figure>"
        for title, text, picture in found.graphs
    )
    return section(
        "The program, before and after",
        "<code>make_jaxpr</code> writes a Python function down as a typed program; <code>grad</code>"
        " and <code>vmap</code> make new programs of it. Data flows downwards. Point at an operation"
        " to see what it makes and which line asked for it.",
        f'<div class="kinds">{kinds}</div><div class="graphs">{figures}</div>',
    )


def width_of(picture: str) -> int:
    """The natural width of an SVG, so that pictures side by side shrink alike."""
    return int(picture.split('width="')[1].split('"', maxsplit=1)[0])


def times(found: Findings) -> str:
    """Show where the time was spent."""
    columns = list(found.timings[0][1]) if found.timings else []
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = "".join(
        f"<tr><th><code>{escape(name)}</code></th>"
        + "".join(f"<td>{milliseconds(row[column])}</td>" for column in columns)
        + "</tr>"
        for name, row in found.timings
    )
    return section(
        "Where the time went",
        "Milliseconds by compiled function. Compilation is for the first run only: the next one"
        " finds the executables in the cache on disk.",
        f'<div class="scroll"><table class="plain times"><tr><th>function</th>{head}</tr>{rows}'
        "</table></div>",
    )


def milliseconds(seconds: float) -> str:
    """`1,234` or `0.4`."""
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def page(found: Findings) -> str:
    """The whole page."""
    title = escape(found.train_set.title)
    parts: list[Any] = [tiles, learning, confusion, strange, first_layer, together, programs, times]
    body = "".join(part(found) for part in parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title} · treadle</title><style>{STYLE.read_text()}</style></head><body><main>"
        f"<header><p>treadle quickstart</p><h1>{title}</h1></header>{body}"
        f"<footer>{escape(found.versions)}</footer></main></body></html>\n"
    )


def most_typical(data: Dataset, norms: Floats) -> Floats:
    """An image that is easy for the network and has much ink: good to show filters on."""
    ink = data.images.mean(axis=(1, 2))
    easy = norms <= np.median(norms)
    best: Ints = np.argsort(-np.where(easy, ink, 0))[:1].astype(np.int32)
    chosen: Floats = data.images[best[0]]
    return chosen
