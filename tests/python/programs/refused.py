"""A check, for programs of tests, that a call is refused."""
import contextlib


@contextlib.contextmanager
def refused(kind, words=""):
    """The block has to raise an error of this kind, whose text has these words."""
    try:
        yield
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError("no %s" % (kind,))
