"""Accounts and their limits: checked, and counted a moment later; later releases reserve in between."""

from __future__ import annotations

from .cloud import Account, Cloud, OperationError, Steps
from .engine import SECOND
from .jobs import api_job
from .log import Actor
from .truth import Race

LIMIT = "limit-exceeded-by-parallel-requests"


def take_address(cloud: Cloud, server: str, account: Account) -> Steps:
    """A request for a public address."""
    reserves = cloud.log.release >= (4, 18)

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        cloud.say(
            actor, "account.limit.check", account=account.name, domain=2, type="public_ip", limit=account.limit,
            current=account.count, requested=1, reserved=account.reserved,
        )  # fmt: skip
        if account.count > account.limit:
            for race in account.pairs:
                race.proof = "failed"
        if account.count + account.reserved >= account.limit:
            raise OperationError("Maximum number of resources of type 'public_ip' is exceeded")
        _pass(cloud, actor, account, reserves)
        yield cloud.between(0.1, 3.0)
        account.reserved -= reserves
        account.count += 1

    yield from api_job(cloud, server, "user.address.AssociateIPAddrCmd", {}, work)


def _pass(cloud: Cloud, actor: Actor, account: Account, reserves: bool) -> None:
    account.reserved += reserves
    if not reserves:
        for time, other, count in account.passed:
            if count == account.count and other.family != actor.family and cloud.now - time < 10 * SECOND:
                account.pairs.append(Race(LIMIT, frozenset((f"account:{account.name}",)), cloud.now, 1.0))
    account.passed.append((cloud.now, actor, account.count))


def use(cloud: Cloud, server: str, account: Account) -> Steps:
    """Users take and give back addresses, sometimes several at once."""
    while True:
        yield cloud.between(5, 40)
        if account.count > 2 and cloud.chance(0.3):
            account.count -= 1
        for _ in range(1 + cloud.chance(0.4)):
            cloud.engine.spawn(take_address(cloud, server, account), cloud.between(0.0, 4.0), server)


def races(accounts: list[Account]) -> list[Race]:
    """The pairs of requests that made an account exceed its limit, as far as a later check showed that."""
    return [race for account in accounts for race in account.pairs if race.proof]
