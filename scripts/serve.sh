#!/usr/bin/env bash
# Web server, worker and sweeper on this machine; Ctrl-C, or the end of any of them, stops all.
set -euo pipefail
. "$(dirname "$0")/environment.sh"
port=${PORT:-8000}

if ! python -c 'import socket, sys; socket.create_server(("127.0.0.1", int(sys.argv[1]))).close()' "$port" 2>/dev/null; then
    echo "Port $port is taken. Choose another one: make serve PORT=8001" >&2
    exit 1
fi

scripts/service.sh migrate
scripts/service.sh static
python manage.py demo --if-empty

pids=()
stop() { # each is told once; whoever is still there after 20 s has to go
    trap - EXIT INT TERM
    kill -TERM "${pids[@]}" 2>/dev/null || true
    for _ in {1..200}; do
        kill -0 "${pids[@]}" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL "${pids[@]}" 2>/dev/null || true
}
trap stop EXIT
trap 'stop; exit 0' INT TERM HUP

# In a session of its own, no service hears the Ctrl-C itself: a web server that is told twice may hang.
for service in worker sweeper web; do
    setsid scripts/service.sh "$service" >>"$COUNTERSIGN_DATA_DIR/$service.log" 2>&1 &
    pids+=($!)
done
echo "Countersign is on http://localhost:$port (logs in $COUNTERSIGN_DATA_DIR/*.log). Ctrl-C stops it."

wait -n || true
echo "A service ended by itself; stopping the others. Its last words are in $COUNTERSIGN_DATA_DIR/*.log." >&2
exit 1
