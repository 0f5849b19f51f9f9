import pytest

from analysis.attribution import Facts, attribute


@pytest.mark.parametrize(
    ("established", "blocked", "two_systems", "overlap", "rung"),
    [
        (False, True, False, 1.0, 0),
        (True, False, True, 1.0, 1),
        (True, True, False, 0.0, 1),
        (True, False, False, 0.3, 1),
        (True, False, False, None, 1),
        (True, False, False, 0.5, 2),
        (True, True, False, None, 2),
        (True, True, False, 0.3, 2),
    ],
)
def test_recorded_facts_decide_the_rung(
    established: bool, blocked: bool, two_systems: bool, overlap: float | None, rung: int
) -> None:
    facts = Facts(established=established, blocked=blocked, two_systems=two_systems, overlap=overlap)

    assert attribute(facts).rung == rung
