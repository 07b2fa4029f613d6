#include "engine/model/lower_bounds.h"

#include <array>

#include "engine/core/base/partition.h"

namespace rankscope {
namespace {

constexpr std::string_view kChan = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3";
constexpr std::string_view kBruck =
    "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, lower bounds of the index operation";

constexpr std::string_view kSpread =
    "In a round, what some rank knows reaches at most as many further ranks as know it already.";
constexpr std::string_view kCollect =
    "In a round, each result can take in at most as many further inputs as it holds already.";
constexpr std::string_view kOneMessage = "The data cross one link.";

// Bytes as multiples of D: by how much (N-1)/N, 1/N and 1 count.
struct Share {
  double of_others = 0, of_own = 0, whole = 0;
  double times(int n, double bytes) const noexcept {
    return bytes * (of_others * (n - 1) / n + of_own / n + whole);
  }
};
constexpr Share kNothing{}, kOthers{1, 0, 0}, kTwiceOthers{2, 0, 0}, kOwn{0, 1, 0}, kWhole{0, 0, 1};

struct Row {
  std::string_view collective;
  int rounds;  // -1: ceil(log2 N)
  Share sent, received;
  std::string_view rounds_why, bytes_why, source;
};
constexpr std::array<Row, 11> kTable = {{
    {"allreduce", -1, kTwiceOthers, kTwiceOthers, kCollect,
     "Each element is combined from N inputs and known to N ranks in the end: 2 (N-1) messages "
     "hold "
     "it, which N ranks share.",
     "Patarasuk, Yuan 2009; Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3"},
    {"reduce", -1, kWhole, kWhole, kCollect,
     "Every rank but the root sends all of its elements, combined or not.", kChan},
    {"broadcast", -1, kWhole, kWhole, kSpread,
     "All data leave the root and reach every other rank.", kChan},
    {"allgather", -1, kOthers, kOthers, kSpread,
     "Every rank receives the parts of all others, and all that is received somebody sends.",
     kChan},
    {"reduce_scatter", -1, kOthers, kOthers, kCollect,
     "Every rank sends its part in the results of all others, combined or not.", kChan},
    {"gather", -1, kOwn, kOthers, kCollect,
     "The root receives the parts of all others; they send at least their own.", kChan},
    {"scatter", -1, kOthers, kOwn, kSpread,
     "The root sends the parts of all others; they receive at least their own.", kChan},
    {"alltoall", -1, kOthers, kOthers, kSpread,
     "Every rank sends a part of its own to each of the others.", kBruck},
    {"barrier", -1, kNothing, kNothing, kSpread, "Empty messages will do.", kChan},
    {"p2p", 1, kWhole, kWhole, kOneMessage, kOneMessage, ""},
    {"ping", 2, kWhole, kWhole, "The answer follows from the message.", kOneMessage, ""},
}};

}  // namespace

std::optional<LowerBounds> lower_bounds(std::string_view collective, int n, double bytes) noexcept {
  for (const Row& row : kTable) {
    if (row.collective != collective) continue;
    if (n <= 1) return LowerBounds{};
    return LowerBounds{row.rounds < 0 ? ceil_log2(n) : row.rounds,
                       row.sent.times(n, bytes),
                       row.received.times(n, bytes),
                       row.rounds_why,
                       row.bytes_why,
                       row.source};
  }
  return std::nullopt;
}

}  // namespace rankscope
