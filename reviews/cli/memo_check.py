"""`countersign memo check`: what a memo text says as records, and what it still lacks."""

from argparse import ArgumentParser, Namespace

from reviews.cli.command import Command, Exit, UsageError, write, write_json
from reviews.cli.texts import text_of
from reviews.memo_text import shipped
from reviews.memo_text.parse import parse
from reviews.policies import completeness
from reviews.sections import content_to_json
from reviews.template_content import TemplateContent
from reviews.vocabulary import Intent


def arguments(parser: ArgumentParser) -> None:
    """A text, and the template that it is read with."""
    parser.add_argument("text", metavar="TEXT", help="a file, or - for standard input")
    parser.add_argument("--template", default="batch-size-effects", help="slug of a shipped template")
    parser.add_argument("--team", default="team", help="slug of the team that would file it")
    parser.add_argument("--intent", default=Intent.REGRESSION.value, choices=Intent.values)
    parser.add_argument("--json", action="store_true", help="print the records as JSON")


def run(options: Namespace) -> Exit:
    """Prints the notes and what is missing; FAILED when the memo could not be submitted."""
    parsed = parse(text_of(options.text), _template(options.template), team=options.team, intent=options.intent)
    missing = completeness.missing(parsed.content, "the author")
    if options.json:
        write_json(
            {
                "sections": content_to_json(parsed.content),
                "notes": [{"line": note.line, "sentence": note.sentence} for note in parsed.notes],
                "missing": [{"code": m.code, "sentence": m.sentence, "where": m.where} for m in missing],
                "base": parsed.base,
            }
        )
        return Exit.FAILED if missing else Exit.OK
    for note in parsed.notes:
        write(f"{options.text}:{note.line}: {note.sentence}" if note.line else note.sentence)
    for kept in parsed.content.header.kept:
        write(f"{options.text}:{kept.line}: kept as it stands: {kept.text}")
    write(f"{len(missing)} thing(s) are missing." if missing else "Nothing is missing: it can be submitted.")
    for lack in missing:
        write(f"  {lack.sentence}")
    return Exit.FAILED if missing else Exit.OK


def _template(slug: str) -> TemplateContent:
    known = {template.slug: template for template in shipped.templates()}
    if slug not in known:
        raise UsageError(f"There is no template {slug}; known are {', '.join(known)}.")
    return known[slug]


COMMAND = Command("memo check", "parse a memo text and say what it lacks", arguments, run)
