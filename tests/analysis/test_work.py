"""The audit of work and configuration: what differs, what it widens, and what it blocks."""

from fractions import Fraction
from typing import Any

import pytest

from analysis import work
from analysis.assess import Stated
from analysis.measurements import Setting
from analysis.work import AuditRow, NotComparable, differences, tell, unstated
from tests.analysis.audited import arms, explained, rows
from tests.analysis.props import a_plan, a_run, codes


def test_what_differs_and_is_not_varied_is_found() -> None:
    table = tell(arms((("dtype", "fp16"), ("tp", "4")), (("dtype", "fp8"), ("tp", "4"))), (), failed=())

    assert differences(table, varied=("image",)) == ("dtype",)
    assert differences(table, varied=()) == ("dtype", "image")


def test_a_setting_that_one_arm_leaves_out_differs() -> None:
    table = tell(arms((("dtype", "fp16"),)), (), failed=())

    assert differences(table, varied=("image",)) == ("dtype",)


def test_two_silent_arms_do_not_differ_but_the_silence_is_found() -> None:
    table = tell(arms(), (), failed=())

    assert differences(table, varied=("image",)) == ()
    assert unstated(table, required=("dtype", "output_tokens")) == ("dtype",)


def test_silence_of_a_single_run_is_found() -> None:
    table = tell([*arms(), a_run("candidate", 9, 1.0, work=())], (), failed=())

    assert unstated(table, required=("output_tokens",)) == ("output_tokens",)


def test_identity_is_never_compared() -> None:
    run = a_run("baseline", 1, 1.0)
    host = Setting("0", "host", "h1", "", "identity", "file field", "f:3")
    from dataclasses import replace  # noqa: PLC0415

    with_host = replace(run, reading=replace(run.reading, settings=(*run.reading.settings, host)))

    assert "host" not in rows([with_host, a_run("candidate", 1, 1.0)])


def test_the_same_setting_is_the_same() -> None:
    row = rows(arms((("tp", "4"),), (("tp", "4"),)))["tp"]

    assert (row.state, row.baseline, row.candidate, row.blocks) == ("same", ("4",), ("4",), False)
    assert row.sources == ("file field",)


def test_values_are_compared_as_sets_over_the_runs() -> None:
    seeds = [a_run(arm, i, 1.0, settings=(("seed", str(i)),)) for arm in ("baseline", "candidate") for i in range(3)]

    assert rows(seeds)["seed"].state == "same"
    assert rows(seeds[1:])["seed"].state == "differs"


def test_a_varied_setting_differs_as_declared() -> None:
    row = rows(arms())["image"]

    assert (row.state, row.blocks, row.greatest_effect) == ("differs_as_declared", False, None)


def test_a_difference_blocks_until_it_is_explained_and_accepted() -> None:
    runs = arms((("dtype", "fp16"),), (("dtype", "fp8"),))

    assert rows(runs)["dtype"].blocks
    assert rows(runs, explained=(explained("dtype", "1.01", accepted=False),))["dtype"].blocks
    assert rows(runs, explained=(explained("dtype", None),))["dtype"].blocks
    assert rows(runs, explained=(explained("dtype", "0"),))["dtype"].blocks
    accepted = rows(runs, explained=(explained("dtype", "1.01"),))["dtype"]
    assert (accepted.state, accepted.blocks, accepted.greatest_effect) == ("differs", False, Fraction("1.01"))
    assert accepted.explanation == "no matter (ann, accepted)"


def test_an_effect_below_one_widens_as_much_as_its_reciprocal() -> None:
    runs = arms((("dtype", "fp16"),), (("dtype", "fp8"),))

    assert rows(runs, explained=(explained("dtype", "0.5"),))["dtype"].greatest_effect == 2


def test_numbers_of_work_are_equal_however_they_are_written() -> None:
    assert rows(arms(tokens=("100", "100.0")))["output_tokens"].state == "same"


def test_work_within_tolerance_widens_by_the_ratio_of_its_extremes() -> None:
    row = rows(arms(tokens=("1000", "1005")))["output_tokens"]

    assert (row.state, row.blocks, row.greatest_effect) == ("differs", False, Fraction(1005, 1000))
    assert row.sentence == (
        "output_tokens differs by 0.5 % between the extremes; 0.5 % is tolerated. "
        "It widens the interval by a factor of 1.005 on each side."
    )


def test_work_beyond_tolerance_blocks_or_widens_by_its_accepted_effect() -> None:
    runs = arms(tokens=("1000", "1006"))

    assert rows(runs)["output_tokens"].blocks
    row = rows(runs, explained=(explained("output_tokens", "1.02"),))["output_tokens"]
    assert (row.blocks, row.greatest_effect) == (False, Fraction("1.02"))
    assert "Explained and accepted." in row.sentence


def test_spread_inside_one_arm_counts() -> None:
    runs = [a_run("baseline", i, 1.0, work=(("output_tokens", n),)) for i, n in enumerate(("100", "200"))]

    assert rows([*runs, *arms()[2:]])["output_tokens"].blocks


@pytest.mark.parametrize("tokens", [("0", "5"), ("many", "5"), ("-5", "5")])
def test_work_without_a_positive_ratio_is_beyond_any_tolerance(tokens: tuple[str, str]) -> None:
    row = rows(arms(tokens=tokens), plan=a_plan(tolerances={"output_tokens": Fraction(10)}))["output_tokens"]

    assert row.blocks
    assert row.sentence.startswith("output_tokens differs; 1000 % is tolerated.")


def test_no_work_in_both_arms_is_the_same_work() -> None:
    assert rows(arms(tokens=("0", "0")))["output_tokens"].state == "same"


