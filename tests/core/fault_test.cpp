// How a rank failed or was lost, as kinds.
#include "engine/core/base/fault.h"

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

using namespace rankscope;
using Reason = CommError::Reason;

TEST_CASE("Errors say of what kind they are", "[core]") {
  const CommError truncated(Reason::truncated, 2, 1, {"ring.cpp", "ring", 7}, "8 bytes do not fit");
  CHECK(fault_of(truncated) == RankFault::communication);
  CHECK(shown_error(2, fault_of(truncated), truncated.what()) ==
        "rank 2 at ring.cpp:7: 8 bytes do not fit");
  CHECK(fault_of(CommError(Reason::stopped, 0, 1, {}, "rank 1 failed")) == RankFault::stopped);
  const UserError own("out of memory");
  CHECK(fault_of(own) == RankFault::own);
  CHECK(shown_error(2, fault_of(own), own.what()) == "rank 2: out of memory");
}

TEST_CASE("Kinds come back from their names, and without a name from words", "[core]") {
  for (const auto fault :
       {RankFault::none, RankFault::own, RankFault::communication, RankFault::stopped})
    CHECK(fault_of(to_string(fault), 0, "whatever it says") == fault);
  CHECK(fault_of("", 0, "") == RankFault::none);
  CHECK(fault_of("", 0, "out of memory") == RankFault::own);
  CHECK(fault_of("", 0, "rank 0 at a.py:3: a message of 8 bytes") == RankFault::communication);
  CHECK(fault_of("", 0, "rank 0 at a.py:3: rank 12 failed") == RankFault::stopped);
  CHECK(fault_of("", 1, "rank 12 sent nonsense") == RankFault::own);
  CHECK(fault_of("", 0, "rank 0: the test failed") == RankFault::communication);
  for (const auto loss : {RankLoss::unknown, RankLoss::killed, RankLoss::ended})
    CHECK(loss_of(to_string(loss), "whatever it says") == loss);
  CHECK(loss_of("", "was killed by signal 9 (Killed)") == RankLoss::killed);
  CHECK(loss_of("", "had ended") == RankLoss::ended);
  CHECK(loss_of("", "is stopped") == RankLoss::unknown);
}
