"""Loaded by pytest before anything else: the environment in which the tests run, wherever they run."""

import os
import tempfile

os.environ.setdefault("COUNTERSIGN_SECRET_KEY", "only-for-tests")
os.environ.setdefault("COUNTERSIGN_DATA_DIR", tempfile.mkdtemp(prefix="countersign-tests-"))
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
os.environ.setdefault("MPLBACKEND", "agg")
