"""python -m tests.access.join FOLDER: the table from what each state's test has found in that folder."""

import json
import os
import sys
from pathlib import Path

import django


def main(folder: Path) -> None:
    """The table, written over the kept one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from tests.access import asked  # noqa: PLC0415 - only once Django is set up
    from tests.access.world import STATES  # noqa: PLC0415

    found = {}
    for state in STATES:
        rows = json.loads((folder / f"{state.value}.json").read_text())
        found[state] = {(endpoint, name): status for endpoint, name, status in rows}
    Path(__file__).with_name("expected.tsv").write_text(asked.written(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
