"""`client.json` and `server.json` of MLPerf's power measurement: which session it was, and how far clocks differ."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.evidence import collect, json_reader, values
from analysis.evidence.collect import Collection, Run
from analysis.evidence.json_reader import JsonText
from analysis.evidence.values import Json

KEYS: Final = (rb'"modules"\s*:\s*\{\s*"ptd_client_server', rb'"messages"\s*:\s*\[')
UNREAD: Final = ("modules", "sources", "messages", "results", "ptd_messages")
NO_READINGS: Final = "There are no readings of power in this file: they are in spl.txt of the same session."
CLOCKS: Final = (
    "The server's clock was up to {seconds:.4f} s outside the moments between which the client asked for it ({count} "
    "times)."
)
OF_CLIENT: Final = "ptd_client_server.lib.client"


def looks_right(head: bytes) -> str | None:
    """The reason why this is the record of a session, or None."""
    found = re.match(rb"\s*\{", head) and all(re.search(key, head) for key in KEYS)
    return 'it has "messages" and the modules of ptd_client_server' if found else None


def parse(collection: Collection) -> JsonText:
    """Add one run without numbers, and say what was needed to read the file.

    Raises:
        MalformedEvidence: no JSON, several records, a message whose time is no number.
    """
    read, where = json_reader.read(collection.document), f"{collection.document.name}:"
    whole = values.fields(read.only(where), where)
    run = collection.add(collect.completed("0", where))
    for key, value in whole.items():
        if key not in UNREAD:
            _stated(run, key, value, f"{where}{key}")
    differences = list(_differences(whole.get("messages", []), f"{where}messages"))
    if differences and OF_CLIENT in values.fields(whole.get("modules", {}), f"{where}modules"):
        collection.notice(CLOCKS.format(seconds=max(differences), count=len(differences)))
    collection.notice(NO_READINGS)
    collection.leave(key for key in UNREAD if key in whole)
    return read


def _stated(run: Run, name: str, value: Json, where: str) -> None:
    """A field and what is in it as identity, "uuid.client"; lists as they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _stated(run, f"{name}.{key}", inner, f"{where}.{key}")
    else:
        run.identified(name, value, where)


def _differences(messages: Json, where: str) -> Iterator[float]:
    """How far the server's time lies outside the moments between which the client asked for it, in s."""
    for i, message in enumerate(values.items(messages, where)):
        place = f"{where}[{i}]"
        fields = values.fields(message, place)
        if fields.get("cmd") == "time" and "cmd_time" in fields and "reply_time" in fields:
            theirs = values.finite(values.number_in(values.written(fields.get("reply"))), f"{place}.reply")
            asked, told = (values.finite(fields[key], f"{place}.{key}") for key in ("cmd_time", "reply_time"))
            yield max(asked - theirs, theirs - told, 0.0)
