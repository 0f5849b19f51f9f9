#!/usr/bin/env bash
# The three secrets of docker-compose.yml, made once and never overwritten: secrets.sh [FOLDER]
# The folder is closed to others; the files are readable, because the user inside a container has another number.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-${COUNTERSIGN_SECRETS:-.cache/secrets}}

random() { "${PYTHON:-python3}" -c 'import secrets; print(secrets.token_urlsafe(36))'; }

mkdir -p "$folder"
chmod 700 "$folder"
[[ -s $folder/secret_key ]] || random >"$folder/secret_key"
[[ -s $folder/postgres_password ]] || random >"$folder/postgres_password"
[[ -s $folder/database_url ]] ||
    echo "postgresql://countersign:$(<"$folder/postgres_password")@postgres:5432/countersign" >"$folder/database_url"
chmod 644 "$folder"/{secret_key,postgres_password,database_url}
echo "Secrets are in $folder"
