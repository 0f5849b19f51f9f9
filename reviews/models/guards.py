"""Database triggers that keep a memo from being decided without a decision, on SQLite and PostgreSQL.

A decision that is no emergency is refused when a line of its gate blocks, when it does not stand on the current
revision and the present end of the trail, when who decides has never sat on the team's board, or when fewer than two
people approved. A memo's state follows only from such a decision, made just now, or from an outcome; what is decided
is never open again. They are installed after every migrate, as those of `reviews.models.triggers`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from reviews.models.triggers import Trigger

STATE_REFUSED: Final = "no decision and no outcome leads this memo to that state"
DECISION_REFUSED: Final = "a decision is refused whose gate is not open"

HEAD: Final = (
    "(SELECT hash FROM reviews_event WHERE aggregate_kind = 'memo' AND aggregate_id = {memo}"
    " ORDER BY sequence DESC LIMIT 1)"
)
# A state that a decision leads to; the decision is the newest deed of the memo: its event is not written yet.
DECIDED: Final = (
    "EXISTS (SELECT 1 FROM reviews_decision WHERE memo_id = NEW.id AND kind = CASE NEW.state"  # noqa: S608
    " WHEN 'shipped' THEN 'ship' WHEN 'rolling_out' THEN 'bounded' WHEN 'rolled_back' THEN 'rollback'"
    f" WHEN 'escalated' THEN 'escalate' END AND chain_head = {HEAD.format(memo='NEW.id')})"
)
CLOSED: Final = (
    "NEW.state = 'closed' AND OLD.state IN ('shipped', 'rolled_back')"
    " AND EXISTS (SELECT 1 FROM reviews_outcome o WHERE o.memo_id = NEW.id AND o.decision_id ="
    " (SELECT id FROM reviews_decision WHERE memo_id = NEW.id ORDER BY number DESC LIMIT 1))"
)
OPEN_OR_WITHDRAWN: Final = (
    "NEW.state IN ('draft', 'in_review', 'withdrawn')"
    " AND OLD.state NOT IN ('shipped', 'rolled_back', 'closed', 'withdrawn')"
)
MOVED_RIGHTLY: Final = f"NEW.state = OLD.state OR ({OPEN_OR_WITHDRAWN}) OR ({CLOSED}) OR {DECIDED}"

ON_THE_BOARD: Final = (
    "EXISTS (SELECT 1 FROM reviews_assignment a JOIN reviews_memo m ON m.team_id = a.team_id"
    " WHERE m.id = NEW.memo_id AND a.person_id = NEW.decider_id AND a.role = 'board')"
)
TWO_APPROVE: Final = (
    "(SELECT COUNT(DISTINCT s.signer_id) FROM reviews_signature s WHERE s.memo_id = NEW.memo_id"
    " AND s.position IN ('approve', 'approve_with_conditions') AND NOT EXISTS"
    " (SELECT 1 FROM reviews_signaturewithdrawal w WHERE w.signature_id = s.id)) >= 2"
)
IN_PLACE: Final = (
    f"NEW.chain_head = {HEAD.format(memo='NEW.memo_id')}"  # noqa: S608
    " AND NEW.revision_id = (SELECT current_revision_id FROM reviews_memo WHERE id = NEW.memo_id)"
)
NO_LINE_BLOCKS: Final[Mapping[str, str]] = {
    "sqlite": (
        "json_array_length(NEW.gate) > 0 AND NOT EXISTS (SELECT 1 FROM json_each(NEW.gate)"
        " WHERE COALESCE(json_extract(value, '$.blocks'), 1) <> 0)"
    ),
    "postgresql": (
        "jsonb_array_length(NEW.gate) > 0 AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(NEW.gate) line"
        " WHERE COALESCE(line ->> 'blocks', 'true') <> 'false')"
    ),
}
FOUND_ON_POSTGRESQL: Final = """
SELECT c.relname, t.tgname, pg_get_triggerdef(t.oid) || ' ' || p.prosrc
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND c.relnamespace = current_schema()::regnamespace
"""
FOUND_ON_SQLITE: Final = "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger'"


def _decided_rightly(vendor: str) -> str:
    regular = f"{NO_LINE_BLOCKS[vendor]} AND {ON_THE_BOARD} AND (NEW.kind = 'escalate' OR {TWO_APPROVE})"
    emergency = "NEW.emergency AND NEW.kind = 'rollback'"
    return f"{IN_PLACE} AND (({emergency}) OR (NOT NEW.emergency AND {regular}))"


def wanted(connection: BaseDatabaseWrapper) -> Mapping[Trigger, str]:
    """The triggers that must stand, as the SQL that makes them; none while their tables do not exist."""
    if connection.vendor not in NO_LINE_BLOCKS:
        raise ImproperlyConfigured(f"No guards of decisions are known for {connection.vendor}.")
    if "reviews_decision" not in connection.introspection.table_names():
        return {}
    return dict(_on_sqlite() if connection.vendor == "sqlite" else _on_postgresql())


def install(connection: BaseDatabaseWrapper) -> None:
    """Every guard stands as written here, whatever stood before."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for (table, name), sql in wanted(connection).items():
            on_table = f' ON "{table}"' if connection.vendor == "postgresql" else ""
            cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on_table}')
            if connection.vendor == "postgresql":
                body = _body(name)
                cursor.execute(
                    f"CREATE OR REPLACE FUNCTION countersign_{name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$"
                )
                sql = sql.removesuffix(f" {body}")
            cursor.execute(sql)


