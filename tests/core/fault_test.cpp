// How a rank failed or was lost, as kinds.
#include "engine/core/base/error.h"
#include "engine/core/run/outcome.h"
#include "tests/support/catch.h"

using namespace rankscope;
using Reason = CommError::Reason;

TEST_CASE("Errors say of what kind they are", "[core]") {
  const CommError truncated(Reason::truncated, 2, 1, {"ring.cpp", "ring", 7}, "8 bytes do not fit");
  CHECK(cause_of(truncated) == Cause::communication);
  CHECK(shown_error(2, cause_of(truncated), truncated.what()) ==
        "rank 2 at ring.cpp:7: 8 bytes do not fit");
  CHECK(cause_of(CommError(Reason::stopped, 0, 1, {}, "rank 1 failed")) == Cause::stopped);
  const UserError own("out of memory");
  CHECK(cause_of(own) == Cause::own);
  CHECK(shown_error(2, cause_of(own), own.what()) == "rank 2: out of memory");
}

TEST_CASE("Kinds come back from their names, and without a name from words", "[core]") {
  for (const auto fault : {Cause::none, Cause::own, Cause::communication, Cause::stopped})
    CHECK(cause_of(to_string(fault), 0, "whatever it says") == fault);
  CHECK(cause_of("", 0, "") == Cause::none);
  CHECK(cause_of("", 0, "out of memory") == Cause::own);
  CHECK(cause_of("", 0, "rank 0 at a.py:3: a message of 8 bytes") == Cause::communication);
  CHECK(cause_of("", 0, "rank 0 at a.py:3: rank 12 failed") == Cause::stopped);
  CHECK(cause_of("", 1, "rank 12 sent nonsense") == Cause::own);
  CHECK(cause_of("", 1, "rank 1 at ring.cpp:7: timed out") == Cause::communication);
  CHECK(cause_of("", 1, "TimeoutError: timed out") == Cause::machine);
  CHECK(cause_of("", 0, "rank 0: the test failed") == Cause::communication);
  for (const auto loss : {RankLoss::unknown, RankLoss::killed, RankLoss::ended})
    CHECK(loss_of(to_string(loss), "whatever it says") == loss);
  CHECK(loss_of("", "was killed by signal 9 (Killed)") == RankLoss::killed);
  CHECK(loss_of("", "had ended") == RankLoss::ended);
  CHECK(loss_of("", "is stopped") == RankLoss::unknown);
}
