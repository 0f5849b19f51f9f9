"""Which parts of the fleet the evidence covers: SKU × driver × firmware, by what the runs state."""

from typing import Any

import pytest

from reviews.policies.evidence_facts import AuditFacts
from reviews.policies.strata import strata_of
from reviews.sections import Stratum

from .open_gate import OPEN, an_assessment


def stated(
    setting: str, baseline: tuple[str, ...], candidate: tuple[str, ...] | None = None, state: str = "same"
) -> Any:
    return AuditFacts(
        setting=setting, state=state, blocks=False, sentence="", baseline=baseline, candidate=candidate or baseline
    )


SKU = stated("gpu_name", ("NVIDIA H100 80GB HBM3",))
DRIVER = stated("driver_version", ("550.54",))
FIRMWARE = stated("vbios_version", ("96.00",))
H100 = Stratum(sku="nvidia h100 80GB HBM3", driver="550.54", firmware="96.00")


@pytest.mark.parametrize(
    ("scope", "audit", "covered", "why"),
    [
        (H100, (SKU, DRIVER, FIRMWARE), True, ""),
        (Stratum(sku="NVIDIA H100 80GB HBM3"), (SKU,), True, ""),
        (H100, (SKU, DRIVER), False, "no run of both arms states this firmware"),
        (H100, (SKU,), False, "no run of both arms states this driver and firmware"),
        (
            Stratum(sku="NVIDIA H100 80GB HBM3", driver="550"),
            (SKU, DRIVER),
            False,
            "no run of both arms states this driver",
        ),
        (
            Stratum(sku="NVIDIA H100 80GB HBM3", driver="560.1"),
            (SKU, stated("driver", ("550.54",), ("560.1",))),
            False,
            "no run of both arms states this driver",
        ),
        (
            Stratum(sku="NVIDIA H100 80GB HBM3", driver="560.1"),
            (SKU, stated("driver", ("550.54",), ("560.1",), "differs_as_declared")),
            True,
            "",
        ),
        (
            Stratum(sku="A100", driver="550.54"),
            (stated("gpu", ("A100", "H100")), stated("driver", ("550.54", "560.1"))),
            False,
            "the runs state several values of sku and driver, and not which went together",
        ),
        (Stratum(sku="A100", driver="550.54"), (stated("gpu", ("A100", "H100")), DRIVER), True, ""),
    ],
)
def test_a_stratum_is_covered_by_what_both_arms_state(scope: Stratum, audit: Any, covered: bool, why: str) -> None:
    [found] = strata_of((scope,), [an_assessment(audit=audit)])

    assert (found.covered, found.excluded, found.why) == (covered, False, why)


def test_an_excluded_stratum_keeps_its_reason() -> None:
    [found] = strata_of((Stratum(sku="A100", driver="470", excluded="No such host is left."),), [])

    assert (found.name, found.covered, found.excluded) == ("A100 × driver 470", False, True)
    assert found.why == "No such host is left."


def test_without_an_interval_nothing_is_covered() -> None:
    [found] = strata_of((Stratum(sku="H100"),), [an_assessment(audit=(SKU,), interval=None)])

    assert (found.covered, found.why) == (False, "nothing has an interval")


def test_a_memo_without_a_scope_has_no_strata() -> None:
    assert strata_of((), OPEN.assessments.values()) == ()
