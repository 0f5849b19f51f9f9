"""Which ratio candidate / baseline an expected movement means: "up 5 to 10 %" is 1.05..1.1."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_NUMBER: Final = r"\d{1,9}(?:\.\d{1,12})?"
_TO: Final = r"\s*(?:\.\.|to|and|[–—-])\s*"
_SIGNED: Final = (
    rf"(?P<sign>[+−-])?\s*(?P<a>{_NUMBER})\s*%?(?:{_TO}(?P<bsign>[+−-])?\s*(?P<b>{_NUMBER})\s*%?)?(?=\s|$|[,;.)])"
)
_RATIO: Final = re.compile(
    rf"(?:ratio\s*|[x×]\s*)?\[?(?P<low>{_NUMBER})?\s*\.\.\s*(?P<high>{_NUMBER})?\]?", re.IGNORECASE
)
_TIMES: Final = re.compile(rf"(?:\bratio\s*|(?<!\w)x\s*|×\s*)(?P<low>{_NUMBER}){_TO}(?P<high>{_NUMBER})", re.IGNORECASE)
_PERCENT: Final = re.compile(_SIGNED)
_UP: Final = re.compile(r"\b(?:up|higher|increas\w*|rise\w*|gain\w*|grow\w*|more|above)\b", re.IGNORECASE)
_DOWN: Final = re.compile(r"\b(?:down|lower\w*|decreas\w*|fall\w*|drop\w*|reduc\w*|less|shrink\w*)\b", re.IGNORECASE)
_BETTER: Final = re.compile(r"\b(?:better|improv\w*)\b", re.IGNORECASE)
_WORSE: Final = re.compile(r"\b(?:worse\w*|regress\w*|degrad\w*)\b", re.IGNORECASE)
_LEAST: Final = re.compile(r"(?:\bat least\b|\bminimum\b|\bmin\b|≥|>=|>)", re.IGNORECASE)
_MOST: Final = re.compile(
    r"(?:\bat most\b|\bno more than\b|\bnot more than\b|\bup to\b|\bby not more\b|≤|<=|<)", re.IGNORECASE
)
_WITHIN: Final = re.compile(r"(?:\bwithin\b|±|\bunchanged\b|\bflat\b)", re.IGNORECASE)
_SIGNS: Final = {"+": 1, "-": -1, "−": -1}
_PERCENT_WORD: Final = re.compile(r"\s*\bper ?cent\b", re.IGNORECASE)
_NOT: Final = re.compile(r"\b(?:not?|never|without)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Movement:
    """A ratio interval, "" at an open end. doubt: why it says less than the text, "" when it does not."""

    low: str
    high: str
    doubt: str


NOT_UNDERSTOOD: Final = Movement("", "", 'its ratio is not understood: write "+3 to +7 %" or "1.03..1.07"')
_ONE_NUMBER: Final = 'one number is no range: only its direction was taken; write "+3 to +7 %" or "1.03..1.07"'


def movement_of(said: str, better: str) -> Movement:
    """The movement that words mean for a metric that is better `better` ("" when that is not known)."""
    said = _PERCENT_WORD.sub(" %", said)
    if (m := _RATIO.search(said)) and (m["low"] or m["high"]):
        return Movement(m["low"] or "", m["high"] or "", "")
    if m := _TIMES.search(said):
        return Movement(m["low"], m["high"], "")
    percent = next((m for m in _PERCENT.finditer(said) if "%" in m.group()), None)
    if percent is None:
        return _direction_alone(_sign_of(said, better), said)
    return _of_percent(percent, said, better)


def _sign_of(said: str, better: str) -> int:
    good = {"higher": 1, "lower": -1, "": 0}[better]
    signs = ((_BETTER, good), (_WORSE, -good), (_UP, 1), (_DOWN, -1))
    return next((sign for pattern, sign in signs if sign and pattern.search(_MOST.sub(" ", said))), 0)


def _direction_alone(sign: int, said: str) -> Movement:
    if not sign or _WITHIN.search(said):
        return NOT_UNDERSTOOD
    above = (sign > 0) != bool(_NOT.search(_MOST.sub(" ", said)))
    return Movement("1", "", "") if above else Movement("", "1", "")


def _of_percent(m: re.Match[str], said: str, better: str) -> Movement:
    far = Decimal(m["b"] or m["a"])
    if not m["sign"] and _WITHIN.search(said):
        return Movement(_ratio(-far), _ratio(far), "")
    sign = _SIGNS.get(m["sign"]) or _sign_of(said, better)
    if not sign:
        return NOT_UNDERSTOOD
    if m["b"]:
        low, high = sorted((sign * Decimal(m["a"]), _SIGNS.get(m["bsign"], sign) * far))
        return Movement(_ratio(low), _ratio(high), "")
    return _of_one_number(sign, far, said)


def _of_one_number(sign: int, percent: Decimal, said: str) -> Movement:
    edge = _ratio(sign * percent)
    beyond, short = (Movement(edge, "", ""), Movement("", edge, ""))[:: 1 if sign > 0 else -1]
    if _MOST.search(said) or _NOT.search(said):
        return short
    if _LEAST.search(said):
        return beyond
    return Movement("1", "", _ONE_NUMBER) if sign > 0 else Movement("", "1", _ONE_NUMBER)


def _ratio(percent: Decimal) -> str:
    """The ratio of a change in percent; "" for one that no positive quantity can make."""
    ratio = 1 + percent / 100
    return f"{ratio.normalize():f}" if ratio > 0 else ""
