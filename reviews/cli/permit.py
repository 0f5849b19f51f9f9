"""`countersign permit`: may this image be deployed there, and to that share? For deployers, before they deploy."""

from argparse import ArgumentParser, Namespace
from urllib.parse import urlencode

from reviews.cli.command import Command, Exit, write, write_json
from reviews.cli.server import Server


def arguments(parser: ArgumentParser) -> None:
    """An image by digest, and how far it shall be deployed."""
    parser.add_argument("--image", metavar="DIGEST", required=True, help="sha256: and 64 digits, or name@sha256:…")
    parser.add_argument("--scope", required=True, help="hosts or traffic, as the stage of the rollout names them")
    parser.add_argument("--percent", metavar="P", required=True, help="of that scope, above 0 and at most 100")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(options: Namespace) -> Exit:
    """OK when a decision that stands permits it, else FAILED; the reasons are printed either way."""
    asked = urlencode({"image": options.image, "scope": options.scope, "percent": options.percent})
    answer = Server().get(f"permit/?{asked}").json()
    if options.json:
        write_json(answer)
    else:
        write("Permitted." if answer["permitted"] else "Not permitted.")
        for reason in answer["reasons"]:
            write(f"  {reason}")
    return Exit.OK if answer["permitted"] is True else Exit.FAILED


COMMAND = Command("permit", "may this image be deployed there", arguments, run)
