#!/usr/bin/env bash
# The libraries and programs of the operating system: system.sh {run,test}
# Only what is missing is installed, in one go, as root with apt; otherwise the exact list is printed and we stop.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-}
if [[ $purpose != run && $purpose != test ]]; then
    echo "usage: scripts/system.sh {run,test}" >&2
    exit 2
fi

has_program() { command -v "$1" >/dev/null; }

has_library() {
    local known
    known=$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p)
    [[ $known == *"$1"* ]]
}

has_font() {
    has_program fc-list || return 1
    local known
    known=$(fc-list : family)
    [[ $known == *"$1"* ]]
}

has_venv() { "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null; }

has_postgresql() { has_program initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

missing_packages() {
    has_venv || echo python3-venv
    has_library libpango-1.0.so.0 || echo libpango-1.0-0
    has_library libpangoft2-1.0.so.0 || echo libpangoft2-1.0-0
    # Without it WeasyPrint subsets fonts in another way, and the bytes of a PDF differ from run to run.
    has_library libharfbuzz-subset.so.0 || echo libharfbuzz-subset0
    has_program fc-list || echo fontconfig
    has_font Inter || echo fonts-inter
    has_font 'DejaVu Sans' || echo fonts-dejavu-core
    [[ $purpose == test ]] || return 0
    has_program chromium-headless-shell || echo chromium-headless-shell
    has_program redis-server || echo redis-server
    has_postgresql || echo postgresql
    has_program pdffonts || echo poppler-utils
    has_program qpdf || echo qpdf
}

install_packages() { # RUNLEVEL=1: the servers come from packages, but only our tests start them
    env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install --yes -qq --no-install-recommends "$@" >>"$log" 2>&1
}

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ $(id -u) -ne 0 ]] || ! has_program apt-get; then
    echo "These packages of Debian or Ubuntu are missing. Install them and try again:" >&2
    echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

mkdir -p .cache
log=.cache/system.log
: >"$log"
echo "Installing ${missing[*]}"
if ! install_packages "${missing[@]}"; then
    apt-get update -qq >>"$log" 2>&1 || true
    if ! install_packages "${missing[@]}"; then
        tail -n 20 "$log" >&2
        echo "apt-get could not install: ${missing[*]}. All of its words are in $log." >&2
        exit 1
    fi
fi

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -ne 0 ]]; then
    echo "Still missing after apt-get installed them: ${missing[*]}. See $log." >&2
    exit 1
fi
