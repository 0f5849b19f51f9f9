"""A statement signed with a passkey, checked from its bytes alone."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from fido2 import cbor

from reviews import passkeys
from reviews.passkeys import SignedWithPasskey, faults
from tests.authenticators import SoftPasskey

STATEMENT = b'{"memo":"ARM-2026-0001","position":"approve"}'
OTHER = b'{"memo":"ARM-2026-0001","position":"object"}'


def test_what_a_passkey_signed_holds() -> None:
    assert faults(STATEMENT, SoftPasskey().kept(STATEMENT)) == ()


def test_it_is_no_signature_of_another_statement() -> None:
    assert faults(OTHER, SoftPasskey().kept(STATEMENT)) == ("the challenge is not the digest of the statement",)


def test_the_challenge_is_of_this_use_alone() -> None:
    """A bare digest of the statement, which another use might have a passkey sign, is no challenge of ours."""
    kept = SoftPasskey().kept(STATEMENT)
    bare = passkeys.from_text(kept.client_data_json).replace(
        passkeys.to_text(passkeys.challenge_of(STATEMENT)).encode(), b"x" * 43
    )

    said = faults(STATEMENT, replace(kept, client_data_json=passkeys.to_text(bare)))

    assert said == ("the challenge is not the digest of the statement", "the enrolled key did not sign it")


def test_another_key_did_not_sign_it() -> None:
    kept = SoftPasskey().kept(STATEMENT)

    assert faults(STATEMENT, replace(kept, public_key=SoftPasskey().kept(STATEMENT).public_key)) == (
        "the enrolled key did not sign it",
    )


@pytest.mark.parametrize(
    ("otherwise", "said"),
    [
        ({"flags": 0x01}, "the authenticator did not check who used it"),
        ({"flags": 0x04}, "nobody touched the authenticator"),
        ({"site": "elsewhere.example"}, "the authenticator was asked by another site than localhost"),
        ({"origin": "https://elsewhere.example"}, "the page that asked for it is not one of localhost"),
        ({"origin": "https://["}, "the page that asked for it is not one of localhost"),
        ({"origin": "https://evil-localhost"}, "the page that asked for it is not one of localhost"),
        ({"kind": "webauthn.create"}, "the client data are not those of a signature"),
        ({"cross_origin": True}, "it was asked for from a page inside a page of another site"),
    ],
)
def test_an_answer_that_was_got_otherwise_does_not_hold(otherwise: dict[str, object], said: str) -> None:
    assert faults(STATEMENT, SoftPasskey(**otherwise).kept(STATEMENT)) == (said,)  # type: ignore[arg-type]


def test_an_origin_without_tls_holds_on_localhost_alone() -> None:
    kept = SoftPasskey(origin="http://reviews.example", site="reviews.example").kept(STATEMENT)
    secure = SoftPasskey(origin="https://www.reviews.example", site="reviews.example").kept(STATEMENT)

    assert faults(STATEMENT, replace(kept, rp_id="reviews.example")) == (
        "the page that asked for it is not one of reviews.example",
    )
    assert faults(STATEMENT, replace(secure, rp_id="reviews.example")) == ()


@pytest.mark.parametrize("part", ["authenticator_data", "client_data_json", "signature", "public_key"])
def test_each_flipped_bit_of_each_part_is_found(part: str) -> None:
    kept = SoftPasskey().kept(STATEMENT)
    bytes_ = passkeys.from_text(getattr(kept, part))

    for place in range(len(bytes_)):
        flipped = bytearray(bytes_)
        flipped[place] ^= 0x01
        assert faults(STATEMENT, replace(kept, **{part: passkeys.to_text(bytes(flipped))})), (part, place)


def test_data_that_are_cut_off_are_said_to_be() -> None:
    kept = SoftPasskey().kept(STATEMENT)
    short = passkeys.to_text(passkeys.from_text(kept.authenticator_data)[:36])

    assert "the authenticator's data are cut off" in faults(STATEMENT, replace(kept, authenticator_data=short))


@pytest.mark.parametrize(
    "otherwise",
    [
        {"client_data_json": "W10"},
        {"client_data_json": "é"},
        {"client_data_json": passkeys.to_text(b"[" * 100_000)},
        {"public_key": "gA"},
        {"public_key": "oA"},
        {"public_key": passkeys.to_text(b"\x81" * 5000)},
        {"signature": "a"},
    ],
)
def test_parts_that_cannot_be_read_are_said_to_be(otherwise: dict[str, str]) -> None:
    (said,) = faults(STATEMENT, replace(SoftPasskey().kept(STATEMENT), **otherwise))

    assert said.startswith("its parts cannot be read: ")


def test_a_key_of_a_kind_that_does_not_count_is_refused() -> None:
    weak = passkeys.to_text(cbor.encode({1: 3, 3: -65535, -1: b"n", -2: b"e"}))

    assert faults(STATEMENT, replace(SoftPasskey().kept(STATEMENT), public_key=weak)) == (
        "the enrolled key is of a kind that does not count",
    )


def test_a_key_that_is_no_point_cannot_be_used() -> None:
    broken = passkeys.to_text(cbor.encode({1: 2, 3: -7, -1: 9, -2: b"x", -3: b"y"}))

    (said,) = faults(STATEMENT, replace(SoftPasskey().kept(STATEMENT), public_key=broken))

    assert said.startswith("the enrolled key cannot be used: ")


def test_an_edwards_key_does_not_check_the_signature_of_another() -> None:
    point = ed25519.Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    other = cbor.encode({1: 1, 3: -8, -1: 6, -2: point})

    assert faults(STATEMENT, replace(SoftPasskey().kept(STATEMENT), public_key=passkeys.to_text(other))) == (
        "the enrolled key did not sign it",
    )


def test_what_records_keep_is_read_back_and_nothing_else_is() -> None:
    kept = SoftPasskey().kept(STATEMENT)

    assert SignedWithPasskey.from_json(kept.as_json()) == kept
    others: tuple[object, ...] = (None, [], kept.as_json() | {"signature": 3}, {"signature": "x"})
    for bad in others:
        with pytest.raises(ValueError, match="it "):
            SignedWithPasskey.from_json(bad)


def test_client_data_name_one_statement() -> None:
    given = passkeys.from_text(SoftPasskey().kept(STATEMENT).client_data_json)

    assert passkeys.statement_is_meant(STATEMENT, given)
    assert not passkeys.statement_is_meant(OTHER, given)
    assert not passkeys.statement_is_meant(STATEMENT, b"no json")
    assert not passkeys.statement_is_meant(STATEMENT, b"[" * 100_000)
