#!/usr/bin/env bash
# The benchmarks, all or those named, in an environment of their own that also holds the peers: bench.sh [--quick] [NAME...]
set -euo pipefail
. "$(dirname "$0")/environment.sh"

venv=.cache/bench-venv
stamp=$venv/stamp
otava=.cache/otava-venv
hta=.cache/hta-venv

install_peers() { # the product's own pins, and the peers'
    echo "Installing what requirements/bench.txt names"
    uv venv --quiet --clear --python .venv/bin/python "$venv" &&
        uv pip install --quiet --python "$venv/bin/python" --require-hashes -r requirements/bench.txt &&
        touch "$stamp"
}

install_otava() { # the peer that wants another numpy, alone
    uv venv --quiet --clear --python .venv/bin/python "$otava" &&
        uv pip install --quiet --python "$otava/bin/python" --require-hashes -r requirements/otava.txt &&
        touch "$otava/stamp"
}

install_hta() { # the peer that brings its own pandas, alone
    uv venv --quiet --clear --python .venv/bin/python "$hta" &&
        uv pip install --quiet --python "$hta/bin/python" --require-hashes -r requirements/hta.txt &&
        touch "$hta/stamp"
}

if [[ ! $hta/stamp -nt requirements/hta.txt ]] && ! install_hta; then
    echo "requirements/hta.txt cannot be installed here: HolisticTraceAnalysis is not measured." >&2
    rm -rf "$hta"
fi
if [[ ! $otava/stamp -nt requirements/otava.txt ]] && ! install_otava; then
    echo "requirements/otava.txt cannot be installed here: apache-otava is not measured." >&2
    rm -rf "$otava"
fi
if [[ $stamp -nt requirements/bench.txt ]] || install_peers; then
    exec "$venv/bin/python" -m benchmarks "$@"
fi
echo "requirements/bench.txt cannot be installed here: the benchmarks run without the peers that it names." >&2
exec python -m benchmarks "$@"
