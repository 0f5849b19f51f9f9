#!/usr/bin/env bash
# Everything that must hold. Arguments go to pytest; without any, coverage is a hard limit too.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
for setting in "${!COUNTERSIGN_@}"; do unset "$setting"; done # the tests have an installation of their own
export COUNTERSIGN_SECRET_KEY=only-for-tests COVERAGE_FILE=.cache/coverage

if [[ $# -gt 0 ]]; then
    exec pytest "$@"
fi

scripts/lint.sh
scripts/types.sh
scripts/containers.sh
mkdir -p .cache/migrations
COUNTERSIGN_DATA_DIR=.cache/migrations python manage.py makemigrations --check --dry-run --verbosity 1

pytest -n 2 --dist loadgroup --quiet --cov --cov-branch --cov-report= --cov-report=json:.cache/coverage.json |
    tee .cache/pytest.txt
python scripts/coverage_limits.py .cache/coverage.json
tail -n 1 .cache/pytest.txt
