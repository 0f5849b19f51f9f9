#!/usr/bin/env bash
# The benchmarks, all or those named, in the environment of this checkout.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

exec python -m benchmarks "$@"
