// The reported position of a rank while it waits.
#include <thread>

#include <fmt/format.h>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_link.h"

using namespace rankscope;

namespace {

/// Rank 0 of two, with a status page and a thread of its own.
class WatchedRank {
 public:
  explicit WatchedRank(const std::function<void(Communicator&)>& body)
      : thread_([this, body] {
          try {
            Communicator comm(rank_);
            body(comm);
          } catch (const CommError& e) {
            error_ = e;
          }
        }) {}
  ~WatchedRank() { end("the test is over"); }

  /// Its status once it is blocked, or when it is not within 10 s.
  RankStatus blocked() const {
    const auto deadline = Deadline::in(test::kWaitLimit);
    RankStatus status = read_status(page_);
    while (status.state != RankState::blocked && !deadline.passed()) {
      std::this_thread::yield();
      status = read_status(page_);
    }
    return status;
  }
  /// Stops it; returns the error that ended it.
  std::optional<CommError> end(const std::string& reason) {
    rank_.progress().stop(reason);
    if (thread_.joinable()) thread_.join();
    return error_;
  }

 private:
  static RankContext& begun(RankContext& rank) {
    rank.begin_job(1, {});
    return rank;
  }
  InprocHub hub_{2};
  InprocLink link_{0, hub_};
  StatusPage page_;
  RankContext context_{0, 2, link_, nullptr, &page_, nullptr};
  RankContext& rank_ = begun(context_);
  std::optional<CommError> error_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a rank that hangs in wait stands at the line of the wait", "[core]") {
  const bool any = GENERATE(false, true);
  Buffer data = Buffer::allocate(DType::int32, 2);
  unsigned line = 0;
  WatchedRank rank([&](Communicator& comm) {
    std::vector<Request> requests;
    requests.push_back(comm.irecv(1, data[{0, 1}]));
    requests.push_back(comm.irecv(kAnyRank, data[{1, 1}], 5));
    const auto here = std::source_location::current();
    line = here.line();
    if (any) comm.wait_any(requests, nullptr, here);
    else comm.wait(requests[0], here);
  });
  const RankStatus status = rank.blocked();
  REQUIRE(status.state == RankState::blocked);
  CHECK(status.verb == Verb::recv);
  CHECK(status.peer == 1);
  CHECK(status.op == make_op(0, 1));
  CHECK(status.site.find(fmt::format("blocked_test.cpp:{} ", line)) != std::string::npos);
  const auto error = rank.end("no longer wanted");
  REQUIRE(error);
  CHECK(error->site().line == line);
  CHECK(std::string_view(error->what()).find("no longer wanted") != std::string_view::npos);
}

TEST_CASE("a rank that hangs in a blocking verb stands at its line", "[core]") {
  Buffer data = Buffer::allocate(DType::int32, 1);
  unsigned line = 0;
  WatchedRank rank([&](Communicator& comm) {
    const auto here = std::source_location::current();
    line = here.line();
    comm.recv(1, data, 3, here);
  });
  const RankStatus status = rank.blocked();
  REQUIRE(status.state == RankState::blocked);
  CHECK(status.site.find(fmt::format("blocked_test.cpp:{} ", line)) != std::string::npos);
  const auto error = rank.end("no longer wanted");
  REQUIRE(error);
  CHECK(error->site().line == line);
}