def remove(connection: BaseDatabaseWrapper) -> None:
    """No guard stands. For migrations, which alter the tables that guards look into."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for table, name in wanted(connection):
            on_table = f' ON "{table}"' if connection.vendor == "postgresql" else ""
            cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on_table}')


def missing(connection: BaseDatabaseWrapper) -> list[Trigger]:
    """The guards that do not stand, are switched off, or do something else than written here."""
    with connection.cursor() as cursor:
        cursor.execute(FOUND_ON_POSTGRESQL if connection.vendor == "postgresql" else FOUND_ON_SQLITE)
        found = {(table, name): sql for table, name, sql in cursor.fetchall()}
    return sorted(trigger for trigger, sql in wanted(connection).items() if found.get(trigger) != sql)


def _on_sqlite() -> Iterator[tuple[Trigger, str]]:
    rightly = _decided_rightly("sqlite")
    for table, name, when, refused, holds in (
        ("reviews_memo", "reviews_memo_begins_as_draft", "INSERT", STATE_REFUSED, "NEW.state = 'draft'"),
        ("reviews_memo", "reviews_memo_moves_rightly", "UPDATE OF state", STATE_REFUSED, MOVED_RIGHTLY),
        ("reviews_decision", "reviews_decision_is_rightly_made", "INSERT", DECISION_REFUSED, rightly),
    ):
        refusal = f"SELECT RAISE(ABORT, '{table}: {refused}');"
        condition = f"({holds}) IS NOT TRUE"
        yield (
            (table, name),
            f'CREATE TRIGGER "{name}" BEFORE {when} ON "{table}" WHEN {condition} BEGIN {refusal} END',
        )


def _on_postgresql() -> Iterator[tuple[Trigger, str]]:
    for table, name, when in (
        ("reviews_memo", "moves_rightly", "INSERT OR UPDATE OF state"),
        ("reviews_decision", "is_rightly_made", "INSERT"),
    ):
        made = (
            f"CREATE TRIGGER {name} BEFORE {when} ON public.{table} FOR EACH ROW EXECUTE FUNCTION countersign_{name}()"
        )
        yield (table, name), f"{made} {_body(name)}"


def _body(name: str) -> str:
    if name == "is_rightly_made":
        holds, refused = _decided_rightly("postgresql"), DECISION_REFUSED
    else:
        holds, refused = f"CASE WHEN TG_OP = 'INSERT' THEN NEW.state = 'draft' ELSE {MOVED_RIGHTLY} END", STATE_REFUSED
    return f"""
BEGIN
    IF ({holds}) IS NOT TRUE THEN
        RAISE EXCEPTION '%: {refused}', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
"""
