import pytest

from treadle_ir import ArgumentError
from treadle_runtime.distributed.clusters import DETECTORS, Place, detect, device_ids, first_host

SLURM = {
    "SLURM_JOB_ID": "77",
    "SLURM_STEP_NODELIST": "gpu[007-009,12],cpu3",
    "SLURM_NTASKS": "8",
    "SLURM_PROCID": "5",
    "SLURM_LOCALID": "1",
}


def test_slurm_names_the_first_host_and_a_port_of_the_job():
    place = detect(SLURM, None)
    host, port = place.coordinator_address.split(":")
    assert host == "gpu007"
    assert 61440 <= int(port) < 65536
    assert (place.num_processes, place.process_id, place.local_device_ids) == (8, 5, (1,))
    # Every process of the job finds the same.
    assert (
        detect({**SLURM, "SLURM_PROCID": "0"}, "slurm").coordinator_address
        == place.coordinator_address
    )


def test_open_mpi_takes_the_address_of_its_daemon():
    variables = {
        "OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911",
        "OMPI_COMM_WORLD_SIZE": "4",
        "OMPI_COMM_WORLD_RANK": "2",
        "OMPI_COMM_WORLD_LOCAL_RANK": "0",
    }
    place = detect(variables, None)
    assert place.coordinator_address.startswith("10.96.0.1:")
    assert (place.num_processes, place.process_id, place.local_device_ids) == (4, 2, (0,))


def test_pmi_says_everything_but_the_address():
    assert detect({"PMI_RANK": "1", "PMI_SIZE": "2"}, None) == Place(None, 2, 1)


def test_kubernetes_and_variables_of_training_operators():
    job = {
        "JOB_COMPLETION_INDEX": "3",
        "JOB_COMPLETIONS": "4",
        "JOB_NAME": "train",
        "SERVICE_NAME": "peers",
    }
    assert detect(job, "k8s") == Place("train-0.peers:8476", 4, 3)
    operator = {
        "MASTER_ADDR": "a",
        "MASTER_PORT": "1",
        "WORLD_SIZE": "2",
        "RANK": "1",
        "LOCAL_RANK": "1",
    }
    assert detect(operator, None) == Place("a:1", 2, 1, (1,))


def test_our_launcher_comes_first():
    ours = {
        "TREADLE_COORDINATOR_ADDRESS": "b:2",
        "TREADLE_NUM_PROCESSES": "2",
        "TREADLE_PROCESS_ID": "0",
    }
    assert detect({**SLURM, **ours}, None) == Place("b:2", 2, 0)
    assert detect({**SLURM, **ours}, "slurm").num_processes == 8
    assert detect(ours, "deactivate") == Place()
    assert detect({}, None) == Place()


@pytest.mark.parametrize(
    ("hosts", "first"),
    [
        ("one", "one"),
        ("one,two", "one"),
        ("n[1-3]", "n1"),
        ("n[01,05]", "n01"),
        ("r[1-2]n[3-4],x", "r1n3"),
    ],
)
def test_first_host(hosts, first):
    assert first_host(hosts) == first


def test_mistakes_are_named():
    with pytest.raises(ArgumentError, match="'cloud' is not known") as caught:
        detect({}, "cloud")
    assert all(repr(name) in caught.value.__notes__[-1] for name in DETECTORS)
    with pytest.raises(ArgumentError, match="none of the variables of 'slurm'"):
        detect({}, "slurm")
    with pytest.raises(ArgumentError, match="SLURM_PROCID is 'x', which is not a number"):
        detect({**SLURM, "SLURM_PROCID": "x"}, None)
    with pytest.raises(ArgumentError, match="local device ids are '0;1'"):
        device_ids("0;1")
