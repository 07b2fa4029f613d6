"""What the application kept and recorded in earlier versions is read as it was then."""
import os

import gui
import pytest

pytestmark = pytest.mark.skipif("RANKSCOPE_BINARY" not in os.environ,
                                reason="RANKSCOPE_BINARY names no built rankscope")


@pytest.mark.parametrize("name", gui.CASES)
def test_stored_file(name, tmp_path):
    if gui.missing():
        assert not gui.in_ci() or not gui.was_built(), gui.missing()
        pytest.skip(gui.missing())
    now, said = gui.result_of(name, tmp_path)
    differences = gui.stored_result(name).differences(now)
    assert not differences, "%s is not what it was:\n%s\n%s" % (name, differences, said)
