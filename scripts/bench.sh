#!/usr/bin/env bash
# The benchmarks, all or those named, in an environment of their own that also holds the peers: bench.sh [--quick] [NAME...]
set -euo pipefail
. "$(dirname "$0")/environment.sh"

venv=.cache/bench-venv
stamp=$venv/stamp

install_peers() { # the product's own pins, and the peers'
    echo "Installing what requirements/bench.txt names"
    uv venv --quiet --clear --python .venv/bin/python "$venv" &&
        uv pip install --quiet --python "$venv/bin/python" --require-hashes -r requirements/bench.txt &&
        touch "$stamp"
}

if [[ $stamp -nt requirements/bench.txt ]] || install_peers; then
    exec "$venv/bin/python" -m benchmarks "$@"
fi
echo "requirements/bench.txt cannot be installed here: the benchmarks run without the peers that it names." >&2
exec python -m benchmarks "$@"
