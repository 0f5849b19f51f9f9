"""A small provider of identities over real HTTP on the loopback: authorization code with PKCE, ID tokens by RS256.

What it says can be set otherwise, a member at a time, to see that it is not believed.
"""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "countersign", "not a secret"
KID = "key 1"


@dataclass
class Provider:
    """claims: of the next ID token, over the usual ones; None drops one. signs: the key; published: what JWKS says.

    algorithm: of the next token. issuer_said: what the configuration calls itself, "" for the truth.
    """

    claims: dict[str, Any] = field(default_factory=dict)
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    signs: Any = None
    algorithm: str = "RS256"
    issuer_said: str = ""
    with_id_token: bool = True
    address: str = ""
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens_given: int = 0

    def configuration(self) -> dict[str, Any]:
        """OpenID Connect Discovery."""
        return {
            "issuer": self.issuer_said or self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> dict[str, Any]:
        """JWKS."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [public | {"kid": KID, "use": "sig", "alg": "RS256"}]}

    def authorize(self, query: dict[str, str]) -> str:
        """The person says yes at once: the address to which the browser is sent back."""
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = f"code{len(self.asked)}"
        self.asked[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The ID token for a code, once, to who knows the verifier and the secret."""
        query = self.asked.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            query is None
            or form.get("client_secret") != SECRET
            or challenge.rstrip(b"=").decode() != query["code_challenge"]
            or form.get("redirect_uri") != query["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        self.tokens_given += 1
        answer = {"access_token": "unused", "token_type": "Bearer", "expires_in": 60}
        return 200, answer | ({"id_token": self._id_token(query)} if self.with_id_token else {})

    def _id_token(self, query: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.address,
            "sub": "subject-1",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": query.get("nonce"),
            "preferred_username": "una",
            "name": "Una Newcomer",
        } | ({"auth_time": now} if "max_age" in query else {})
        said = {name: value for name, value in (claims | self.claims).items() if value is not None}
        key = self.signs if self.signs is not None else self.key
        return jwt.encode(said, key, algorithm=self.algorithm, headers={"kid": KID})


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.end_headers()
            else:
                documents = {"/.well-known/openid-configuration": provider.configuration, "/keys": provider.keys}
                self._json(200, documents[url.path]())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._json(*provider.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _json(self, status: int, said: object) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Says nothing."""

    return Handler


@contextmanager
def serving() -> Iterator[Provider]:
    """A provider that answers on a free port until the end of the block."""
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    provider.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
