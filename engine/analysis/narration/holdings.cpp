// Reads contributions at the ends of steps, and finds the purpose of the run from its end.
#include "engine/analysis/narration/holdings.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

constexpr std::size_t kKept = 4, kMostLoads = 4096;

void add(Owned& owned, const Contents& contents) {
  for (const account::Stretch& one : contents)
    if (one.origin() >= 0)
      owned[one.origin()].push_back({one.origin_element(), one.elements.count});
}

Owned tidy(Owned owned) {
  for (auto& [rank, parts] : owned) parts = joined(std::move(parts));
  std::erase_if(owned, [](const auto& one) { return one.second.empty(); });
  return owned;
}

}  // namespace

std::vector<Range> joined(std::vector<Range> ranges) {
  ranges::sort(ranges, {}, &Range::offset);
  std::vector<Range> merged;
  for (const Range& one : ranges) {
    if (one.count <= 0) continue;
    if (merged.empty() || merged.back().end() < one.offset) merged.push_back(one);
    else merged.back().count = std::max(merged.back().end(), one.end()) - merged.back().offset;
  }
  return merged;
}

Count complete_elements(const Contents& contents, int world) {
  Count all = 0;
  for (const account::Stretch& one : contents)
    if (one.shares.complete(world)) all += one.elements.count;
  return all;
}

Count size_of(const Owned& owned) noexcept { return size_in_common(owned, owned); }

Count size_in_common(const Owned& one, const Owned& other) noexcept {
  Count size = 0;
  for (const auto& [rank, parts] : one)
    if (const auto found = other.find(rank); found != other.end())
      for (auto a = parts.begin(), b = found->second.begin();
           a != parts.end() && b != found->second.end();) {
        size += account::common(*a, *b).count;
        ++(a->end() < b->end() ? a : b);
      }
  return size;
}

Holdings::Holdings(const TraceAnalysis& analysis)
    : analysis_(analysis), trace_(analysis_.trace()), steps_(analysis_.rounds().count) {
  const auto world = static_cast<std::size_t>(std::max(trace_.world_size(), 0));
  buffers_.resize(world);
  wanted_.resize(world);
  const auto* collective = analysis_.pieces().collective();
  input_scattered_ = collective != nullptr && collective->in == Extent::whole_at_root;
  for (const Definition& buffer : trace_.definitions(Definition::Kind::buffer))
    if (buffer.id != 0 && buffer.rank >= 0 && buffer.rank < trace_.world_size())
      buffers_[static_cast<std::size_t>(buffer.rank)].push_back(buffer.id);
  find_operator();
  const auto carries = [](const MessageRecord& one) { return !one.sync && one.bytes > 0; };
  if (!analysis_.messages().empty() && ranges::none_of(analysis_.messages(), carries))
    motion_ = Motion::nothing;
  const bool followed = analysis_.pieces().whole() > 0 && !analysis_.large() &&
                        trace_.world_size() <= account::Contributions::kMostRanks;
  if (!followed) return;
  contributions_ = &analysis_.contributions();
  find_wanted();
  if (motion_ == Motion::unknown) motion_ = motion_of_wanted();
}

// A receive that reduces is posted without the operator, which its reduction names.
void Holdings::find_operator() {
  for (std::uint64_t k = 0; k < trace_.size(); ++k) {
    const StepEvent& event = trace_[k];
    if (event.verb == Verb::recv_reduce) motion_ = Motion::combines;
    if (event.verb != Verb::reduce) continue;
    motion_ = Motion::combines;
    op_ = event.reduce_op;
    return;
  }
}

void Holdings::find_wanted() {
  for (Rank rank = 0; rank < trace_.world_size(); ++rank) {
    const Definition* data = analysis_.pieces().data(rank);
    if (data == nullptr) continue;
    Owned& wanted = wanted_[static_cast<std::size_t>(rank)];
    add(wanted, contributions_->of(data->id, trace_.size()));
    wanted = tidy(std::move(wanted));
  }
}

