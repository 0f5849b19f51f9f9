#!/usr/bin/env bash
# Pins every dependency of pyproject.toml by version and hash, for all platforms, without naming a host.
# Run it after a change of pyproject.toml; `scripts/lock.sh --upgrade` takes newer versions.
set -euo pipefail
cd "$(dirname "$0")/.."

compile=(.venv/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11)
"${compile[@]}" "$@" --group build pyproject.toml --output-file requirements/app.txt
"${compile[@]}" "$@" --group build --group dev pyproject.toml --constraint requirements/app.txt --output-file requirements/dev.txt
# The peers that the benchmarks measure us against, in an environment of their own (scripts/bench.sh).
printf '%s\n' arch benchmatrix inference-doctor pyperf |
    "${compile[@]}" "$@" --group build pyproject.toml - --constraint requirements/app.txt --output-file requirements/bench.txt
# This peer wants an older numpy than the product has, so it is measured in a process of its own.
echo apache-otava | "${compile[@]}" "$@" - --output-file requirements/otava.txt
# This peer brings its own pandas and Jupyter.
echo HolisticTraceAnalysis | "${compile[@]}" "$@" - --output-file requirements/hta.txt
echo uv | "${compile[@]}" "$@" - --output-file requirements/uv.txt
