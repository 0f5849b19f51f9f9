#!/usr/bin/env bash
# mypy, strict, over the product and over what builds and measures it.
set -euo pipefail
cd "$(dirname "$0")/.."
export COUNTERSIGN_SECRET_KEY=only-for-types # the plugin loads the settings

.venv/bin/mypy
.venv/bin/mypy scripts benchmarks
