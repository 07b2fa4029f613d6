// Encodes the columns of an event block and decodes them with bounds checks.
#include "engine/core/trace/event_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <type_traits>

#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

using Column = std::array<std::uint64_t, kCodecEvents>;

/// plain   the value
/// delta   difference to the event before, zigzag
/// sticky  0 stays 0; others: 1 + zigzag difference to the last value that was not 0 (op ids,
///         previews: they count up, with events in between that have none)
enum class Mode : std::uint8_t { plain, delta, sticky };

constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) noexcept {
  return (code >> 1) ^ (0 - (code & 1));
}

// Ranks and tags are zigzagged, so that -1 does not become a large number.
template <auto kMember, Mode kMode>
struct Field {
  using T = std::remove_reference_t<decltype(StepEvent{}.*kMember)>;
  static constexpr Mode kDefaultMode = kMode;
  static std::uint64_t get(const StepEvent& event) noexcept {
    const auto value = static_cast<std::uint64_t>(event.*kMember);
    if constexpr (std::is_same_v<T, std::int32_t>) return zigzag(value);
    else return value;
  }
  static void set(StepEvent& event, std::uint64_t value) noexcept {
    if constexpr (std::is_same_v<T, std::int32_t>) value = unzigzag(value);
    event.*kMember = static_cast<T>(value);
  }
};

// begin_ns is stored as the time that the event took: 0 for nearly all.
struct Duration {
  static constexpr Mode kDefaultMode = Mode::plain;
  static std::uint64_t get(const StepEvent& event) noexcept {
    return static_cast<std::uint64_t>(event.time_ns) - static_cast<std::uint64_t>(event.begin_ns);
  }
  static void set(StepEvent& event, std::uint64_t value) noexcept {
    event.begin_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(event.time_ns) - value);
  }
};

// The file's order of columns. time_ns precedes Duration, which needs it.
template <class Visitor>
void each_field(Visitor&& visit) {
  using E = StepEvent;
  visit(Field<&E::time_ns, Mode::delta>{});
  visit(Duration{});
  visit(Field<&E::op, Mode::sticky>{});
  visit(Field<&E::cause, Mode::sticky>{});
  visit(Field<&E::bytes, Mode::plain>{});
  visit(Field<&E::in_offset, Mode::plain>{});
  visit(Field<&E::out_offset, Mode::plain>{});
  visit(Field<&E::rank, Mode::plain>{});
  visit(Field<&E::peer, Mode::plain>{});
  visit(Field<&E::tag, Mode::plain>{});
  visit(Field<&E::seq, Mode::delta>{});
  visit(Field<&E::epoch, Mode::plain>{});
  visit(Field<&E::comm, Mode::plain>{});
  visit(Field<&E::in_buffer, Mode::plain>{});
  visit(Field<&E::out_buffer, Mode::plain>{});
  visit(Field<&E::site, Mode::plain>{});
  visit(Field<&E::phase, Mode::plain>{});
  visit(Field<&E::preview, Mode::sticky>{});
  visit(Field<&E::strand, Mode::plain>{});
  visit(Field<&E::kind, Mode::plain>{});
  visit(Field<&E::verb, Mode::plain>{});
  visit(Field<&E::mode, Mode::plain>{});
  visit(Field<&E::origin, Mode::plain>{});
  visit(Field<&E::dtype, Mode::plain>{});
  visit(Field<&E::reduce_op, Mode::plain>{});
}

/// Returns the value from which the first difference is taken.
std::uint64_t base_of(Mode mode, std::span<const std::uint64_t> values) noexcept {
  if (mode == Mode::plain) return 0;
  if (mode == Mode::delta) return values.front();
  const auto first = ranges::find_if(values, [](std::uint64_t value) { return value != 0; });
  return first == values.end() ? 0 : *first;
}

/// Returns false if the mode cannot express the values (differences of 2^63, which no recorder writes).
bool transform(Mode mode, std::uint64_t last, std::span<std::uint64_t> values) noexcept {
  if (mode == Mode::delta) {
    for (auto& value : values) {
      const auto difference = value - last;
      last = value;
      value = zigzag(difference);
    }
  } else if (mode == Mode::sticky) {
    for (auto& value : values) {
      if (value == 0) continue;
      const auto code = zigzag(value - last) + 1;
      if (code == 0) return false;
      last = value;
      value = code;
    }
  }
  return true;
}

