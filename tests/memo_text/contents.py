"""Contents and texts for the memo text's tests."""

from hypothesis import strategies as st

from reviews import sections as s
from reviews.memo_text import Parsed, parse
from reviews.memo_text.labels import LABELS
from reviews.memo_text.owners import template_owners
from reviews.memo_text.placeholders import only_placeholders, placeholders, says_none
from reviews.memo_text.shipped import templates
from reviews.memo_text.text import lines_of, paragraphs_of, slug
from reviews.vocabulary import (
    Better,
    ComparisonRole,
    Match,
    MechanismClass,
    ObservationWindow,
    Purpose,
    RiskKind,
    Scale,
)

BATCH, REGRESSION = templates()

AWKWARD = (
    "Failing metric: x",
    "- a",
    "* b",
    "• c",
    "1. Symptom",
    "2) d",
    "(3) e",
    "# f",
    "## Signoff",
    "\\",
    "\\\\",
    "|",
    "<",
    ">",
    "a, b",
    "g; h",
    "or",
    "and",
    "H2: i",
    "H1 (memory): j",
    "(owner: me)",
    "Base: " + "0" * 64,
    "---",
    "**bold**",
    "none",
    "TBD",
    "naïve",
    "ß",
    "—",
    "5 %",
    "+5 %",
    "Owner: bob",
    "Owner",
    "line 3: k",
    "memory",
    "thermal limits",
    ":",
    "REVIEW MEMO - l",
    "`",
    "*",
    "__",
    "P99 latency",
    "throughput",
    "up 5 to 10 %",
    "compiler: m",
    "Stage: 5 %",
    "Change",
    "[x] n",
    "[ ]",
    "a/b/c/d",
    "correctness",
    "quality: o",
    "inference platform owner",
    "metric: p",
    "=",
    "Rollout:",
    "1.05..1.2",
    "Template: batch-size-effects 2",
    "owner: q",
    "result: r",
    "checked: s",
    "0",
    "| t | u |",
    "1,000",
    "A. v",
    "> w",
    "\u200d",
    "'",
    "“",
)

letters = st.text(
    st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"), exclude_characters="\ufeff\u200b\u00ad"),
    max_size=8,
)
pieces = st.sampled_from(AWKWARD) | letters


@st.composite
def prose(draw: st.DrawFn, *, breaks: bool = True) -> str:
    """Words that a field can hold: tidy paragraphs that are no placeholder."""
    said = draw(st.lists(pieces, min_size=1, max_size=5))
    joint = draw(st.sampled_from([" ", "\n"])) if breaks else " "
    return "\n".join(paragraphs_of(joint.join(said)))


def _says_something(text: str) -> bool:
    return bool(text) and not placeholders(text) and not only_placeholders(text) and not says_none(text)


words = prose().filter(_says_something)
line = prose(breaks=False).filter(_says_something)
maybe = st.just("") | words
names = st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True)
stats = st.sampled_from(["", "p99", "rate", "mean", "p99.9"])
decimals = st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,4})?", fullmatch=True)
maybe_decimal = st.just("") | decimals
wanted = st.from_regex(r"[a-z]{2,5}([ ,/][a-z]{2,5}){0,2}", fullmatch=True).filter(
    lambda text: placeholders(f"<{text}>") == [text]
)


def choices(values: type[Better | ComparisonRole | Match | MechanismClass | ObservationWindow | Purpose | Scale]):  # type: ignore[no-untyped-def]
    return st.sampled_from(["", *values.values])


failing = st.builds(s.FailingMetric, said=words, metric=st.just("") | names, stat=stats, condition=maybe)
tags = st.builds(s.BuildTags, compiler=maybe, firmware=maybe, runtime=maybe, hardware=maybe)
checks = st.builds(s.QualityCheck, name=words, result=maybe)
symptoms = st.builds(
    s.Symptom,
    failing_metric=maybe,
    failing_metrics=st.lists(failing, max_size=3).map(tuple),
    workload_slice=maybe,
    first_failing_layer=maybe,
    build_tags=tags,
    observation_window=choices(ObservationWindow),
    quality_checks=st.lists(checks, max_size=2).map(tuple),
)
differences = st.builds(
    s.ChangeRow, name=words, baseline=maybe, candidate=maybe, on_purpose=st.booleans(), source=st.just("typed")
)
strata = st.builds(s.Stratum, sku=words, driver=maybe, firmware=maybe, excluded=maybe)
changes = st.builds(
    s.Change,
    summary=maybe,
    baseline=maybe,
    candidate=maybe,
    rows=st.lists(differences, max_size=2).map(tuple),
    scope=st.lists(strata, max_size=2).map(tuple),
)
prediction_keys = st.from_regex(r"P[0-9]{1,2}", fullmatch=True)
predictions = st.builds(
    s.Prediction, key=prediction_keys, metric=names, stat=stats, condition=maybe, low=maybe_decimal, high=maybe_decimal
)
hypothesis_keys = st.integers(1, 99).map("H{}".format)
primaries = st.builds(
    s.Hypothesis,
    key=hypothesis_keys,
    rank=st.just("primary"),
    mechanism=st.sampled_from(MechanismClass.values),
    statement=words,
    predictions=st.lists(predictions, max_size=2).map(tuple),
)
competing = st.builds(
    s.Hypothesis,
    key=hypothesis_keys,
    rank=st.just("competing"),
    mechanism=st.sampled_from(MechanismClass.values),
    statement=words,
    predictions=st.lists(predictions, max_size=1).map(tuple),
)
missing = st.builds(s.MissingEvidence, what=words, owner=maybe)


