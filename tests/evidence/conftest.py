"""The folder of real evidence files that stands beside the repository on some machines."""

from pathlib import Path

import pytest

from tests.evidence import real


@pytest.fixture(scope="session")
def real_evidence() -> Path:
    """The folder; where it is absent the test says how many files it did not read."""
    if not real.FOLDER.is_dir():
        pytest.skip(f"{real.FOLDER} is absent: {len(real.EXPECTED)} real files were not read")
    return real.FOLDER