def test_a_tolerance_serves_a_numeric_configuration_too() -> None:
    plan = a_plan(tolerances={"clock": Fraction("0.01")})
    runs = arms((("clock", "1000"),), (("clock", "1005"),))

    assert rows(runs, plan=plan)["clock"].greatest_effect == Fraction(1005, 1000)


def test_work_that_only_one_arm_counts_differs_in_kind_whatever_is_explained() -> None:
    row = rows(arms(tokens=("100", None)), explained=(explained("output_tokens", "1.01"),))["output_tokens"]

    assert (row.state, row.blocks) == ("differs", True)
    assert "never comparable" in row.sentence


def test_a_stated_value_fills_silence_and_is_marked_as_typed() -> None:
    runs = arms((("dtype", "fp16"),))
    row = rows(runs, stated=(Stated("dtype", "candidate", "fp16", "ann"),))["dtype"]

    assert (row.state, row.sources) == ("same", ("file field", "typed by user"))


def test_a_stated_value_never_replaces_a_recorded_one() -> None:
    runs = arms((("dtype", "fp16"),), (("dtype", "fp8"),))

    assert rows(runs, stated=(Stated("dtype", "candidate", "fp16", "ann"),))["dtype"].blocks


def test_a_required_setting_that_nobody_records_blocks_until_it_is_stated() -> None:
    plan = a_plan(required=("dtype",))
    silent = rows(arms(), plan=plan, explained=(explained("dtype", "1.01"),))["dtype"]
    stated = [Stated("dtype", arm, "fp16", "ann") for arm in ("baseline", "candidate")]

    assert (silent.state, silent.blocks, silent.baseline) == ("not_recorded", True, ("not recorded",))
    assert silent.sentence == "dtype is not recorded for both arms. Somebody must state it."
    assert rows(arms(), plan=plan, stated=tuple(stated))["dtype"].state == "same"


def test_a_setting_of_one_arm_blocks_or_widens() -> None:
    runs = arms((("dtype", "fp16"),))

    assert rows(runs)["dtype"].sentence == (
        "dtype is not recorded for the candidate. State it, or explain its greatest effect."
    )
    row = rows(runs, explained=(explained("dtype", "1.01"),))["dtype"]
    assert (row.state, row.blocks, row.greatest_effect) == ("not_recorded", False, Fraction("1.01"))


def test_failed_requests_are_measured_against_the_completed_ones() -> None:
    def counted(arm: str, failed: str | None, done: str = "1000") -> Any:
        lost = () if failed is None else (("requests_failed", failed),)
        return a_run(arm, 1, 1.0, work=(("requests_completed", done), *lost))

    plan = a_plan(required=(), tolerances={"requests_failed": Fraction("0.005")})

    def row(*runs: Any) -> AuditRow:
        return rows(runs, plan=plan)["requests_failed"]

    assert row(counted("baseline", "0"), counted("candidate", "5")).greatest_effect == Fraction(1005, 1000)
    assert row(counted("baseline", "0"), counted("candidate", "6")).blocks
    assert row(counted("baseline", "0"), counted("candidate", "5", "none")).blocks
    assert row(counted("baseline", "0"), counted("candidate", None)).state == "not_recorded"


def test_failed_requests_without_a_count_of_completed_ones_block() -> None:
    runs = [a_run(arm, 1, 1.0, work=(("requests_failed", n),)) for arm, n in (("baseline", "0"), ("candidate", "1"))]

    assert rows(runs, plan=a_plan(required=()))["requests_failed"].blocks


def test_a_file_that_says_two_things_of_one_run_keeps_both() -> None:
    runs = arms((("tp", "4"), ("tp", "8"), ("tp", "4")), (("tp", "4"),))

    assert rows(runs)["tp"].baseline == ("4, 8, 4",)


def test_blocking_rows_are_named_in_the_refusal() -> None:
    def code(runs: Any, plan: Any = None) -> str:
        with pytest.raises(NotComparable) as refused:
            work.require_comparable(rows(runs, plan=plan or a_plan()).values())
        return refused.value.code

    assert code(arms(tokens=("100", "200"))) == "work_mismatch"
    assert code(arms((("dtype", "fp16"),), (("dtype", "fp8"),))) == "setting_differs"
    assert code(arms(), a_plan(required=("dtype",))) == "not_recorded"
    work.require_comparable(rows(arms()).values())


def test_all_greatest_effects_multiply() -> None:
    runs = arms((("dtype", "fp16"),), (("dtype", "fp8"),), tokens=("1000", "1005"))
    factor, reasons = work.widening(rows(runs, explained=(explained("dtype", "1.02"),)).values())

    assert factor == Fraction("1.02") * Fraction("1.005")
    assert len(reasons) == 2
    assert work.widening(rows(arms()).values()) == (Fraction(1), ())


def test_a_varied_setting_that_is_the_same_or_unknown_is_said() -> None:
    runs = arms((("tp", "4"),), (("tp", "4"),))
    said = work.notices(rows(runs).values(), varied=("tp", "driver", "image"))

    assert codes(said) == {"varied_is_the_same", "varied_not_recorded", "bundle"}
    assert work.notices(rows(runs).values(), varied=("image",)) == ()


def test_work_that_differs_from_run_to_run_in_both_arms_alike_is_the_same() -> None:
    runs = [
        a_run(arm, at, 0.1, work=(("samples", amount),))
        for arm in ("baseline", "candidate")
        for at, amount in enumerate(("3072", "3456"))
    ]

    found = rows(runs, plan=a_plan(required=()))["samples"]

    assert (found.state, found.blocks) == ("same", False)


def test_nothing_done_is_the_same_however_it_is_written() -> None:
    found = rows(arms(tokens=("0", "0.0")), plan=a_plan(required=()))["output_tokens"]

    assert (found.state, found.blocks) == ("same", False)
