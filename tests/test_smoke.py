"""Contract sanity until the real tests stand."""

from reviews import sections


def test_a_content_survives_its_json() -> None:
    header = sections.Header(title="t", team="x", intent="regression", template="a", template_version=1)
    content = sections.MemoContent(header=header)

    assert sections.content_from_json(sections.content_to_json(content)) == content
