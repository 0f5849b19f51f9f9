#!/usr/bin/env bash
# Style, layers, spelling, templates. Changes nothing; `make format` does.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

ruff check --quiet .
ruff format --quiet --check --diff .
lint-imports --no-logo >.cache/layers.txt || { cat .cache/layers.txt; exit 1; }
git ls-files -z -- '*.py' '*.md' '*.html' '*.txt' '*.toml' '*.yml' '*.sh' Makefile ':!requirements/*' ':!tests/**/*.txt' |
    xargs -0 codespell
git ls-files -z -- 'templates/*.html' | xargs -0 --no-run-if-empty djhtml --check --tabwidth 2
echo "lint: clean"
