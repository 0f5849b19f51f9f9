"""The filesystem broker: a reader meets whole messages only, in the order in which they were sent."""

import threading
from pathlib import Path

import pytest
from kombu import Connection, Queue

from config import broker

QUEUE = Queue("nudges", routing_key="nudges")


def connection(folder: Path) -> Connection:
    folders = {name: str(folder) for name in ("data_folder_in", "data_folder_out")}
    return Connection(
        transport=broker.Transport, transport_options={**folders, "control_folder": str(folder / "control")}
    )


def test_messages_come_back_in_the_order_of_their_sending(tmp_path: Path) -> None:
    with connection(tmp_path) as there, there.SimpleQueue(QUEUE) as queue:  # type: ignore[arg-type] # a Queue will do
        for number in range(20):
            queue.put({"job": number})

        assert [queue.get(timeout=5).payload["job"] for _ in range(20)] == list(range(20))


def test_a_message_has_its_name_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def dumps(message: object) -> str:
        seen.extend(path.name for path in tmp_path.glob("*.msg"))
        return "whole"

    monkeypatch.setattr(broker, "dumps", dumps)
    with connection(tmp_path) as there, there.channel() as channel:
        assert isinstance(channel, broker.Channel)
        channel._put("nudges", {})

    assert seen == []
    assert [path.read_text() for path in tmp_path.glob("*.nudges.msg")] == ["whole"]
    assert list(tmp_path.glob("*.part")) == []


def test_a_table_is_not_read_while_it_is_being_written(tmp_path: Path) -> None:
    read = threading.Event()

    def reads() -> None:
        with connection(tmp_path) as there, there.channel() as channel:
            assert isinstance(channel, broker.Channel)
            channel.get_table("nudges")
        read.set()

    with connection(tmp_path) as there, there.channel() as channel:
        assert isinstance(channel, broker.Channel)
        with channel._alone():
            reader = threading.Thread(target=reads)
            reader.start()
            assert not read.wait(0.2)
        assert read.wait(10)
        reader.join()
