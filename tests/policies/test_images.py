"""An image is tied to a memo by its digest, in the identity of the candidate alone."""

import pytest

from reviews.errors import BadInput
from reviews.policies.images import baseline_images, candidate_images, digest_in, require_digest
from reviews.sections import Change, ChangeRow

A, B, C = "a" * 64, "b" * 64, "c" * 64


def row(name: str, baseline: str, candidate: str) -> ChangeRow:
    return ChangeRow(name=name, baseline=baseline, candidate=candidate, on_purpose=True, source="typed")


def test_the_identities_and_the_rows_on_the_image_name_digests() -> None:
    change = Change(
        summary=f"Not sha256:{C}.",
        baseline=f"vllm@sha256:{A}",
        candidate=f"vllm 0.7 (sha256:{B.upper()})",
        rows=(
            row("Image digest", f"sha256:{A}", f"sha256:{C}"),
            row("weights", "", f"sha256:{'d' * 64}"),
        ),
    )

    assert candidate_images(change) == {B, C}
    assert baseline_images(change) == {A}


@pytest.mark.parametrize("name", ["image", "Image", "container image", "build", "Build-Digest"])
def test_the_names_of_rows_on_the_image(name: str) -> None:
    assert candidate_images(Change(rows=(row(name, "", f"sha256:{A}"),))) == {A}


@pytest.mark.parametrize(
    ("build", "digest"),
    [
        (f"sha256:{A}", A),
        (f"registry.local/vllm:0.7@sha256:{A}", A),
        (f" {A.upper()} ", A),
        (f"sha256:{A}0", ""),
        (A[:-1], ""),
        ("vllm:latest", ""),
        ("", ""),
    ],
)
def test_a_build_names_a_digest_or_none(build: str, digest: str) -> None:
    assert digest_in(build) == digest
    if digest:
        assert require_digest(build) == digest
        return
    with pytest.raises(BadInput) as caught:
        require_digest(build)
    assert (caught.value.code, caught.value.where) == ("no_digest", "image")
