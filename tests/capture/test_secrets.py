"""Secrets are known by their shapes, and nothing else is."""

import pytest

from reviews.capture import secrets

LETTERS = "Ab3" * 20
SECRETS = {
    "a token of Hugging Face": f"hf_{LETTERS[:34]}",
    "an access key of AWS": "AKIA" + "ABCD1234" * 2,
    "an API key (sk-…)": f"sk-proj-{LETTERS[:30]}",
    "a token of GitHub": f"ghp_{LETTERS[:36]}",
    "a token of GitLab": f"glpat-{LETTERS[:20]}",
    "a key of Google": f"AIza{LETTERS[:35]}",
    "a key of NVIDIA": f"nvapi-{LETTERS[:50]}",
    "a token of Slack": f"xoxb-{LETTERS[:24]}",
    "a token of this product": f"cs_{LETTERS[:43]}",
    "a bearer token": f"Authorization: Bearer {LETTERS[:30]}",
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
}


def test_every_shape_has_an_example() -> None:
    assert list(SECRETS) == [kind for kind, _ in secrets.SHAPES]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_with_its_line_and_only_as_what_it_is(kind: str) -> None:
    content = f'{{\n"model": "net",\n"note": "{SECRETS[kind]}"}}'.encode()

    assert [(found.kind, found.line) for found in secrets.found_in(content)] == [(kind, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "task-decoder-only-with-a-very-long-name",
        "hf_transfer",
        "Bearer of news",
        "risk-adjusted-return-on-capital-long",
        "-----BEGIN PUBLIC KEY-----",
        "docs_" + LETTERS[:43],
        "0123456789abcdef" * 4,
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert list(secrets.found_in(text.encode())) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--hf-token", "abc", "--model", "net"], ["--hf-token", "***", "--model", "net"]),
        (["--api-key=abc"], ["--api-key=***"]),
        (["--api-key", "-abc"], ["--api-key", "***"]),
        (["--use-auth", "--model", "net"], ["--use-auth", "--model", "net"]),
        (["env", "HF_TOKEN=abc", "vllm"], ["env", "HF_TOKEN=***", "vllm"]),
        (["--max-num-batched-tokens", "8192"], ["--max-num-batched-tokens", "8192"]),
        (["--tokenizer=net", "--sort-key", "mean"], ["--tokenizer=net", "--sort-key", "mean"]),
        (["https://me:word@host/x"], ["https://***@host/x"]),
        (["-H", SECRETS["a bearer token"]], ["-H", "Authorization: ***"]),
        ([f"--note=see {SECRETS['an access key of AWS']}."], ["--note=see ***."]),
    ],
)
def test_a_command_line_is_told_without_its_secrets(words: list[str], told: list[str]) -> None:
    assert list(secrets.masked(words)) == told
