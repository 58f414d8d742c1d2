"""Inject faults: `python -m conformance.mutants --sample 40 --seed 7`, `--named`, `--survivors`."""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conformance.mutants import named
from conformance.mutants.again import is_in_place
from conformance.mutants.cover import Step, tests_of
from conformance.mutants.draw import drawn
from conformance.mutants.known import KNOWN
from conformance.mutants.report import RESULTS, rates, read, verdict, write
from conformance.mutants.run import BUDGET, ENDS, HANGS, Outcome, Tree
from conformance.mutants.site import ROOT, Site


def main(arguments: list[str]) -> int:
    """Run the faults that `arguments` select; fail if a fault survives that `known.py` does not explain."""
    parser = argparse.ArgumentParser(prog="python -m conformance.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=40, metavar="N", help="faults to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", default="", help="of one package, by its folder")
    parser.add_argument("--named", action="store_true", help="the faults of named.py instead")
    parser.add_argument("--survivors", action="store_true", help="the stored survivors again")
    parser.add_argument(
        "--confirm", action="store_true", help="only the stored finders, without faults"
    )
    parser.add_argument("--write", action="store_true", help=f"store under {RESULTS.name}")
    parser.add_argument("--new", action="store_true", help="only those that are not stored")
    parser.add_argument(
        "--budget", type=float, default=BUDGET, metavar="S", help="CPU seconds for each fault"
    )
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="stop after these")
    options = parser.parse_args(arguments)
    about, stored = read()
    faults: list[tuple[Site, list[Step]]] = []
    if options.confirm:
        pass
    elif options.named:
        faults = [(fault.site(), named.tests(fault)) for fault in named.FAULTS]
    elif options.survivors:
        sites = [each.site for each in stored if each.verdict != "killed" and is_in_place(each)]
        again = {fault.site(): named.tests(fault) for fault in named.FAULTS}
        faults = [(site, again.get(site) or tests_of(site)) for site in sites]
    else:
        sites = drawn(options.sample, options.seed, options.package)
        faults = [(site, tests_of(site)) for site in sites]
        about["seed"] = options.seed
    about["date"] = datetime.date.today().isoformat()
    about["commit"] = _commit()
    about["python"] = sys.version.split()[0]
    if options.new:
        known = {each.site for each in stored}
        faults = [(site, tests) for site, tests in faults if site not in known]
    outcomes: list[Outcome] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        for site, tests in faults:
            if time.monotonic() - begin > 60 * options.minutes:
                print(f"{len(outcomes)} of {len(faults)} in {options.minutes:g} minutes")
                break
            outcome = tree.tried(site, tests, options.budget)
            outcomes.append(outcome)
            reached = "" if outcome.reached is not False else ", line not reached"
            print(f"{site.file}:{site.lines[0]} {site.operator}: {outcome.change}")
            print(
                f"  {outcome.verdict} {outcome.by} ({outcome.ran} tests, {outcome.seconds} s{reached})"
            )
            sys.stdout.flush()
            if options.write:
                _store(about, outcomes)
        if options.confirm:
            outcomes = stored
        _confirm(tree, [each for each in outcomes if each.verdict == "killed"])
    if options.write:
        _store(about, outcomes)
    for row in rates(outcomes, lambda each: each.site.package):
        print(*row)
    open_ = [each for each in outcomes if verdict(each) == "survived"]
    unexplained = [each for each in open_ if (each.site.package, each.change) not in KNOWN]
    return 1 if unexplained else 0


def _confirm(tree: Tree, killed: list[Outcome]) -> None:
    """Run the tests that found faults without any: a test that fails anyway has found nothing."""
    tests = [each.by.removesuffix(HANGS).removesuffix(ENDS) for each in killed]
    bad, slow = tree.failing(tests)
    for each, test in zip(killed, tests, strict=True):
        if test in bad:
            each.verdict, each.by = "undecided", f"{test} fails without the fault"
        elif test in slow and each.by.endswith(HANGS):
            each.verdict, each.by = "undecided", f"{test} takes long without the fault, too"


def _commit() -> str:
    """The commit that is tried, as far as git can say."""
    command = ["git", "rev-parse", "--short=8", "HEAD"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def _store(about: dict[str, object], outcomes: list[Outcome]) -> None:
    """Put outcomes in the place of those that are stored for the same faults."""
    _, stored = read()
    by_site = {each.site: each for each in stored} | {each.site: each for each in outcomes}
    RESULTS.parent.mkdir(exist_ok=True)
    write(
        RESULTS, about, sorted(by_site.values(), key=lambda each: (each.site.file, each.site.start))
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
