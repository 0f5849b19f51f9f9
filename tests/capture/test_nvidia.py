"""What nvidia-smi says, on texts of its shape."""

import pytest

from reviews.capture import nvidia
from reviews.capture.nvidia import Log
from reviews.capture.record import Device
from tests.capture.smi import PROCESS, a_gpu, a_log

OLD = "<power_readings><enforced_power_limit>300.00 W</enforced_power_limit></power_readings>"
LISTED = """GPU 0: NVIDIA H200 (UUID: GPU-aaaa)
  MIG 1g.18gb     Device  0: (UUID: MIG-1111)
  MIG 2g.35gb     Device  1: (UUID: MIG-2222)
GPU 1: NVIDIA H200 (UUID: GPU-bbbb)
"""


def read(*gpus: str) -> Log:
    log = nvidia.read_log(a_log(*gpus))
    assert log is not None
    return log


def test_a_device_is_told_with_what_the_tool_says_of_it() -> None:
    log = read(a_gpu("GPU-aaaa"))

    assert log.driver == "NVIDIA 590.48.01, CUDA 13.1"
    assert log.devices == (
        Device(
            uuid="GPU-aaaa",
            name="NVIDIA H200",
            power_limit="700.00 W",
            clocks={"sm": "345 MHz", "memory": "3201 MHz", "sm_max": "1980 MHz"},
            ecc="Enabled",
            compute_mode="Default",
        ),
    )


def test_older_tools_name_the_power_limit_otherwise_and_no_cuda() -> None:
    log = nvidia.read_log(a_log(a_gpu("GPU-aaaa", power=OLD), cuda="N/A"))

    assert log is not None
    assert (log.driver, log.devices[0].power_limit) == ("NVIDIA 590.48.01", "300.00 W")


def test_what_the_tool_does_not_say_stays_empty() -> None:
    (device,) = read("<gpu><uuid>GPU-aaaa</uuid></gpu>", "<gpu><product_name>no uuid</product_name></gpu>").devices

    assert device == Device(uuid="GPU-aaaa")


@pytest.mark.parametrize("text", ["", "NVIDIA-SMI has failed", "<html></html>", "<nvidia_smi_log>"])
def test_another_text_is_no_answer(text: str) -> None:
    assert nvidia.read_log(text) is None


def test_a_log_without_a_driver_names_none() -> None:
    log = nvidia.read_log("<nvidia_smi_log></nvidia_smi_log>")

    assert log == Log("", ())


def test_processes_that_compute_are_told_and_those_of_mps_apart() -> None:
    drawing = PROCESS.format(7, "G", "Xorg")
    alone = read(a_gpu("GPU-a", processes=drawing + PROCESS.format(8, "C", "python"))).devices[0]
    server = read(a_gpu("GPU-a", processes=PROCESS.format(9, "C", "nvidia-cuda-mps-server"))).devices[0]
    client = read(a_gpu("GPU-a", processes=PROCESS.format(10, "M+C", "python"))).devices[0]
    hidden = read(a_gpu("GPU-a", processes=PROCESS.format("N/A", "C", "python"))).devices[0]

    assert (alone.processes, alone.served) == ((8,), False)
    assert (server.processes, server.served) == ((9,), True)
    assert (client.processes, client.served) == ((10,), True)
    assert hidden.processes == ()


def test_mig_is_a_partition() -> None:
    assert read(a_gpu("GPU-aaaa", mig="Enabled")).devices[0].partition == "MIG"


def test_mig_devices_are_listed_under_their_device() -> None:
    assert [(part.uuid, part.size, part.of) for part in nvidia.read_list(LISTED)] == [
        ("MIG-1111", "1g.18gb", "GPU-aaaa"),
        ("MIG-2222", "2g.35gb", "GPU-aaaa"),
    ]


@pytest.mark.parametrize(
    ("visible", "uuids"),
    [
        (None, ["GPU-aaaa", "GPU-bbbb"]),
        ("1", ["GPU-bbbb"]),
        ("1,0", ["GPU-bbbb", "GPU-aaaa"]),
        ("GPU-b", ["GPU-bbbb"]),
        ("MIG-2222", ["MIG-2222"]),
    ],
)
def test_the_command_uses_what_cuda_shows_to_it(visible: str | None, uuids: list[str]) -> None:
    log = read(a_gpu("GPU-aaaa"), a_gpu("GPU-bbbb"))
    seen = nvidia.usable(log, nvidia.read_list(LISTED), visible=visible, order="")

    assert ([device.uuid for device in seen.devices], seen.not_seen) == (uuids, ())


def test_a_mig_device_is_told_with_its_size_and_the_limits_of_its_device() -> None:
    slices = nvidia.read_list(LISTED)
    (part,) = nvidia.usable(read(a_gpu("GPU-aaaa")), slices, visible="MIG-1111", order="").devices
    (stray,) = nvidia.usable(read(a_gpu("GPU-cccc")), slices, visible="MIG-1111", order="").devices

    assert (part.partition, part.power_limit) == ("MIG 1g.18gb", "700.00 W")
    assert stray == Device(uuid="MIG-1111", partition="MIG 1g.18gb")


@pytest.mark.parametrize(
    ("visible", "said"),
    [
        ("", "shows no device"),
        ("-1", "shows no device"),
        ("5", "names '5'"),
        ("GPU-", "names 'GPU-'"),
        ("GPU-zzzz", "names 'GPU-zzzz'"),
    ],
)
def test_what_cannot_be_told_is_said(visible: str, said: str) -> None:
    seen = nvidia.usable(read(a_gpu("GPU-aaaa")), (), visible=visible, order="")

    assert seen.devices == ()
    assert said in seen.not_seen[0]


def test_a_uuid_that_begins_two_devices_names_none() -> None:
    seen = nvidia.usable(read(a_gpu("GPU-aaaa"), a_gpu("GPU-aabb")), (), visible="GPU-aa", order="")

    assert seen.devices == ()


def test_numbers_of_unlike_devices_need_the_order_of_the_bus() -> None:
    log = read(a_gpu("GPU-aaaa"), a_gpu("GPU-bbbb", name="NVIDIA L40S"))

    unclear = nvidia.usable(log, (), visible="1", order="FASTEST_FIRST")
    clear = nvidia.usable(log, (), visible="1", order="PCI_BUS_ID")

    assert (unclear.devices, "CUDA_DEVICE_ORDER=PCI_BUS_ID" in unclear.not_seen[0]) == ((), True)
    assert [device.uuid for device in clear.devices] == ["GPU-bbbb"]
