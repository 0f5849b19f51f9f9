"""A passkey in software: keys and answers as an authenticator and a browser make them. No browser needed."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.models import User
from django.utils import timezone
from fido2 import cbor

from reviews import passkeys
from reviews.authentication import Authentication, PasskeyAnswer
from reviews.models import Passkey
from reviews.services import passkeys as service
from reviews.services.passkeys import NewPasskey

SITE = "localhost"
PRESENT_AND_VERIFIED = 0x05


@dataclass
class SoftPasskey:
    """A key pair and its name. flags, origin and site: what the answers say, to be set otherwise by a test."""

    credential_id: bytes = b"soft passkey"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    flags: int = PRESENT_AND_VERIFIED
    origin: str = "http://localhost"
    site: str = SITE
    kind: str = "webauthn.get"
    cross_origin: bool = False

    @property
    def public_key(self) -> bytes:
        """As COSE."""
        point = self.key.public_key().public_numbers()
        return cbor.encode({1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")})

    def answer(self, statement: bytes, stated_at: datetime) -> PasskeyAnswer:
        """What comes back for the statement."""
        client = json.dumps(
            {
                "type": self.kind,
                "challenge": passkeys.to_text(passkeys.challenge_of(statement)),
                "origin": self.origin,
                "crossOrigin": self.cross_origin,
            }
        ).encode()
        data = sha256(self.site.encode()).digest() + bytes([self.flags]) + (7).to_bytes(4, "big")
        return PasskeyAnswer(
            credential_id=passkeys.to_text(self.credential_id),
            authenticator_data=data,
            client_data_json=client,
            signature=self.key.sign(data + sha256(client).digest(), ec.ECDSA(hashes.SHA256())),
            stated_at=stated_at,
        )

    def kept(self, statement: bytes) -> passkeys.SignedWithPasskey:
        """The answer as a signature keeps it."""
        given = self.answer(statement, timezone.now())
        return passkeys.SignedWithPasskey(
            credential_id=given.credential_id,
            public_key=passkeys.to_text(self.public_key),
            rp_id=SITE,
            enrolled_at="2026-01-01T00:00:00+00:00",
            authenticator_data=passkeys.to_text(given.authenticator_data),
            client_data_json=passkeys.to_text(given.client_data_json),
            signature=passkeys.to_text(given.signature),
        )

    def enrolled_by(self, person: User) -> Passkey:
        """Enrolled, as the service does it."""
        new = NewPasskey(
            name="laptop",
            credential_id=self.credential_id,
            public_key=self.public_key,
            rp_id=SITE,
            attestation_object=b"attested",
            client_data_json=b"{}",
        )
        return service.enrol(actor=person, new=new, authentication=Authentication("password", timezone.now()))