void restore(Mode mode, std::uint64_t last, std::span<std::uint64_t> values) noexcept {
  if (mode == Mode::delta) {
    for (auto& value : values) value = last += unzigzag(value);
  } else if (mode == Mode::sticky) {
    for (auto& value : values)
      if (value != 0) value = last += unzigzag(value - 1);
  }
}

struct ColumnHead {
  Mode mode = Mode::plain;
  int width = 0;           ///< Bytes per value.
  std::uint64_t base = 0;  ///< The value from which the first difference is taken.
  std::uint64_t low = 0;   ///< Smallest value; the column stores the distances from it.

  bool constant() const noexcept {
    return width == 0 && (mode == Mode::plain || (mode == Mode::sticky && low == 0));
  }
};

void put_column(ColumnHead head, std::span<const std::uint64_t> values, ByteWriter& out) {
  const auto [low, high] = std::ranges::minmax(values);
  const int width = (static_cast<int>(std::bit_width(high - low)) + 7) / 8;
  out.put(static_cast<std::uint8_t>((static_cast<int>(head.mode) << 4) | width));
  out.put(head.base);
  out.put(low);
  std::array<std::uint8_t, kCodecEvents> plane;
  for (int byte = 0; byte < width; ++byte) {
    for (std::size_t i = 0; i < values.size(); ++i)
      plane[i] = static_cast<std::uint8_t>((values[i] - low) >> (8 * byte));
    out.put_raw(std::as_bytes(std::span(plane.data(), values.size())));
  }
}

ColumnHead get_head(ByteReader& in) {
  const auto code = in.get<std::uint8_t>();
  if ((code >> 4) > static_cast<int>(Mode::sticky) || (code & 15) > 8)
    throw FormatError("a column of events is damaged");
  ColumnHead head{static_cast<Mode>(code >> 4), code & 15, 0, 0};
  head.base = in.get<std::uint64_t>();
  head.low = in.get<std::uint64_t>();
  return head;
}

void get_values(const ColumnHead& head, ByteReader& in, std::span<std::uint64_t> values) {
  ranges::fill(values, head.low);
  for (int byte = 0; byte < head.width; ++byte) {
    const auto* plane = reinterpret_cast<const std::uint8_t*>(in.take(values.size()).data());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += static_cast<std::uint64_t>(plane[i]) << (8 * byte);
  }
  restore(head.mode, head.base, values);
}

}  // namespace

void encode_events(std::span<const StepEvent> events, ByteWriter& out) {
  assert(!events.empty() && events.size() <= kCodecEvents);
  Column column{};
  const std::span values(column.data(), events.size());
  each_field([&]<class F>(F) {
    ColumnHead head{F::kDefaultMode, 0, 0, 0};
    const auto fetch = [&] {
      for (std::size_t i = 0; i < events.size(); ++i) values[i] = F::get(events[i]);
    };
    fetch();
    head.base = base_of(head.mode, values);
    if (!transform(head.mode, head.base, values)) {
      head = {};
      fetch();
    }
    put_column(head, values, out);
  });
}

void decode_events(ByteReader& in, std::span<StepEvent> events) {
  assert(!events.empty() && events.size() <= kCodecEvents);
  // Most fields are the same in all events: an event with those is copied to all places first, and a second pass over
  // the columns writes the others.
  ByteReader constants = in;
  StepEvent common;
  each_field([&]<class F>(F) {
    const auto head = get_head(constants);
    if (head.constant()) F::set(common, head.low);
    constants.take(static_cast<std::size_t>(head.width) * events.size());
  });
  ranges::fill(events, common);
  Column column{};
  const std::span values(column.data(), events.size());
  each_field([&]<class F>(F) {
    const auto head = get_head(in);
    if (head.constant() && !std::is_same_v<F, Duration>) return;
    get_values(head, in, values);
    for (std::size_t i = 0; i < events.size(); ++i) F::set(events[i], values[i]);
  });
}

namespace {

/// A column of which only the parts for an EventDigest are decoded.
class DigestColumn {
 public:
  void read(const ColumnHead& head, ByteReader& in, std::size_t events) {
    constant_ = head.constant();
    if (constant_) values_[0] = head.low;
    else get_values(head, in, std::span(values_.data(), events));
    size_ = constant_ ? 1 : events;
  }
  std::uint64_t operator[](std::size_t i) const noexcept { return values_[constant_ ? 0 : i]; }
  /// Every value that occurs, at least once.
  std::span<const std::uint64_t> values() const noexcept { return {values_.data(), size_}; }
  /// Returns whether all values are at most `last`, in the width of a field of this type.
  template <class T>
  bool at_most(T last) const noexcept {
    using Number = std::underlying_type_t<T>;
    return ranges::all_of(values(), [last](std::uint64_t value) {
      return static_cast<Number>(value) <= static_cast<Number>(last);
    });
  }

