"""The filesystem broker, with messages and tables that are seen whole or not at all.

kombu opens a file under the name that readers look for and writes it afterwards; a worker that reads between meets
an empty one, and dies of it.
"""

import fcntl
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """Writes a message under another name, and gives it its own when it is whole; lets one at a time at the tables."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override] # as kombu
        del kwargs
        folder = Path(self.data_folder_out)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="unfinished-", suffix=".part", delete=False) as file:
            file.write(dumps(payload).encode())
        written = Path(file.name)
        written.rename(folder / f"{time.time_ns():020}_{written.stem}.{queue}.msg")

    def _queue_bind(self, *args: Any) -> None:
        with self._alone():
            super()._queue_bind(*args)

    def get_table(self, exchange: str) -> Any:
        with self._alone():
            return super().get_table(exchange)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Waits for every other process; the lock ends with its file."""
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with (self.control_folder / "lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel
