# Every target works from a bare clone and may be run again at any time.
# What was done is remembered in .cache/; the environment lies in .venv/.

SHELL := /bin/bash
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin

# uv writes no bytecode; without it every start pays three seconds for imports.
unexport PYTHONDONTWRITEBYTECODE
export PYTHON PORT

.NOTPARALLEL:
.PHONY: help demo test serve lint types format bench clean app dev system-run system-test

help:
	@echo "make demo     set everything up and play one whole case, from a pasted memo to its PDF"
	@echo "make serve    the same on http://localhost:$(PORT) (PORT=... for another port); Ctrl-C stops all of it"
	@echo "make test     everything that must hold: style, types, layers, containers, migrations, tests, coverage"
	@echo "make lint     style, layers, spelling, templates"
	@echo "make types    mypy, strict"
	@echo "make format   rewrite the sources in the house style"
	@echo "make bench    side-by-side measurements against the peers, as ratios"
	@echo "make clean    remove what was built; records and evidence in .cache/data stay"

demo: system-run app
	@scripts/demo.sh

serve: system-run app
	@exec scripts/serve.sh

test: system-test dev
	@scripts/test.sh

lint: dev
	@scripts/lint.sh

types: dev
	@scripts/types.sh

format: dev
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .
	@if compgen -G 'templates/**/*.html' >/dev/null; then $(BIN)/djhtml --tabwidth 2 templates; fi

bench: system-run dev
	@scripts/bench.sh

clean:
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	@if [ -d .cache ]; then find .cache -mindepth 1 -maxdepth 1 -not -name data -exec rm -rf {} +; fi

system-run:
	@scripts/system.sh run

system-test:
	@scripts/system.sh test

app: .cache/app.stamp
dev: .cache/dev.stamp

.venv/pyvenv.cfg:
	@scripts/install.sh venv

.cache/app.stamp: .venv/pyvenv.cfg pyproject.toml requirements/uv.txt requirements/app.txt
	@scripts/install.sh app

.cache/dev.stamp: .cache/app.stamp requirements/dev.txt
	@scripts/install.sh dev