// A broadcast ends with one rank's data on all ranks, an allgather with all ranks' on each.
Motion Holdings::motion_of_wanted() {
  const int world = trace_.world_size();
  std::set<Rank> all, holders;
  bool same = true;
  std::size_t most = 0;
  const Owned* first = nullptr;
  for (Rank rank = 0; rank < world; ++rank) {
    const Owned& one = wanted(rank);
    if (one.empty()) continue;
    holders.insert(rank);
    if (first == nullptr) first = &one;
    else same = same && one == *first;
    most = std::max(most, one.size());
    for (const auto& [origin, parts] : one) all.insert(origin);
  }
  if (world < 2 || all.empty()) return Motion::unknown;
  if (all.size() == 1 && holders.size() > 1) {
    center_ = *all.begin();
    return same ? Motion::spreads : Motion::deals;
  }
  if (holders.size() == 1 && all.size() > 1) {
    center_ = *holders.begin();
    return Motion::gathers;
  }
  if (most < 2) return Motion::moves;
  return same ? Motion::collects : Motion::regroups;
}

Cursor Holdings::cursor(Rank rank, int step) const {
  const auto& cuts = analysis_.cuts().cut[static_cast<std::size_t>(rank)];
  return cuts[static_cast<std::size_t>(std::clamp(step, 0, steps_ + 1))];
}

// The input is shown at the start, as long as a root sends from it, and where a rank has nothing else.
const Definition* Holdings::shown(Rank rank, int step) const {
  const Pieces& pieces = analysis_.pieces();
  const auto *in = pieces.in(rank), *work = pieces.work(rank), *data = pieces.data(rank);
  const bool scatters = step < steps_ && input_scattered_;
  if (in != nullptr && (step == 0 || scatters || data == nullptr)) return in;
  return work != nullptr && step <= steps_ ? work : data;
}

Owned Holdings::owned_at(Rank rank, Cursor cursor) const {
  Owned found;
  for (const std::uint32_t buffer : buffers_[static_cast<std::size_t>(rank)])
    add(found, contributions_->of(buffer, cursor));
  return tidy(std::move(found));
}

Holdings::State& Holdings::state(int step) {
  if (const auto found = kept_.find(step); found != kept_.end()) return found->second;
  State made;
  for (Rank rank = 0; rank < trace_.world_size(); ++rank) {
    auto& map = made.data.emplace_back();
    made.owned.emplace_back();
    if (contributions_ == nullptr) continue;
    const Cursor at = cursor(rank, step);
    if (motion_ != Motion::combines) made.owned.back() = owned_at(rank, at);
    const Definition* buffer = shown(rank, step);
    if (buffer == nullptr) continue;
    map = contributions_->of(buffer->id, at);
    const Count base = analysis_.pieces().base_of(buffer).value_or(0);
    for (account::Stretch& one : map) one.elements.offset += base;
  }
  const auto distance = [&](const auto& one) { return std::abs(one.first - step); };
  if (kept_.size() >= kKept) kept_.erase(ranges::max_element(kept_, {}, distance));
  return kept_.emplace(step, std::move(made)).first->second;
}

const Contents& Holdings::data(Rank rank, int step) {
  return state(step).data[static_cast<std::size_t>(rank)];
}

const Owned& Holdings::owned(Rank rank, int step) {
  return state(step).owned[static_cast<std::size_t>(rank)];
}

// Some collectives read an input that is not watched, because "data" starts as its copy.
Contents Holdings::input_load(const StepEvent& sent, std::uint64_t bytes) const {
  const auto* collective = traits_of(trace_);
  const Pieces& pieces = analysis_.pieces();
  if (sent.in_buffer != 0 || collective == nullptr || !collective->reads_input ||
      pieces.in(sent.rank) != nullptr || pieces.data(sent.rank) == nullptr)
    return {};
  const auto size = std::max<std::size_t>(1, dtype_size(sent.dtype));
  return {{{0, static_cast<Count>(bytes / size)},
           account::Share(sent.rank, static_cast<Count>(sent.in_offset / size))}};
}

// Kept, because the next step compares its messages with those of this one.
Contents Holdings::load(const MessageRecord& message) {
  if (contributions_ == nullptr || message.sent == kNoEvent) return {};
  const auto known = loads_.find(message.sent);
  if (known != loads_.end()) return known->second;
  if (loads_.size() >= kMostLoads) loads_.clear();
  return loads_.emplace(message.sent, made_load(message)).first->second;
}

Contents Holdings::made_load(const MessageRecord& message) const {
  const StepEvent& sent = trace_[message.sent];
  const auto* buffer = trace_.definition(Definition::Kind::buffer, sent.in_buffer);
  if (buffer == nullptr) return input_load(sent, message.bytes);
  return account::part_of(contributions_->of(sent.in_buffer, message.sent),
                          elements_at(*buffer, sent.in_offset, message.bytes));
}

}  // namespace rankscope::narration
