"""Prints how much of the code the tests have covered, lines and branches together; exits 1 below a limit."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Limit:
    """At least `percent` of the files whose path starts with `prefix`; "" is all of them."""

    name: str
    prefix: str
    percent: Decimal


LIMITS = (
    Limit("analysis", "analysis/", Decimal(100)),
    Limit("reviews/policies", "reviews/policies/", Decimal(100)),
    Limit("overall", "", Decimal(95)),
)


def share(files: Mapping[str, Mapping[str, Mapping[str, int]]], prefix: str) -> Decimal | None:
    """Percent of lines and branches covered under `prefix`, never rounded up; None when nothing is there to cover."""
    summaries = [file["summary"] for path, file in files.items() if path.startswith(prefix)]
    there = sum(s["num_statements"] + s["num_branches"] for s in summaries)
    if there == 0:
        return None
    covered = sum(s["covered_lines"] + s["covered_branches"] for s in summaries)
    return (Decimal(100) * covered / there).quantize(Decimal("0.01"), rounding=ROUND_DOWN)


def gaps(files: Mapping[str, Mapping[str, Mapping[str, int]]], prefix: str) -> list[str]:
    """The files under `prefix` that are not wholly covered, the emptiest first, each with its share."""
    shares = [(share({path: file}, path), path) for path, file in files.items() if path.startswith(prefix)]
    short = sorted((found, path) for found, path in shares if found is not None and found < 100)
    return [f"{found} %  {path}" for found, path in short]


def judge(limit: Limit, files: Mapping[str, Mapping[str, Mapping[str, int]]]) -> tuple[bool, str]:
    """Whether the limit is held, and the lines that say so. Measured nothing is never a pass."""
    found = share(files, limit.prefix)
    if found is None:
        return False, f"coverage {limit.name}: nothing was measured (limit {limit.percent} %)"
    said = f"coverage {limit.name}: {found} % (limit {limit.percent} %)"
    if found >= limit.percent:
        return True, said
    return False, "\n".join([said, *(f"    {gap}" for gap in gaps(files, limit.prefix)[:20])])


def main(path: str) -> int:
    """Exit status for the report that coverage wrote as JSON to `path`."""
    files = json.loads(Path(path).read_text())["files"]
    judgements = [judge(limit, files) for limit in LIMITS]
    print("\n".join(said for _, said in judgements))
    return 0 if all(held for held, _ in judgements) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
