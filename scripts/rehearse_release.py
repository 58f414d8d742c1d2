"""Rehearse a release: upload the nine distributions to an index on this machine, and install each of them from it.

    scripts/rehearse_release.py dist ir=treadle-ir autodiff=treadle-autodiff ...

`dist` holds the sdist and the wheel of each distribution, and nothing else is uploaded. The pairs name the folder under
packages/ and the distribution, each after those that it needs. Every distribution gets an environment of its own,
which finds treadle's distributions on that index alone: uv takes a name from the first index that has it. Then
`scripts/alone/<folder>.py` runs there. Needs `twine`, `pypiserver` and `uv` in the environment of the script.

What a registry would refuse is found here: descriptions that do not render, metadata that are not valid, files that
were uploaded before, dependencies that no index has in the declared range.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def release(name: str, dist: Path) -> tuple[str, list[Path]]:
    """Return the version of the distribution `name` in `dist`, and its two files.

    Raises:
        SystemExit: there is not exactly one wheel and one sdist of the same version.
    """
    stem = name.replace("-", "_")
    wheels = sorted(dist.glob(f"{stem}-*-py3-none-any.whl"))
    if len(wheels) != 1:
        sys.exit(f"{name}: {len(wheels)} pure wheels in {dist}, expected one: run `nox -s wheels`")
    version = wheels[0].name.split("-")[1]
    source = dist / f"{stem}-{version}.tar.gz"
    if not source.exists():
        sys.exit(f"{name}: no {source.name} in {dist}")
    return version, [source, wheels[0]]


@contextlib.contextmanager
def index(folder: Path) -> Iterator[str]:
    """Serve an empty index from `folder` for as long as the context lasts; yield its address.

    Raises:
        SystemExit: the server does not answer within ten seconds.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "pypiserver", "run", "--interface", "127.0.0.1"]
    # Anybody may upload, and a name that the server lacks is not looked up elsewhere in its place.
    command += [
        "--port",
        str(port),
        "--passwords",
        ".",
        "--authenticate",
        ".",
        "--disable-fallback",
    ]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*command, str(folder)], stdout=log, stderr=log)
        try:
            await_answer(address)
            yield address
        finally:
            server.terminate()
            server.wait()


def await_answer(address: str) -> None:
    """Wait until something answers at `address`.

    Raises:
        SystemExit: nothing does within ten seconds.
    """
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.1)
    sys.exit(f"the index at {address} does not answer")


def run(*command: str) -> None:
    """Run a command, which has to succeed.

    Raises:
        SystemExit: it fails.
    """
    result = subprocess.run(command)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")


def upload(files: list[Path], address: str) -> None:
    """Check the metadata of `files` and upload them to the index at `address`, as a release would."""
    names = [str(file) for file in files]
    run(sys.executable, "-m", "twine", "check", "--strict", *names)
    account = ["--username", "anybody", "--password", "any"]
    quiet = ["--non-interactive", "--disable-progress-bar", "--repository-url", address]
    run(sys.executable, "-m", "twine", "upload", *quiet, *account, *names)


def try_alone(folder: str, requirement: str, address: str, place: Path) -> None:
    """Install `requirement` from the index at `address` into an environment in `place`; run the script of `folder`."""
    run("uv", "venv", "--quiet", "--python", sys.executable, str(place))
    python = str(place / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    # Without `--refresh` the wheels of the last rehearsal would come from the cache: their version is the same.
    options = ["--quiet", "--index", f"{address}/simple/", "--refresh"]
    run("uv", "pip", "install", "--python", python, *options, requirement)
    run(python, "-I", str(ROOT / "scripts" / "alone" / f"{folder}.py"))


def main(arguments: list[str]) -> int:
    """Upload what is in a folder, and install and run one distribution after the other."""
    dist = Path(arguments[0])
    named = [pair.partition("=")[::2] for pair in arguments[1:]]
    found = {name: release(name, dist) for _, name in named}
    with tempfile.TemporaryDirectory() as scratch:
        packages = Path(scratch) / "index"
        packages.mkdir()
        with index(packages) as address:
            for name in found:
                upload(found[name][1], address)
            for folder, name in named:
                place = Path(scratch) / "environments" / folder
                try_alone(folder, f"{name}=={found[name][0]}", address, place)
    print(f"rehearsal: {len(named)} distributions uploaded, installed and run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