 private:
  Column values_;
  std::size_t size_ = 0;
  bool constant_ = true;
};

Rank rank_in(std::uint64_t value) noexcept { return static_cast<Rank>(unzigzag(value)); }

struct DigestColumns {
  DigestColumn time, bytes, rank, peer, kind, verb, mode, origin, dtype, reduce_op;

  template <class F>
  DigestColumn* column() noexcept {
    using E = StepEvent;
    if constexpr (std::is_same_v<F, Field<&E::time_ns, Mode::delta>>) return &time;
    else if constexpr (std::is_same_v<F, Field<&E::bytes, Mode::plain>>) return &bytes;
    else if constexpr (std::is_same_v<F, Field<&E::rank, Mode::plain>>) return &rank;
    else if constexpr (std::is_same_v<F, Field<&E::peer, Mode::plain>>) return &peer;
    else if constexpr (std::is_same_v<F, Field<&E::kind, Mode::plain>>) return &kind;
    else if constexpr (std::is_same_v<F, Field<&E::verb, Mode::plain>>) return &verb;
    else if constexpr (std::is_same_v<F, Field<&E::mode, Mode::plain>>) return &mode;
    else if constexpr (std::is_same_v<F, Field<&E::origin, Mode::plain>>) return &origin;
    else if constexpr (std::is_same_v<F, Field<&E::dtype, Mode::plain>>) return &dtype;
    else if constexpr (std::is_same_v<F, Field<&E::reduce_op, Mode::plain>>) return &reduce_op;
    else return nullptr;
  }

  bool is_sound() const noexcept {
    const Rank first = rank_in(rank[0]);
    return first >= 0 && first < TraceBuilder::kMostRanks &&
           ranges::all_of(rank.values(), [&](auto value) { return rank_in(value) == first; }) &&
           verb.at_most(static_cast<Verb>(kVerbCount - 1)) &&
           kind.at_most(static_cast<EventKind>(kEventKindCount - 1)) &&
           dtype.at_most(DType::float64) && reduce_op.at_most(ReduceOp::bxor) &&
           mode.at_most(SendMode::rendezvous) && origin.at_most(Origin::simulator);
  }
};

}  // namespace

EventDigest decode_digest(ByteReader& in, std::size_t events) {
  assert(events > 0 && events <= kCodecEvents);
  ByteReader all = in;  // as in decode_events(), a cut run is refused before anything is read
  each_field([&]<class F>(F) {
    const auto head = get_head(all);
    all.take(static_cast<std::size_t>(head.width) * events);
  });
  thread_local DigestColumns columns;
  each_field([&]<class F>(F) {
    const auto head = get_head(in);
    if (auto* const column = columns.column<F>()) column->read(head, in, events);
    else in.take(static_cast<std::size_t>(head.width) * events);
  });
  if (!columns.is_sound()) throw FormatError("an event with a field out of range");
  EventDigest digest;
  digest.rank = rank_in(columns.rank[0]);
  digest.events = static_cast<std::uint32_t>(events);
  const auto time = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  digest.min_ns = digest.max_ns = time(columns.time[0]);
  for (const auto value : columns.time.values()) {
    digest.min_ns = std::min(digest.min_ns, time(value));
    digest.max_ns = std::max(digest.max_ns, time(value));
  }
  for (std::size_t i = 0; i < events; ++i) {
    if (static_cast<EventKind>(columns.kind[i]) != EventKind::posted ||
        static_cast<Verb>(columns.verb[i]) != Verb::send)
      continue;
    digest.sent.push_back({time(columns.time[i]), columns.bytes[i], rank_in(columns.peer[i])});
  }
  return digest;
}

bool is_sound(std::span<const StepEvent> events) noexcept {
  const Rank rank = events.front().rank;
  bool good = rank >= 0 && rank < TraceBuilder::kMostRanks;
  for (const StepEvent& event : events)
    good &= event.rank == rank && static_cast<int>(event.verb) < kVerbCount &&
            static_cast<int>(event.kind) < kEventKindCount && event.dtype <= DType::float64 &&
            event.reduce_op <= ReduceOp::bxor && event.mode <= SendMode::rendezvous &&
            event.origin <= Origin::simulator;
  return good;
}

}  // namespace rankscope
