// Compares the recorded values of a message with those of its sender's last received one.
#include "engine/analysis/narration/payloads.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

constexpr std::uint64_t kMostEvents = 50'000;  // of longer traces values are expensive to find

std::vector<double> numbers(DType type, std::span<const std::byte> bytes) {
  return visit_dtype(type, [&]<class T>() {
    std::vector<double> values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value;
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(value);
    }
    return values;
  });
}

bool alike(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::max({1.0, std::abs(a), std::abs(b)});
}
bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  return ranges::equal(a, b, [](double x, double y) { return alike(x, y); });
}

}  // namespace

std::optional<Payloads::Values> Payloads::memory(std::uint32_t id, std::uint64_t offset,
                                                 std::uint64_t bytes, Cursor cursor) const {
  const Trace& trace = analysis_.trace();
  const auto* buffer = trace.definition(Definition::Kind::buffer, id);
  if (buffer == nullptr) return std::nullopt;
  const Range elements = elements_at(*buffer, offset, bytes);
  const Sampling sampling(count_of(*buffer));
  if (elements.count == 0 || sampling.size() != count_of(*buffer)) return std::nullopt;
  const auto states = trace.seek(cursor);
  const auto state = ranges::find(states, id, &BufferState::buffer);
  if (state == states.end()) return std::nullopt;
  const auto size = dtype_size(buffer->dtype);
  const auto first = static_cast<std::size_t>(elements.offset),
             count = static_cast<std::size_t>(elements.count);
  if (state->known.size() < first + count || state->samples.size() < (first + count) * size)
    return std::nullopt;
  for (std::size_t i = first; i < first + count; ++i)
    if (!state->known[i]) return std::nullopt;
  return numbers(buffer->dtype, std::span(state->samples).subspan(first * size, count * size));
}

Payloads::Likeness Payloads::compare(std::uint32_t sent, std::uint32_t received) const {
  const Trace& trace = analysis_.trace();
  const MessageRecord &message = analysis_.messages()[sent], &last = analysis_.messages()[received];
  if (trace.size() > kMostEvents || message.bytes != last.bytes || message.sent == kNoEvent ||
      last.received == kNoEvent)
    return Likeness::unknown;
  const StepEvent &out = trace[message.sent], &in = trace[last.received];
  const auto now = memory(out.in_buffer, out.in_offset, message.bytes, message.sent);
  const auto came = memory(in.out_buffer, in.out_offset, last.bytes, last.received + 1);
  if (!now || !came || now->size() != came->size()) return Likeness::unknown;
  const auto before = memory(out.in_buffer, out.in_offset, message.bytes, last.received);
  const bool same = alike(*now, *came);
  const bool into_it = in.out_buffer == out.in_buffer && in.out_offset == out.in_offset;
  if (same && (into_it || (before && !alike(*before, *now)))) return Likeness::same;
  if (same || !before) return Likeness::unknown;
  Values added = *before;
  for (std::size_t i = 0; i < added.size(); ++i) added[i] += (*came)[i];
  return alike(added, *now) && !alike(*before, *now) ? Likeness::added : Likeness::unknown;
}

}  // namespace rankscope::narration
