// The list of receives that wait: its order, what is taken out of it anywhere, and its end.
#include <memory>
#include <vector>

#include "engine/core/message/endpoint.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

struct Item {
  int number;
  std::shared_ptr<Item> next_posted;
};
using List = PostedReceives<std::shared_ptr<Item>>;

void add(List& list, int number) { list.push_back(std::make_shared<Item>(Item{number, nullptr})); }

/// 0 if there is none.
int take(List& list, int number) {
  const auto found = list.take_first([&](const auto& item) { return item->number == number; });
  return found ? found->number : 0;
}

std::vector<int> take_all(List& list) {
  std::vector<int> out;
  while (const auto item = list.take_first([](const auto&) { return true; }))
    out.push_back(item->number);
  return out;
}

}  // namespace

TEST_CASE("posted receives keep their order, wherever one is taken out", "[core]") {
  List list;
  for (const int number : {1, 2, 3, 4}) add(list, number);
  CHECK(take(list, 4) == 4);  // the last: the next one goes behind 3
  add(list, 5);
  CHECK(take(list, 2) == 2);
  CHECK(take(list, 1) == 1);
  CHECK(take(list, 7) == 0);
  add(list, 6);
  List moved = std::move(list);
  add(list, 8);
  CHECK(take_all(moved) == std::vector{3, 5, 6});
  CHECK(take_all(list) == std::vector{8});
  add(moved, 9);
  CHECK(take_all(moved) == std::vector{9});
}

TEST_CASE("a long list of posted receives ends without deep recursion", "[core]") {
  std::weak_ptr<Item> last;
  {
    List list;
    for (int number = 0; number < 1'000'000; ++number) {
      auto item = std::make_shared<Item>(Item{number, nullptr});
      list.push_back(item);
      last = item;
    }
  }
  CHECK(last.expired());
}
