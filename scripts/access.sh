#!/usr/bin/env bash
# Writes tests/access/expected.tsv anew: who is answered what, by every endpoint. Review its diff.
set -euo pipefail
cd "$(dirname "$0")/.."
found="$(mktemp -d)"
trap 'rm -r "$found"' EXIT
COUNTERSIGN_ACCESS="$found" .venv/bin/pytest tests/access -q -k everybody_is_answered "$@"
COUNTERSIGN_SECRET_KEY="${COUNTERSIGN_SECRET_KEY:-for-the-table-alone}" .venv/bin/python -m tests.access.join "$found"
git --no-pager diff --stat -- tests/access/expected.tsv
