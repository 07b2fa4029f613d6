// The catalogue of collectives: one row for each, and the look-ups.
#include "engine/core/base/collective.h"

#include <array>

#include "engine/core/base/ranges.h"

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

constexpr Share kNothing{}, kOthers{1, 0, 0}, kTwiceOthers{2, 0, 0}, kOwn{0, 1, 0}, kWhole{0, 0, 1};
constexpr int kLog = CollectiveBounds::kLog;

constexpr CollectiveTraits p2p_row(Collective collective, std::string_view key,
                                   CollectiveBounds bounds) {
  return {.collective = collective,
          .key = key,
          .name = "p2p",
          .in = Extent::whole,
          .out = Extent::whole,
          .reads_input = true,
          .bus = kWhole,
          .bounds = bounds};
}
constexpr CollectiveBounds kOneWay{1, kWhole, kWhole, kOneMessage, kOneMessage, ""};

// In the order of the enumerators.
constexpr std::array kTraits = {
    p2p_row(Collective::p2p, "p2p",
            {2, kWhole, kWhole, "The answer follows from the message.", kOneMessage, ""}),
    p2p_row(Collective::p2p_message, "p2p_message", kOneWay),
    p2p_row(Collective::p2p_shift, "p2p_shift", kOneWay),
    CollectiveTraits{
        .collective = Collective::barrier,
        .key = "barrier",
        .name = "barrier",
        .in = Extent::nothing,
        .out = Extent::nothing,
        .bus = kWhole,
        .bounds = {kLog, kNothing, kNothing, kSpread, "Empty messages will do.", kChan}},
    CollectiveTraits{.collective = Collective::broadcast,
                     .key = "broadcast",
                     .name = "broadcast",
                     .in = Extent::whole,
                     .out = Extent::whole,
                     .rooted = true,
                     .same_everywhere = true,
                     .bus = kWhole,
                     .bounds = {kLog, kWhole, kWhole, kSpread,
                                "All data leave the root and reach every other rank.", kChan}},
    CollectiveTraits{
        .collective = Collective::reduce,
        .key = "reduce",
        .name = "reduce",
        .in = Extent::whole,
        .out = Extent::whole,
        .reduces = true,
        .rooted = true,
        .result_at_root = true,
        .bus = kWhole,
        .bounds = {kLog, kWhole, kWhole, kCollect,
                   "Every rank but the root sends all of its elements, combined or not.", kChan}},
    CollectiveTraits{
        .collective = Collective::gather,
        .key = "gather",
        .name = "gather",
        .in = Extent::whole,
        .out = Extent::all_at_root,
        .rooted = true,
        .result_at_root = true,
        .bus = kOthers,
        .bounds = {kLog, kOwn, kOthers, kCollect,
                   "The root receives the parts of all others; they send at least their own.",
                   kChan}},
    CollectiveTraits{
        .collective = Collective::scatter,
        .key = "scatter",
        .name = "scatter",
        .in = Extent::whole_at_root,
        .out = Extent::chunk,
        .rooted = true,
        .bus = kOthers,
        .bounds = {kLog, kOthers, kOwn, kSpread,
                   "The root sends the parts of all others; they receive at least their own.",
                   kChan}},
    CollectiveTraits{
        .collective = Collective::allgather,
        .key = "allgather",
        .name = "allgather",
        .in = Extent::whole,
        .out = Extent::all,
        .same_everywhere = true,
        .bus = kOthers,
        .bounds = {kLog, kOthers, kOthers, kSpread,
                   "Every rank receives the parts of all others, and all that is received somebody "
                   "sends.",
                   kChan}},
    CollectiveTraits{
        .collective = Collective::reduce_scatter,
        .key = "reduce_scatter",
        .name = "reduce_scatter",
        .in = Extent::whole,
        .out = Extent::chunk,
        .reduces = true,
        .bus = kOthers,
        .bounds = {kLog, kOthers, kOthers, kCollect,
                   "Every rank sends its part in the results of all others, combined or not.",
                   kChan}},
    CollectiveTraits{
        .collective = Collective::allreduce,
        .key = "allreduce",
        .name = "allreduce",
        .in = Extent::whole,
        .out = Extent::whole,
        .reduces = true,
        .same_everywhere = true,
        .bus = kTwiceOthers,
        .bounds =
            {kLog, kTwiceOthers, kTwiceOthers, kCollect,
             "Each element is combined from N inputs and known to N ranks in the end: 2 (N-1) "
             "messages hold it, which N ranks share.",
             "Patarasuk, Yuan 2009; Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3"}},
    CollectiveTraits{
        .collective = Collective::alltoall,
        .key = "alltoall",
        .name = "alltoall",
        .in = Extent::whole,
        .out = Extent::regrouped,
        .reads_input = true,
        .bus = kOthers,
        .bounds = {kLog, kOthers, kOthers, kSpread,
                   "Every rank sends a part of its own to each of the others.", kBruck}},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i)
    if (static_cast<std::size_t>(kTraits[i].collective) != i) return false;
  return true;
}
static_assert(in_order(), "traits() takes the enumerator as an index");

}  // namespace

std::span<const CollectiveTraits> collectives() noexcept { return kTraits; }

const CollectiveTraits& traits(Collective collective) noexcept {
  return kTraits[static_cast<std::size_t>(collective)];
}

const CollectiveTraits* find_collective(std::string_view name) noexcept {
  const auto at = ranges::find(kTraits, name, &CollectiveTraits::name);
  return at == kTraits.end() ? nullptr : &*at;
}

std::optional<Collective> collective_of_key(std::string_view key) noexcept {
  const auto at = ranges::find(kTraits, key, &CollectiveTraits::key);
  return at == kTraits.end() ? std::nullopt : std::optional(at->collective);
}

}  // namespace rankscope