def _with_distinct_keys(rows: list[s.Hypothesis]) -> bool:
    return len({h.key for h in rows}) == len(rows)


hypotheses = st.builds(
    s.Hypotheses,
    hypotheses=st.tuples(st.lists(primaries, max_size=2), st.lists(competing, max_size=3))
    .map(lambda both: [*both[0], *both[1]])
    .filter(_with_distinct_keys)
    .map(tuple),
    missing_evidence=st.lists(missing, max_size=2).map(tuple),
)
comparisons = st.builds(
    s.Comparison,
    key=st.integers(1, 99).map("C{}".format),
    metric=names | st.sampled_from(["throughput", "latency"]),
    stat=stats,
    slice=maybe,
    role=choices(ComparisonRole),
    better=choices(Better),
    scale=choices(Scale),
    margin=maybe_decimal,
    purpose=choices(Purpose),
    match=choices(Match),
    absent_reason=maybe,
)
expected = st.builds(s.ExpectedMovement, metric=names, stat=stats, low=maybe_decimal, high=maybe_decimal, said=maybe)
risks = st.lists(
    st.builds(s.Risk, kind=st.sampled_from(RiskKind.values), checked=maybe, result=maybe),
    max_size=4,
    unique_by=lambda risk: risk.kind,
)
actions = st.builds(
    s.ProposedAction,
    smallest_reversible_change=maybe,
    expected_movement=maybe,
    expected=st.lists(expected, max_size=2).map(tuple),
    rollback_target=maybe,
    rollback_boundary=maybe,
    rollback_owner=maybe,
    risks=risks.map(tuple),
)
stages = st.builds(s.RolloutStage, percent=decimals, where=maybe, soak_hours=maybe_decimal)
thresholds = st.builds(s.AbortThreshold, comparison=words, metric=names, stat=stats, limit=maybe_decimal)
rollouts = st.builds(
    s.Rollout,
    stages=st.lists(stages, max_size=2).map(tuple),
    abort_thresholds=st.lists(thresholds, max_size=2).map(tuple),
    ends_at=maybe,
    procedure=maybe,
    owner=maybe,
)
OURS = template_owners(BATCH)
extra_owners = st.lists(
    words.filter(lambda title: slug(title) and slug(title) not in {slug(o.title) for o in OURS}),
    max_size=2,
    unique_by=slug,
)
signoffs = st.builds(
    s.Signoff,
    required_artifact=maybe,
    required_owners=extra_owners.map(
        lambda titles: (*OURS, *(s.RequiredOwner(role=slug(t), title=t, from_template=False) for t in titles))
    ),
    final_decision=maybe,
    escalation=st.builds(s.Escalation, to=maybe, by=maybe, question=maybe),
)
kept_texts = pieces.map(lambda piece: f"  {piece}".rstrip()).filter(lambda t: bool(t) and lines_of(t) == [t])
kept = st.lists(st.builds(s.KeptText, line=st.integers(1, 999), text=kept_texts), max_size=3)

UNFILLED_TEXTS = tuple(
    label.path for label in LABELS if label.kind == "text" and label.path != "symptom.observation_window"
)
UNFILLED_LISTS = tuple(label.path for label in LABELS if label.kind != "text" and label.path != "symptom.build_tags")


def _holds(content: s.MemoContent, path: str) -> object:
    value: object = content
    for part in path.split("."):
        value = getattr(value, part)
    return value


@st.composite
def contents(draw: st.DrawFn) -> s.MemoContent:
    """Any content, as far as a text can say it."""
    content = s.MemoContent(
        header=s.Header(
            title="t", team="team", intent="regression", template=BATCH.slug, template_version=BATCH.version
        ),
        symptom=draw(symptoms),
        change=draw(changes),
        hypotheses=draw(hypotheses),
        comparisons=s.Comparisons(
            comparisons=tuple(draw(st.lists(comparisons, max_size=2, unique_by=lambda c: c.key)))
        ),
        action=draw(actions),
        rollout=draw(rollouts),
        signoff=draw(signoffs),
    )
    empty = [path for path in UNFILLED_TEXTS if not _holds(content, path)]
    open_paths = draw(st.sets(st.sampled_from([*empty, *UNFILLED_LISTS]), max_size=4))
    order = [label.path for label in LABELS]
    header = s.Header(
        title=draw(line),
        team="team",
        intent="regression",
        template=BATCH.slug,
        template_version=BATCH.version,
        unfilled=tuple(s.Unfilled(field=p, wanted=draw(wanted)) for p in sorted(open_paths, key=order.index)),
        kept=tuple(sorted(draw(kept), key=lambda row: row.line)),
    )
    return s.MemoContent(
        header=header,
        symptom=content.symptom,
        change=content.change,
        hypotheses=content.hypotheses,
        comparisons=content.comparisons,
        action=content.action,
        rollout=content.rollout,
        signoff=content.signoff,
    )


def read(text: str) -> Parsed:
    """The text read with the template Batch Size Effects."""
    return parse(text, BATCH, team="team", intent="regression")
