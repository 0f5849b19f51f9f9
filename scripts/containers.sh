#!/usr/bin/env bash
# docker-compose.yml and Dockerfile, checked without an engine.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

docker-compose --file docker-compose.yml config --quiet
check-jsonschema --quiet --builtin-schema vendor.compose-spec docker-compose.yml
hadolint --failure-threshold info Dockerfile
echo "containers: clean"
