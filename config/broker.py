"""The filesystem broker, with messages that are seen whole or not at all.

kombu opens a message under the name that readers look for and writes it afterwards; a worker that reads between
meets an empty message, and dies of it.
"""

import tempfile
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):  # type: ignore[misc, unused-ignore]
    """Writes a message under another name, and gives it its own when it is whole."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        del kwargs
        folder = Path(self.data_folder_out)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="unfinished-", suffix=".part", delete=False) as file:
            file.write(dumps(payload).encode())
        written = Path(file.name)
        written.rename(folder / f"{written.stat().st_mtime_ns:020}_{written.stem}.{queue}.msg")


class Transport(filesystem.Transport):  # type: ignore[misc, unused-ignore]
    Channel = Channel
