"""Servers on the loopback for what leaves the house: one that takes webhooks, one that takes mail."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer


@dataclass
class Taken:
    """What came. answers: the status of each next answer, 200 when there are none left."""

    port: int = 0
    answers: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)


@contextmanager
def webhooks(*answers: int) -> Iterator[Taken]:
    """A server that keeps every POST and answers with these statuses in turn."""
    taken = Taken(answers=list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status = taken.answers.pop(0) if taken.answers else 200
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", f"http://127.0.0.1:{taken.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Says nothing."""

    with _serving(HTTPServer(("127.0.0.1", 0), Handler), taken):
        yield taken


@contextmanager
def mail() -> Iterator[Taken]:
    """A server that speaks as much SMTP as it takes to receive a mail."""
    taken = Taken()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline().strip().upper():
                if line == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    taken.mails.append(self._text())
                self.wfile.write(b"221 bye\r\n" if line == b"QUIT" else b"250 fine\r\n")

        def _text(self) -> str:
            lines = []
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                lines.append(line.decode())
            return "".join(lines)

    with _serving(socketserver.TCPServer(("127.0.0.1", 0), Handler), taken):
        yield taken


@contextmanager
def _serving(server: socketserver.TCPServer, taken: Taken) -> Iterator[None]:
    taken.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
