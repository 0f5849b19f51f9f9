"""Everything that the analysis can refuse.

AnalysisError          str() is fit to show; code is stable, for programs
├── Refused            a number that cannot honestly be given; it is a first-class result
├── MalformedEvidence  a file that is not what it looks like; `where` names the place
└── UnknownFormat      no parser claims the file, or several do
"""

from analysis.ways_out import WAYS_OUT


class AnalysisError(Exception):
    """Base of all refusals of the analysis. `code` is stable; `str()` is a sentence for people."""

    code = "analysis_error"


class Refused(AnalysisError):
    """A number that cannot honestly be given.

    Attributes:
        code: stable name of the reason, for example "too_few_runs".
        message: one sentence for the reader of a memo.
        needs: what would lift the refusal, one sentence.
    """

    def __init__(self, code: str, message: str, needs: str) -> None:
        super().__init__(f"{message} {needs}".strip())
        self.code = code
        self.message = message
        self.needs = needs


class MalformedEvidence(AnalysisError):
    """A file whose content breaks its own format.

    Attributes:
        code: stable name of the fault, for example "not_positive".
        message: one sentence.
        where: the place, for example "run.json:results[0].times[1]" or "log.txt:12".
        needs: what somebody can do about it, one sentence.
    """

    def __init__(self, message: str, *, where: str, code: str = "malformed_evidence") -> None:
        super().__init__(f"{where}: {message}")
        self.code = code
        self.message = message
        self.where = where
        self.needs = WAYS_OUT[code]


class UnknownFormat(AnalysisError):
    """No parser claims the file ("unknown_format"), or several do ("ambiguous_format")."""

    def __init__(self, message: str, *, where: str, code: str = "unknown_format") -> None:
        super().__init__(f"{where}: {message}")
        self.code = code
        self.message = message
        self.where = where
        self.needs = WAYS_OUT[code]
