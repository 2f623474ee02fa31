"""Limits of tables: prizes that the ledger could not store."""

import pytest

from pitboss.core.errors import SettingError
from pitboss.tables.limits import LARGEST_PRIZE, Limit, check_prizes
from tests.web.in_process import OPERATOR, TOSS, Visitor, file_of, play, refused

RICH = [{"on": [*range(4, 22)], "pays": "1000000:1"}]


def test_prizes_beyond_the_books_are_refused(tmp_path):
    """A table at which a bet could win more than 10^12 cents is rejected."""
    most = {"least": 100, "most": 10**6 + 1, "step": 1}

    @play(file_of(tmp_path))
    async def _(app):
        ann = await Visitor(app).visit()
        rich = {"rules": {"bonus4_paytable": RICH}}
        asked = ann.open_table("toss-one-21", **rich, limits={"bonus4": most})
        answer = await refused(asked, "bad_setting")
        assert "win at most $10,000,000,000" in answer["detail"]
        table = await ann.open_table("toss-one-21", **rich)
        path = f"/api/v1/operator/tables/{table}/limits"
        await refused(ann.post(path, {"limits": {"bonus4": most}}, **OPERATOR), "bad_setting")
        fits = {"limits": {"bonus4": most | {"most": 10**6}}}
        await ann.post(path, fits, **OPERATOR)


def test_the_largest_prize_is_counted_to_the_cent():
    """Odds times the highest limit may equal the largest prize, but not exceed it."""
    rules = TOSS.rules()
    check_prizes(rules, {"main": Limit(1, LARGEST_PRIZE // 1000)})
    with pytest.raises(SettingError, match="lower the limits or the odds"):
        check_prizes(rules, {"main": Limit(1, LARGEST_PRIZE)})
