"""Steps, their exclusive stages, how busy devices are, and the kernels by name."""

import pytest

from analysis.traces import names, stages, summary
from analysis.traces.events import Events, Kind, Lane
from tests.analysis import traced

WORK: list[traced.Made] = [
    (Kind.INPUT, "enumerate(DataLoader)", 0, 10),
    (Kind.OPERATOR, "aten::mm", 10, 30),
    (Kind.LAUNCH, "cudaLaunchKernel", 20, 5),
    (Kind.KERNEL, "gemm", 30, 20),
    (Kind.COMMUNICATION, "nccl", 40, 20),
    (Kind.MEMORY, "Memcpy", 55, 10),
    (Kind.SYNCHRONISATION, "cudaDeviceSynchronize", 60, 20),
]


def times(found: Events) -> dict[str, list[int]]:
    return {stage: column.tolist() for stage, column in stages.stage_times(found, stages.windows(found)).items()}


def test_the_stages_of_a_step_exclude_each_other() -> None:
    assert times(traced.events(traced.steps(2, inside=WORK))) == {
        "input readiness": [10, 10],
        "host operators": [15, 15],
        "host launch": [5, 5],
        "compute": [20, 20],
        "communication": [10, 10],
        "memory": [5, 5],
        "synchronisation": [15, 15],
    }


def test_stages_stand_in_the_order_of_the_path_and_only_those_that_the_trace_knows() -> None:
    found = traced.events([(Kind.KERNEL, "b", 0, 5), (Kind.OPERATOR, "a", 5, 5)])

    assert list(times(found)) == ["host operators", "compute"]


def test_what_a_device_does_after_the_end_of_a_step_counts_in_the_step_that_it_falls_into() -> None:
    found = traced.events([*traced.steps(2), (Kind.KERNEL, "late", 90, 20)])

    assert times(found) == {"compute": [10, 10]}


def test_steps_are_called_by_their_numbers() -> None:
    found = stages.windows(traced.events(traced.steps(2)))

    assert (found.names, found.numbers, found.length.tolist()) == (
        ("ProfilerStep#10", "ProfilerStep#11"), (10, 11), [100, 100],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["step", "ProfilerStep#1", "ProfilerStep#99999999999"])
def test_steps_without_a_number_of_their_own_are_counted(name: str) -> None:
    found = stages.windows(traced.events([(Kind.STEP, name, 0, 10), (Kind.STEP, name, 10, 10)]))

    assert found.numbers == (0, 1)


def test_the_steps_of_one_lane_are_the_steps() -> None:
    marks: list[traced.Made] = [(Kind.STEP, "1", 0, 10), (Kind.STEP, "1", 1, 10), (Kind.STEP, "2", 10, 10)]
    lanes = [Lane("0", "Steps"), Lane("1", "Steps"), Lane("0", "Steps")]

    assert stages.windows(traced.events(marks, lanes=lanes)).start.tolist() == [0, 10]


def test_a_trace_without_steps_is_one_repetition() -> None:
    found = stages.windows(traced.events([(Kind.KERNEL, "a", 5, 10), (Kind.KERNEL, "b", 30, 10)]))

    assert (found.are_steps, found.length.tolist()) == (False, [35])


def test_the_time_of_a_device_counts_once_however_many_streams_run() -> None:
    made = traced.events(
        [*traced.steps(1), (Kind.KERNEL, "a", 0, 30), (Kind.KERNEL, "b", 10, 30)],
        lanes=[traced.HOST, Lane("0", "7"), Lane("0", "8")],
    )
    busy = stages.device_times(made, stages.windows(made))

    assert busy is not None
    assert busy.tolist() == [40]
    assert stages.kernels_of(made, stages.windows(made)).tolist() == [2]


def test_a_trace_of_the_host_alone_knows_no_device() -> None:
    made = traced.events(traced.steps(1))

    assert stages.device_times(made, stages.windows(made)) is None
    assert summary.busy_times(made) == ()


def test_devices_and_streams_are_busy_idle_and_hide_communication() -> None:
    made = traced.events(
        [(Kind.KERNEL, "a", 0, 30), (Kind.COMMUNICATION, "n", 20, 30), (Kind.MEMORY, "m", 90, 10)],
        lanes=[Lane("0", "7"), Lane("0", "8"), Lane("1", "7")],
    )

    assert [(b.process, b.thread, b.busy, b.idle, b.communication, b.hidden) for b in summary.busy_times(made)] == [
        ("0", "", 50, 50, 30, 10), ("0", "7", 30, 70, 0, 0), ("0", "8", 30, 70, 30, 0),
        ("1", "", 10, 90, 0, 0), ("1", "7", 10, 90, 0, 0),
    ]  # fmt: skip


def test_kernels_are_totalled_by_name_the_longest_first() -> None:
    made = traced.events([(Kind.KERNEL, "a", 0, 3), (Kind.KERNEL, "b", 1, 9), (Kind.COMMUNICATION, "a", 2, 4)])

    assert [(row.name, row.count, row.total) for row in summary.kernel_totals(made)] == [("b", 1, 9), ("a", 2, 7)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("void gemm<float, tuple<int, 4>>(float*, int) [clone .kd]", "void gemm"),
        ("void (anonymous namespace)::softmax<4>(float*)", "void ::softmax"),
        ("triton_poi_fused_add_0d1d2de", "triton_poi_fused_add"),
        ("triton_red_fused_mean_0", "triton_red_fused_mean_0"),
        ("__amd_rocclr_initHeap.kd", "__amd_rocclr_initHeap"),
        ("jit_0x7f12ab_add", "jit__add"),
        ("operator<", "operator<"),
        ("<lambda>", "<lambda>"),
        ("a->b", "a->b"),
    ],
)
def test_names_lose_what_differs_from_build_to_build(name: str, expected: str) -> None:
    assert names.normalised(name) == expected


@pytest.mark.parametrize("name", ["k_1d" + "e" * 5000 + "x", "<" * 5000, "_1d" * 5000 + "x", "a " * 5000])
def test_a_name_of_any_kind_is_normalised_at_once(name: str) -> None:
    assert names.normalised(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("aten::cudnn_convolution", "aten::miopen_convolution"),
        ("cublasLtMatmul", "hipblasLtMatmul"),
        ("rocblas_gemm", "cublas_gemm"),
        ("ncclDevKernel_AllReduce", "rcclDevKernel_AllReduce"),
        ("cufftExec", "rocfftExec"),
        ("cusparseSpMM", "hipsparseSpMM"),
        ("cusolverDn", "rocsolverDn"),
        ("cudaLaunchKernel", "hipLaunchKernel"),
    ],
)
def test_names_lose_the_vendor_of_a_library(one: str, other: str) -> None:
    assert names.neutral(one) == names.neutral(other) != one


@pytest.mark.parametrize("name", ["aten::relu", "ship", "aten::chip", "hipster", "aten::fft"])
def test_what_names_no_vendor_stays(name: str) -> None:
    assert names.neutral(name) == name
