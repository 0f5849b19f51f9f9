"""The names by which files call one and the same setting of the work: one idea, one line, the first name is ours.

A name is put on a line only where it means that idea in every format that writes it. docs/formats.md has the table.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

Said = TypeVar("Said")


@dataclass(frozen=True, slots=True)
class Idea:
    """A thing that two arms must have in common. names: of the setting, ours first; told: in words."""

    told: str
    names: tuple[str, ...]


IDEAS: Final = (
    Idea("the model", ("model", "model_id", "model_name", "input.model")),
    Idea(
        "the dataset",
        ("dataset", "dataset_name", "request_loader.data", "data_path", "qsl_name", "dataset_path", "dataset_sha256"),
    ),
    Idea("the seed", ("seed", "random_seed", "input.random_seed", "args.profile.random_seed", "schedule_rng_seed")),
    Idea("the precision", ("dtype", "precision", "torch_dtype", "weight_precision", "params_dtype")),
    Idea(
        "the state of the prefix cache",
        ("enable_prefix_caching", "prefix_caching", "vllm_cache_config_info.enable_prefix_caching", "cache_state"),
    ),
    Idea(
        "the version of the software",
        (
            "version", "vllm_version", "engine_version", "build_commit", "loadgen_version", "image", "commit",
            "framework_version", "nccl_library",
        ),
    ),
    Idea(
        "the topology",
        (
            "tensor_parallel_size", "tp", "tp_size", "tensor_model_parallel_size", "parallelization.tensor_parallel",
            "num_gpus", "gpu_count", "world_size", "ranks", "nGpus", "gpus",
        ),
    ),
    Idea("the driver", ("driver_version", "driver")),
    Idea("the clocks", ("clocks", "sm_clock_set", "clocks.applications.graphics", "clocks.sm")),
    Idea("the power cap", ("power_limit", "power.limit", "enforced.power.limit", "gpu_power_limit:0")),
    Idea("whether the devices were shared", ("device_sharing", "sharing", "mig.mode.current", "compute_mode")),
)  # fmt: skip

EXCHANGED: Final = frozenset(
    {
        "the model",
        "the dataset",
        "the seed",
        "the precision",
        "the state of the prefix cache",
        "the driver",
        "the power cap",
    }
)
"""Ideas of which the names stand for each other: what one file says under one of them is what another requires."""


def idea_of(name: str) -> Idea | None:
    """The idea that a setting of this name tells, None for a setting that is none of them."""
    return next((idea for idea in IDEAS if name in idea.names), None)


def under_wanted_names(said: Mapping[str, Said], wanted: Collection[str]) -> dict[str, Said]:
    """What a run says, with the name that a plan asks for where the run says the same under another name only."""
    found = dict(said)
    for name in wanted:
        idea = None if name in found else idea_of(name)
        if idea is not None and idea.told in EXCHANGED:
            other = next((one for one in idea.names if one in found), None)
            if other is not None and other not in wanted:
                found[name] = found.pop(other)
    return found


def unsaid(names: Collection[str]) -> tuple[str, ...]:
    """The ideas that none of these names tells, in words."""
    return tuple(idea.told for idea in IDEAS if not any(name in names for name in idea.names))
