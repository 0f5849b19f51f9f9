#!/usr/bin/env bash
# One process of an installation, in the foreground; `make serve`, the containers and the tests start it through here.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

case "${1:-}" in
    migrate) exec python manage.py migrate --verbosity 0 ;;
    static) exec python manage.py collectstatic --no-input --verbosity 0 ;;
    web)
        exec granian --interface wsgi --host "${HOST:-127.0.0.1}" --port "${PORT:-8000}" --workers 1 \
            --blocking-threads 4 --log-level warning config.wsgi:application
        ;;
    worker)
        exec celery --app config worker --loglevel INFO --concurrency "${CONCURRENCY:-2}" \
            --without-gossip --without-mingle
        ;;
    sweeper) exec python manage.py sweep ;;
    web-health)
        exec python -c 'import sys, urllib.request as web; web.urlopen(sys.argv[1], timeout=4)' \
            "http://localhost:${PORT:-8000}/healthz"
        ;;
    worker-health) exec celery --app config inspect ping --timeout 10 --destination "celery@$(hostname)" ;;
    sweeper-health) exec python manage.py sweep --once ;;
    *)
        echo "usage: scripts/service.sh {migrate,static,web,worker,sweeper,web-health,worker-health,sweeper-health}" >&2
        exit 2
        ;;
esac
