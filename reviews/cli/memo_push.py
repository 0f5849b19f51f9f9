"""`countersign memo push` and `pull`: a memo text filed, revised or fetched."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.cli.server import Server
from reviews.cli.texts import text_of
from reviews.vocabulary import Intent


def push_arguments(parser: ArgumentParser) -> None:
    """A text, and the memo that it revises, or what a new one needs."""
    parser.add_argument("text", metavar="TEXT", help="a file, or - for standard input")
    parser.add_argument("--memo", metavar="NUMBER", help="revise this memo; without it a new one is filed")
    parser.add_argument("--said", default="Pushed a new text.", help="what changed, in words")
    parser.add_argument("--team", help="slug of the team of a new memo")
    parser.add_argument("--template", help="slug of its template")
    parser.add_argument("--intent", choices=Intent.values, help="why it exists")
    parser.add_argument("--json", action="store_true", help="print the memo as JSON")


def push(options: Namespace) -> Exit:
    """Files or revises; prints the number, the revision and the notes on the text."""
    text = text_of(options.text)
    filed = _revise(options, text) if options.memo else _file(options, text)
    if options.json:
        write_json(filed)
        return Exit.OK
    memo = filed["memo"]
    write(f"{memo['number']} revision {memo['revision']['number']}: {memo['title']}")
    for note in filed["notes"]:
        write(f"  {options.text}:{note['line']}: {note['sentence']}")
    return Exit.OK


def _file(options: Namespace, text: str) -> Any:
    given = {name: getattr(options, name) for name in ("team", "template", "intent")}
    if lacks := [f"--{name}" for name, value in given.items() if not value]:
        raise UsageError(f"A new memo needs {', '.join(lacks)}; to revise one, give --memo NUMBER.")
    return Server().post("memos/", {"text": text, **given}).json()


def _revise(options: Namespace, text: str) -> Any:
    server = Server()
    now = server.get(f"memos/{options.memo}/")
    body = {"text": text, "said": options.said}
    return server.put(f"memos/{options.memo}/text/", body, etag=now.etag).json()


def pull_arguments(parser: ArgumentParser) -> None:
    """A memo, and where its text goes."""
    parser.add_argument("memo", metavar="NUMBER")
    parser.add_argument("--out", metavar="FILE", help="write the text there instead of standard output")


def pull(options: Namespace) -> Exit:
    """Prints the memo as text, with the digest of the revision that it was exported from."""
    text = Server().get(f"memos/{options.memo}/text/").content.decode()
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
    else:
        write(text.rstrip("\n"))
    return Exit.OK


PUSH = Command("memo push", "file a memo text, or revise a memo with it", push_arguments, push)
PULL = Command("memo pull", "fetch a memo as text", pull_arguments, pull)
