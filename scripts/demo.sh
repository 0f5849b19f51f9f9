#!/usr/bin/env bash
# One whole case, from a pasted memo to its PDF. The last line printed is a JSON object.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

python manage.py migrate --verbosity 0
exec python manage.py demo
