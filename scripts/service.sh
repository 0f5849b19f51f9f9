#!/usr/bin/env bash
# One process of an installation, in the foreground; `make serve`, the containers and the tests start it through here.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

collect_static() { # compressing takes 20 s: only when a file, a package or a setting has changed
    local made=$COUNTERSIGN_DATA_DIR/static.inputs inputs
    inputs=$(find reviews/static reviews/finders.py config/settings.py requirements/app.txt -type f -exec sha256sum {} + | sort)
    if [[ ! -f $made || $(<"$made") != "$inputs" || -z $(ls -A "$static_folder") ]]; then
        echo "Collecting and compressing scripts and styles: half a minute, the first time only"
        python manage.py collectstatic --no-input --verbosity 0
        echo "$inputs" >"$made"
    fi
}

case "${1:-}" in
    migrate) exec python manage.py migrate --verbosity 0 ;;
    static) collect_static ;;
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
