"""Everything that the review rules can refuse.

Refusal              str() is fit to show; code is stable, for programs; status for HTTP
├── NotPermitted     403  this person may never do that here
├── NotVisible       404  there is no such thing, for this person
├── WrongState       409  nobody may do that now
├── Redacted         410  the bytes were taken away, for good; digest and record stand
├── StalePage        409  it changed since the page was made; look again
├── GateClosed       409  somebody may, once what `missing` lists is there
├── Incomplete       422  what was given leaves out what `missing` lists
├── BadInput         422  what was given cannot be taken; `where` names the field or the place
├── TooLarge         413  a limit on size was passed
├── Unreadable       422  an evidence file was refused; carries the code of the analysis
└── NotSignedIn      401  who is asking is not proved, or was proved too long ago
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that is not there: its code, a sentence, who can supply it, and where (a path of a page, or "")."""

    code: str
    sentence: str
    who: str
    where: str


class Refusal(Exception):
    """Base of all refusals. `needs` is the way out, in a sentence."""

    code = "refused"
    status = 409
    title = "Refused"

    def __init__(
        self, message: str, *, needs: str = "", code: str = "", where: str = "", missing: Sequence[Missing] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.needs = needs
        self.code = code or type(self).code
        self.where = where
        self.missing = tuple(missing)

    def as_problem(self) -> Mapping[str, object]:
        """RFC 9457 members of this refusal, without `instance`."""
        return {
            "type": f"urn:countersign:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": " ".join(part for part in (self.message, self.needs) if part),
            "code": self.code,
            "where": self.where,
            "missing": [{"code": m.code, "sentence": m.sentence, "who": m.who, "where": m.where} for m in self.missing],
        }


class NotPermitted(Refusal):
    code, status, title = "not_permitted", 403, "Not permitted"


class NotVisible(Refusal):
    code, status, title = "not_found", 404, "Not found"


class WrongState(Refusal):
    code, status, title = "wrong_state", 409, "Not possible now"


class Redacted(Refusal):
    code, status, title = "bytes_redacted", 410, "Bytes redacted"


class StalePage(Refusal):
    code, status, title = "stale_page", 409, "Changed meanwhile"


class GateClosed(Refusal):
    code, status, title = "gate_closed", 409, "The gate is closed"


class Incomplete(Refusal):
    code, status, title = "incomplete", 422, "Incomplete"


class BadInput(Refusal):
    code, status, title = "bad_input", 422, "Cannot be taken"


class TooLarge(Refusal):
    code, status, title = "too_large", 413, "Too large"


class Unreadable(Refusal):
    code, status, title = "unreadable_evidence", 422, "Evidence refused"


class NotSignedIn(Refusal):
    code, status, title = "not_signed_in", 401, "Sign in"
