"""The JSON of rocprofv3: dispatches of kernels by the id of a kernel, whose names stand in a list of symbols."""

import re
from typing import Final

import msgspec

from analysis.errors import MalformedEvidence
from analysis.evidence import collect, nsys_stats, profiles, text_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.format import Document
from analysis.evidence.values import Numeral
from analysis.traces.events import Kind, Lane

KEY: Final = "rocprofiler-sdk-tool"
BEGINNING: Final = re.compile(rb'\s*\{\s*"rocprofiler-sdk-tool"\s*:')
MEMORY_COPY: Final = "memory copy"


class Handle(msgspec.Struct, gc=False, frozen=True):
    """A reference to another object of the file."""

    handle: int


class Dispatch(msgspec.Struct, gc=False):
    """Which kernel was dispatched, and where."""

    kernel_id: int
    agent_id: Handle
    queue_id: Handle


class Record(msgspec.Struct, gc=False):
    """One execution, in nanoseconds."""

    start_timestamp: int
    end_timestamp: int
    dispatch_info: Dispatch


class Copy(msgspec.Struct, gc=False):
    """One copy of memory, in nanoseconds."""

    start_timestamp: int
    end_timestamp: int
    dst_agent_id: Handle = Handle(0)
    src_agent_id: Handle = Handle(0)


class Records(msgspec.Struct, gc=False):
    """What was recorded, as far as it is read."""

    kernel_dispatch: list[Record] = []
    memory_copy: list[Copy] = []


class Symbol(msgspec.Struct, gc=False):
    """The names of a kernel."""

    kernel_id: int
    kernel_name: str = ""
    formatted_kernel_name: str = ""


class Agent(msgspec.Struct, gc=False):
    """A device or a host."""

    id: Handle
    type: int = 0
    product_name: str = ""
    name: str = ""


class Metadata(msgspec.Struct, gc=False):
    """Of the process that was profiled."""

    pid: int = 0
    command: list[str] = []


class Process(msgspec.Struct, gc=False):
    """The output of one process."""

    buffer_records: Records
    kernel_symbols: list[Symbol] = []
    agents: list[Agent] = []
    metadata: Metadata = msgspec.field(default_factory=Metadata)


class Output(msgspec.Struct, gc=False):
    """The whole file."""

    processes: list[Process] = msgspec.field(name=KEY)


DEVICE: Final = 2
DECODER: Final = msgspec.json.Decoder(Output)


def looks_right(document: Document) -> bool:
    """Whether it is such a file. Never raises."""
    return BEGINNING.match(text_reader.ends(document)[0]) is not None


def read(collection: Collection) -> tuple[str, ...]:
    """Add one run for each process; returns the leniences.

    Raises:
        MalformedEvidence: malformed_json, no_runs, not_a_time, missing.
    """
    document = collection.document
    processes, leniences = _processes(document)
    for at, process in enumerate(processes):
        where = f"{document.name}:{KEY}[{at}]"
        run = collection.add(collect.completed(str(at), where))
        _process(collection, run, process, where)
    return leniences


def executions(document: Document) -> tuple[tuple[str, profiles.Executions], ...]:
    """What each process executed, by its key. Raises what read raises."""
    processes, _ = _processes(document)
    return tuple((str(at), _executed(process, f"{document.name}:{KEY}[{at}]")) for at, process in enumerate(processes))


def _processes(document: Document) -> tuple[list[Process], tuple[str, ...]]:
    decoded = text_reader.decode(document)
    try:
        output = DECODER.decode(decoded.text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedEvidence(
            f"it is no output of {KEY}: {error}", where=document.name, code="malformed_json"
        ) from error
    if not output.processes:
        raise MalformedEvidence("it holds no process", where=document.name, code="no_runs")
    return output.processes, decoded.leniences


def _process(collection: Collection, run: Run, process: Process, where: str) -> None:
    devices = [agent.product_name or agent.name for agent in process.agents if agent.type == DEVICE]
    if devices:
        run.configured("device", "; ".join(dict.fromkeys(devices)), f"{where}.agents")
        run.configured("devices", Numeral(str(len(devices))), f"{where}.agents")
    if process.metadata.command:
        run.configured("command", " ".join(process.metadata.command), f"{where}.metadata.command")
    run.identified("pid", Numeral(str(process.metadata.pid)), f"{where}.metadata.pid")
    profiles.measure(collection, run, _executed(process, where).events(), f"{where}.buffer_records")


def _executed(process: Process, where: str) -> profiles.Executions:
    found = profiles.Executions()
    names = {
        symbol.kernel_id: values.text(symbol.formatted_kernel_name or symbol.kernel_name, f"{where}.kernel_symbols")
        for symbol in process.kernel_symbols
    }
    for at, record in enumerate(process.buffer_records.kernel_dispatch):
        place, info = f"{where}.buffer_records.kernel_dispatch[{at}]", record.dispatch_info
        if info.kernel_id not in names:
            message = f"no symbol names the kernel {info.kernel_id}"
            raise MalformedEvidence(message, where=place, code="missing")
        name = names[info.kernel_id]
        lane = Lane(str(info.agent_id.handle), str(info.queue_id.handle))
        found.add(_span(record, place), nsys_stats.kind_of(name), name, lane)
    for at, copy in enumerate(process.buffer_records.memory_copy):
        place = f"{where}.buffer_records.memory_copy[{at}]"
        lane = Lane(str(copy.dst_agent_id.handle), f"from {copy.src_agent_id.handle}")
        found.add(_span(copy, place), Kind.MEMORY, MEMORY_COPY, lane)
    return found


def _span(record: Record | Copy, where: str) -> tuple[int, int]:
    return profiles.checked(record.start_timestamp, record.end_timestamp, where)
