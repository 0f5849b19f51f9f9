"""What was measured and compared: sealed evidence sets and comparisons."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentRow:
    """One attached artifact. run: key in the file, "" for all its runs. placement_source: file, capture or typed.

    excluded: the rule of the plan by which the run does not count, "" when it does. clock: as stated, "" for nothing.
    """

    artifact: str
    name: str
    kind: str
    arm: str
    run: str
    block: str
    placement: str
    placement_source: str
    use: str
    attached_by: str
    excluded: str = ""
    clock: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSet:
    number: int
    title: str
    plan: str
    sealed_at: str
    sealed_by: str
    attachments: tuple[AttachmentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    sets: tuple[SealedSet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a difference in a setting does not matter; beyond tolerance it states a greatest effect (a ratio, "1.01")."""

    setting: str
    text: str
    greatest_effect: str
    by: str
    accepted_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedSetting:
    """A setting that the files do not record and somebody states, for one arm."""

    setting: str
    arm: str
    value: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """key: "C1", … stable. margin: the worst acceptable ratio as a decimal ("0.98"; "1.02" for lower-is-better).

    assessment: digest of its assessment, "" while there is none; then `absent_reason` may say why there will be none.
    evidence_set: number of the sealed set that it reads, 0 while there is none.
    """

    key: str
    metric: str
    stat: str
    slice: str
    role: str
    better: str
    scale: str
    margin: str
    purpose: str
    match: str
    plan: str = ""
    evidence_set: int = 0
    explanations: tuple[Explanation, ...] = ()
    stated: tuple[StatedSetting, ...] = ()
    assessment: str = ""
    absent_reason: str = ""

    @property
    def places_a_build(self) -> bool:
        """Whether it is a step of a bisection: a screening on replayed inputs, of a build that is no candidate."""
        return self.role == "screening" and self.purpose == "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    comparisons: tuple[Comparison, ...] = ()
