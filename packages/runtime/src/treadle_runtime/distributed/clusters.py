"""Cluster detection: read the processes from the environment of our launcher, Slurm, Open MPI, PMI or Kubernetes.

Each detector is a function from the environment to a `Place`, or None where its variables are missing.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from treadle_ir import ArgumentError
from treadle_ir.settings import environment_variables

Environment: TypeAlias = Mapping[str, str]


@final
@dataclass(frozen=True, slots=True)
class Place:
    """What the environment specifies about this process; None for unspecified fields."""

    coordinator_address: str | None = None
    num_processes: int | None = None
    process_id: int | None = None
    local_device_ids: tuple[int, ...] | None = None


def launcher(environ: Environment) -> Place | None:
    """Read the variables that `python -m treadle.distributed.run` sets.

    Example:
        >>> launcher({"TREADLE_COORDINATOR_ADDRESS": "a:1", "TREADLE_NUM_PROCESSES": "2", "TREADLE_PROCESS_ID": "1"})
        Place(coordinator_address='a:1', num_processes=2, process_id=1, local_device_ids=None)
    """
    address = _first(environ, *environment_variables("coordinator_address"))
    count = _number(environ, *environment_variables("num_processes"))
    process = _number(environ, *environment_variables("process_id"))
    local = _first(environ, *environment_variables("local_device_ids"))
    if address is None and count is None and process is None and local is None:
        return None
    return Place(address, count, process, None if local is None else device_ids(local))


def slurm(environ: Environment) -> Place | None:
    """Read Slurm's variables: the first host of the step, a port from the job id, one device per local task."""
    process = _number(environ, "SLURM_PROCID")
    count = _number(environ, "SLURM_NTASKS", "SLURM_NPROCS")
    hosts = _first(environ, "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")
    job = _first(environ, "SLURM_JOB_ID")
    if process is None or count is None or hosts is None or job is None:
        return None
    return Place(
        f"{first_host(hosts)}:{port_of(job)}", count, process, _one(environ, "SLURM_LOCALID")
    )


def open_mpi(environ: Environment) -> Place | None:
    """Read Open MPI's variables: the host on which `mpirun` was started, from the address of its daemon."""
    process = _number(environ, "OMPI_COMM_WORLD_RANK")
    count = _number(environ, "OMPI_COMM_WORLD_SIZE")
    daemon = _first(
        environ,
        "OMPI_MCA_orte_hnp_uri",
        "PMIX_SERVER_URI41",
        "PMIX_SERVER_URI21",
        "PMIX_SERVER_URI2",
    )
    if process is None or count is None:
        return None
    found = re.search(r"tcp\d?://\[?([^,:;\]]+(?:,[^;:]*)?)\]?:(\d+)", daemon or "")
    # `mpirun` may list several addresses of its machine; the first one serves.
    address = None if found is None else f"{found[1].split(',')[0]}:{port_of(found[2])}"
    return Place(address, count, process, _one(environ, "OMPI_COMM_WORLD_LOCAL_RANK"))


def pmi(environ: Environment) -> Place | None:
    """Read the variables of MPICH and related libraries, which do not include an address: the user has to pass it."""
    process, count = _number(environ, "PMI_RANK"), _number(environ, "PMI_SIZE")
    if process is None or count is None:
        return None
    return Place(None, count, process, _one(environ, "MPI_LOCALRANKID"))


def kubernetes(environ: Environment) -> Place | None:
    """Read the variables of an indexed Kubernetes job, or MASTER_ADDR, WORLD_SIZE and RANK, which training operators
    set.

    The address of a job's first pod is JOB_NAME-0.SERVICE, with `JOB_NAME` and `SERVICE_NAME` passed to the pods.
    """
    process = _number(environ, "JOB_COMPLETION_INDEX", "RANK")
    count = _number(environ, "JOB_COMPLETIONS", "WORLD_SIZE")
    if process is None or count is None:
        return None
    port = _first(environ, "COORDINATOR_PORT", "MASTER_PORT") or "8476"
    host = _first(environ, "MASTER_ADDR")
    job, service = _first(environ, "JOB_NAME"), _first(environ, "SERVICE_NAME")
    if host is None and job is not None and service is not None:
        host = f"{job}-0.{service}"
    return Place(
        None if host is None else f"{host}:{port}", count, process, _one(environ, "LOCAL_RANK")
    )


DETECTORS: Final[Mapping[str, Callable[[Environment], Place | None]]] = {
    "launcher": launcher,
    "slurm": slurm,
    "ompi": open_mpi,
    "mpi": pmi,
    "k8s": kubernetes,
}
"""The detectors by their name in `cluster_detection_method`, in the order in which they are tried."""


def detect(environ: Environment, method: str | None) -> Place:
    """Return what the environment specifies about this process.

    Args:
        environ: the environment variables.
        method: the name of the only detector to try; `deactivate` for none, None for all in turn.

    Raises:
        ArgumentError: `method` is unknown or finds nothing, or a variable is not a number.
    """
    if method is None:
        found = [
            place for detector in DETECTORS.values() if (place := detector(environ)) is not None
        ]
        return found[0] if found else Place()
    if method == "deactivate":
        return Place()
    named = DETECTORS.get({"mpi4py": "mpi"}.get(method, method))
    if named is None:
        raise ArgumentError(
            f"initialize: cluster_detection_method {method!r} is not known",
            fix=f"use one of {', '.join(map(repr, DETECTORS))} or 'deactivate'",
        )
    place = named(environ)
    if place is None:
        raise ArgumentError(
            f"initialize: the environment has none of the variables of {method!r}",
            fix="start the program under it, or pass coordinator_address, num_processes and process_id",
        )
    return place


def first_host(hosts: str) -> str:
    """Return the first host of a host list in Slurm's abbreviated notation.

    Example:
        >>> first_host("gpu[007-009,12],cpu3"), first_host("one,two"), first_host("r[1-2]n[3-4]")
        ('gpu007', 'one', 'r1n3')
    """
    first = re.match(r"(?:[^\[,]|\[[^\]]*\])+", hosts)
    return re.sub(r"\[([^\],-]*)[^\]]*\]", r"\1", first[0] if first else hosts)


def port_of(job: str) -> int:
    """Return a port for the job named `job`, so that two jobs on one machine rarely use the same port.

    Example:
        >>> 61440 <= port_of("1234") < 65536
        True
    """
    return 61440 + zlib.crc32(job.encode()) % 4096


def device_ids(text: str) -> tuple[int, ...]:
    """Return the numbers in a list such as `0,1`.

    Raises:
        ArgumentError: an element is not a number.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise ArgumentError(
            f"initialize: the local device ids are {text!r}",
            fix="write numbers separated by commas, such as 0,1",
        )
    return tuple([int(word) for word in words])


def _first(environ: Environment, *names: str) -> str | None:
    for name in names:
        text = environ.get(name, "").strip()
        if text:
            return text
    return None


def _number(environ: Environment, *names: str) -> int | None:
    for name in names:
        text = environ.get(name, "").strip()
        if text:
            if not text.isdecimal():
                raise ArgumentError(
                    f"initialize: the environment variable {name} is {text!r}, which is not a number",
                    fix=f"set {name} to a number, or pass the value to initialize",
                )
            return int(text)
    return None


def _one(environ: Environment, name: str) -> tuple[int, ...] | None:
    number = _number(environ, name)
    return None if number is None else (number,)
