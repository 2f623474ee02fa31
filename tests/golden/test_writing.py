"""The server still writes the records of the golden database, byte for byte."""

import pytest

from tests.golden import files, play


@pytest.mark.long
@pytest.mark.xdist_group("golden writing")
def test_the_same_play_writes_the_same_records(tmp_path):
    """Rounds replayed with the same clock and seeds give the same chains and ledger."""
    play.build(tmp_path / "pitboss.db")

    assert files.run(["audit", "pitboss.db", "--json"], tmp_path) == (0, files.load(files.AUDIT))
