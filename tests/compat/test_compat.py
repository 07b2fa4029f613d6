"""Files that earlier versions wrote open with the results that they had then; the README says what is here."""
import os

import pytest
from cases import Session, cases
from compat import HERE, Result

pytestmark = pytest.mark.skipif("RANKSCOPE_BINARY" not in os.environ,
                                reason="RANKSCOPE_BINARY names no built rankscope")


@pytest.mark.parametrize("name", sorted(cases()))
def test_stored_file(name, tmp_path):
    stored = HERE / "results" / (name + ".txt")
    assert stored.exists(), "there is no stored result of %s: see README.md" % name
    session = Session(tmp_path)
    cases()[name](session)
    differences = Result(stored.read_text(encoding="utf-8")).differences(session.result)
    assert not differences, "%s is not what it was:\n%s" % (name, differences)


def test_every_result_has_its_file():
    results = {str(one.relative_to(HERE / "results").with_suffix("")) for one in (HERE / "results").rglob("*.txt")}
    assert {one for one in results if not one.startswith("gui-")} == set(cases())
