#!/usr/bin/env bash
# mypy, strict, over the product, over what builds and measures it, and over its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export COUNTERSIGN_SECRET_KEY=only-for-types # the plugin loads the settings

.venv/bin/mypy
