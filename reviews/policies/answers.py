"""What a rule can answer, and the requirement that the gate makes of it."""

from dataclasses import dataclass

from reviews.errors import Missing
from reviews.vocabulary import RequirementState


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that a rule misses. who: people who can supply it; where: relative to the memo's page.

    subject: names the gap inside its rule, so that a waiver can name it; "" for a gap that no waiver closes.
    """

    sentence: str
    who: str
    where: str
    subject: str


@dataclass(frozen=True, slots=True)
class Met:
    """Nothing is missing; the sentence says what was found."""

    sentence: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The rule has nothing to say here; the sentence says why."""

    sentence: str


Answer = tuple[Gap, ...] | Met | NotApplicable


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One line of the gate. A rule with several gaps has a line for each.

    code: "<rule>", or "<rule>:<subject>" for a gap that can be named, which is what a waiver names.
    required: False where the line is only shown. waivable: this very gap may be waived.
    """

    rule: str
    code: str
    state: RequirementState
    sentence: str
    who: str
    where: str
    required: bool
    waivable: bool
    rules_version: str

    @property
    def blocks(self) -> bool:
        """Whether this line alone closes the gate."""
        return self.required and self.state in (RequirementState.UNMET, RequirementState.ERROR)

    def as_missing(self) -> Missing:
        """The line as what a refusal lists."""
        return Missing(self.code, self.sentence, self.who, self.where)
