"""When a role may be delegated: dated, scoped, one step deep, never in a circle, and never to who wrote the memo."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from reviews.errors import BadInput, NotPermitted
from reviews.policies.numbers import listed
from reviews.vocabulary import StandingRole

LONGEST: Final = timedelta(days=90)
SLACK: Final = timedelta(minutes=5)
NOT_DELEGATED: Final = frozenset(StandingRole.values) - {StandingRole.ROLLBACK_OWNER.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A delegation, wished for or known. memo: its number, "" for all memos of the team. Ended early: ends_at."""

    holder: str
    delegate: str
    role: str
    memo: str
    starts_at: datetime
    ends_at: datetime

    def meets(self, other: "Link") -> bool:
        """Whether there is a memo and an instant for which both hold the same role's word."""
        here = not self.memo or not other.memo or self.memo == other.memo
        return here and self.role == other.role and self.starts_at < other.ends_at and other.starts_at < self.ends_at


def check(
    wish: Link,
    *,
    holders: Mapping[str, Collection[str]],
    known: Iterable[Link],
    wrote: Collection[str],
    now: datetime,
) -> None:
    """Nothing, when the delegation may be made.

    Args:
        holders: role -> who holds it for the team now. known: the team's other delegations.
        wrote: who wrote content of the memo; nobody for a delegation for all of the team.

    Raises:
        NotPermitted: the holder does not hold the role ("delegate_of_a_delegate" when it is only lent).
        BadInput: a role that is not delegated, a bad period, or a delegate who cannot be one.
    """
    links = tuple(known)
    _refuse_the_role(wish, holders, links)
    _refuse_the_period(wish, now)
    _refuse_a_circle(wish, links)
    _refuse_the_delegate(wish, holders, wrote)
    former = [link.delegate for link in links if link.holder == wish.holder and link.meets(wish)]
    if former:
        raise BadInput(
            f"{wish.role} is delegated to {listed(sorted(set(former)))} in that period.",
            needs="End that delegation first, or choose another period.",
            code="delegated_already",
            where="starts_at",
        )


def _refuse_the_role(wish: Link, holders: Mapping[str, Collection[str]], links: tuple[Link, ...]) -> None:
    if wish.role in NOT_DELEGATED:
        raise BadInput(
            f"The role {wish.role} is not delegated: only a signature is given in another's place.",
            needs="Ask an administrator to give somebody the role.",
            code="role_not_delegable",
            where="role",
        )
    if wish.holder in holders.get(wish.role, ()):
        return
    if any(link.delegate == wish.holder and link.meets(wish) for link in links):
        raise NotPermitted(
            f"{wish.holder} has {wish.role} by delegation: a delegate delegates no further.",
            needs="Ask who holds the role.",
            code="delegate_of_a_delegate",
        )
    whom = listed(sorted(holders.get(wish.role, ())), last="or") or "an administrator, who can name a holder"
    raise NotPermitted(f"{wish.holder} does not hold {wish.role}.", needs=f"Ask {whom}.")


def _refuse_the_period(wish: Link, now: datetime) -> None:
    if wish.starts_at < now - SLACK:
        raise BadInput(
            "A delegation begins now or later: nothing is signed by it for the time before.",
            code="start_in_the_past",
            where="starts_at",
        )
    if not wish.starts_at < wish.ends_at <= wish.starts_at + LONGEST:
        raise BadInput(
            f"A delegation ends after it begins, and within {LONGEST.days} days.",
            needs="Choose another end; it can be made again.",
            code="bad_period",
            where="ends_at",
        )


def _refuse_the_delegate(wish: Link, holders: Mapping[str, Collection[str]], wrote: Collection[str]) -> None:
    if wish.delegate == wish.holder:
        raise BadInput("A delegation is to somebody else.", code="delegate_is_holder", where="delegate")
    if wish.delegate in wrote:
        raise BadInput(
            f"{wish.delegate} wrote content of this memo: a delegate is as independent as the holder has to be.",
            needs="Choose somebody who wrote nothing here.",
            code="delegate_is_no_stranger",
            where="delegate",
        )
    if wish.delegate in holders.get(wish.role, ()):
        raise BadInput(
            f"{wish.delegate} holds {wish.role} already, and signs in their own name.",
            needs="Ask them to sign.",
            code="delegate_holds_the_role",
            where="delegate",
        )


def _refuse_a_circle(wish: Link, links: tuple[Link, ...]) -> None:
    """Raises BadInput when the role, lent on and on from the delegate, would come back to the holder."""
    reached, ahead = {wish.delegate}, [wish.delegate]
    while ahead:
        name = ahead.pop()
        onward = {link.delegate for link in links if link.holder == name and link.meets(wish)}
        if wish.holder in onward:
            raise BadInput(
                f"{name} has delegated {wish.role} to {wish.holder}: the two would stand for each other.",
                needs="End that delegation first.",
                code="delegation_in_a_circle",
                where="delegate",
            )
        ahead += onward - reached
        reached |= onward
