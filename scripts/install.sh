#!/usr/bin/env bash
# The Python environment, in three steps that the Makefile remembers: install.sh {venv,app,dev}
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
uv=(.venv/bin/uv pip install --quiet --python .venv/bin/python)

make_venv() {
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        echo "Countersign needs Python 3.11 or newer; $python is $("$python" --version 2>&1)." >&2
        echo "Name another one: make PYTHON=python3.12 ..." >&2
        exit 1
    fi
    echo "Making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
}

install_locked() { # the lock file; the project itself, editable, so that .venv/bin/countersign is there
    echo "Installing what $1 names"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes -r requirements/uv.txt
    "${uv[@]}" --require-hashes -r "$1"
    "${uv[@]}" --no-deps --no-build-isolation --editable .
}

mkdir -p .cache
case "${1:-}" in
    venv) make_venv ;;
    app | dev)
        install_locked "requirements/$1.txt"
        touch ".cache/$1.stamp"
        ;;
    *)
        echo "usage: scripts/install.sh {venv,app,dev}" >&2
        exit 2
        ;;
esac
