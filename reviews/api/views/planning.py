"""What is computed and not stored: what to measure next, and comparisons of summaries."""

from fractions import Fraction

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.next_measurement import ranking_to_json
from analysis.summary_comparison import compare_summaries, comparison_to_json
from reviews import next_measurement, summaries
from reviews.api.authentication import READ
from reviews.api.base import Door, asked, given, memo_of, shown
from reviews.api.once import once
from reviews.api.shapes.planning import GuessQuery, MeasurementsToRank, RankingOfMemoShape, RankingShape
from reviews.api.shapes.summaries import ComparisonOfSummariesShape, SummariesQuestion
from reviews.queries.next_measurement import GUESS, next_of_memo


class NextMeasurement(Door):
    """Measurements that could be made, by what they would tell."""

    writes = READ

    @extend_schema(operation_id="next_measurement", request=MeasurementsToRank, responses=RankingShape)
    @once
    def post(self, request: Request) -> Response:
        """The measurements in the order of what they are expected to tell of which hypothesis holds; no evidence."""
        written = next_measurement.from_values(given(MeasurementsToRank, request))
        return shown(RankingShape(ranking_to_json(next_measurement.ranked(written))))


class Summaries(Door):
    """Two arms of which only summaries of runs are known."""

    writes = READ

    @extend_schema(
        operation_id="comparison_of_summaries", request=SummariesQuestion, responses=ComparisonOfSummariesShape
    )
    @once
    def post(self, request: Request) -> Response:
        """Interval and verdict from mean, standard deviation and count of each arm's runs, with what they assume."""
        body = given(SummariesQuestion, request)
        baseline, candidate = (
            summaries.summary_of(arm["mean"], arm["deviation"], arm["count"], body["of"])
            for arm in (body["baseline"], body["candidate"])
        )
        margin = summaries.margin_of(body["margin"], body["better"])
        found = compare_summaries(baseline, candidate, better=body["better"], margin=margin)
        return shown(ComparisonOfSummariesShape(comparison_to_json(found)))


class NextOfMemo(Door):
    """What a memo could measure next."""

    @extend_schema(operation_id="memos_next_measurement", parameters=[GuessQuery], responses=RankingOfMemoShape)
    def get(self, request: Request, number: str) -> Response:
        """The measurements for which its open hypotheses predict a ratio, the most telling first; no evidence."""
        memo = memo_of(request, number)
        guess = asked(GuessQuery, request)["guess"]
        found = next_of_memo(memo, GUESS if guess is None else Fraction(guess) / 100)
        return shown(RankingOfMemoShape(found))
