// What is made in the background of one document is neither shown nor taken as a measure for another one.
#include "gui/state/command/made_later.h"

#include <future>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

using LaterValues = MadeLater<int>;

LaterValues::Make number(int value) {
  return [value] { return value; };
}

/// Waits until it is there.
bool comes(LaterValues& values, std::uint64_t source, const std::string& key, int value) {
  return eventually([&] {
    const int* made = values.get(source, key, number(value));
    return made != nullptr && *made == value;
  });
}

}  // namespace

TEST_CASE("a new document shows nothing of the one before, and is made in the background",
          "[gui_state]") {
  LaterValues values;
  REQUIRE(comes(values, 1, "start", 10));  // in next to no time

  std::promise<void> may_end;
  std::thread::id by;
  const auto slow = [&by, wait = may_end.get_future().share()] {
    by = std::this_thread::get_id();
    wait.wait_for(kWaitLimit);
    return 20;
  };
  CHECK(values.get(2, "start", slow) == nullptr);
  CHECK(values.get(2, "later", number(21)) == nullptr);
  CHECK(values.busy());
  may_end.set_value();
  REQUIRE(comes(values, 2, "start", 20));
  CHECK(by != std::this_thread::get_id());
}

TEST_CASE("values of a document that was left are not shown when they arrive", "[gui_state]") {
  LaterValues values;
  std::promise<void> may_end;
  const auto slow = [wait = may_end.get_future().share()] {
    wait.wait_for(kWaitLimit);
    return 10;
  };
  CHECK(values.get(1, "start", slow) == nullptr);
  CHECK(values.get(2, "start", number(20)) == nullptr);
  may_end.set_value();
  CHECK(eventually([&] {
    const int* made = values.get(2, "start", number(20));
    CHECK((made == nullptr || *made == 20));
    return made != nullptr;
  }));
  CHECK(comes(values, 2, "later", 21));
}
