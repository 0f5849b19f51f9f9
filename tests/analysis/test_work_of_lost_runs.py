"""What failed and excluded runs tell of work and configuration."""

import pytest

from analysis.assess import Stated
from tests.analysis.audited import Told, arms, rows
from tests.analysis.props import a_run


def test_the_work_of_a_failed_run_is_not_compared_but_its_configuration_is() -> None:
    lost = a_run("candidate", 9, 1.0, work=(("output_tokens", "1"),), settings=(("dtype", "fp8"),))
    found = rows([*arms((("dtype", "fp16"),), (("dtype", "fp16"),)), lost], failed=("c9",))

    assert found["output_tokens"].state == "same"
    assert found["dtype"].blocks


@pytest.mark.parametrize("work", [(), (("output_tokens", "1"),)])
def test_a_failed_run_tells_neither_work_nor_that_it_is_missing(work: Told) -> None:
    lost = a_run("candidate", 9, 1.0, work=work)

    assert rows([*arms(), lost], failed=("c9",))["output_tokens"].state == "same"
    assert rows([*arms(), lost])["output_tokens"].blocks
    stated = (Stated("output_tokens", "candidate", "7", "ann"),)
    assert rows([*arms(), lost], failed=("c9",), stated=stated)["output_tokens"].candidate == ("100",)


def test_an_excluded_run_tells_nothing() -> None:
    out = a_run("candidate", 9, 1.0, settings=(("dtype", "fp8"),), excluded="throttled")

    assert "dtype" not in rows([*arms(), out])


def test_leaving_out_one_seed_changes_no_setting() -> None:
    out = {("candidate", 2): "hot"}
    runs = [
        a_run(arm, n, 1.0, settings=(("seed", str(n)), ("tp", "4")), excluded=out.get((arm, n), ""))
        for arm in ("baseline", "candidate")
        for n in range(3)
    ]
    silent = a_run("candidate", 9, 1.0, excluded="hot")
    alone = a_run("candidate", 8, 1.0, settings=(("seed", "8"), ("tp", "8")), excluded="hot")

    assert {name: row.state for name, row in rows(runs).items() if row.blocks or name == "seed"} == {"seed": "same"}
    assert rows([*runs, silent])["seed"].state == "same"
    assert rows([*runs, alone])["seed"].blocks
    assert not rows([*runs, alone])["tp"].blocks
    assert "seed" not in rows([*arms(), alone])
