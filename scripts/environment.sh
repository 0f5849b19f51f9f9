# To be sourced: what a process of this checkout needs to know when nobody said otherwise.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PWD/.venv/bin:$PATH"
export COUNTERSIGN_DATA_DIR=${COUNTERSIGN_DATA_DIR:-$PWD/.cache/data}
static_folder=${COUNTERSIGN_STATIC_DIR:-$COUNTERSIGN_DATA_DIR/static}
mkdir -p "$COUNTERSIGN_DATA_DIR/broker" "$COUNTERSIGN_DATA_DIR/broker-control" "$static_folder"

if [[ -z ${COUNTERSIGN_SECRET_KEY:-}${COUNTERSIGN_SECRET_KEY_FILE:-} ]]; then
    export COUNTERSIGN_SECRET_KEY_FILE=$COUNTERSIGN_DATA_DIR/secret_key
    if [[ ! -s $COUNTERSIGN_SECRET_KEY_FILE ]]; then
        (umask 077 && python -c 'import secrets; print(secrets.token_urlsafe(48))' >"$COUNTERSIGN_SECRET_KEY_FILE")
    fi
fi
