// Gathers what is known of a message, a rank or a chunk.
#include "gui/state/model/inspection.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/statistics.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

class Inspector {
 public:
  explicit Inspector(const AppState& state)
      : state_(state),
        document_(*state.document),
        rounds_(document_.rounds()),
        pieces_(document_.analysis().pieces()),
        now_(document_.rounds_done(state.playback.clock, state.playback.moment)) {
    reached_ = now_ + (state.playback.clock == ClockBase::rounds && state.playback.moment > now_);
    // Between two ends of steps it is the one under way.
    const double end = document_.end(state.playback.clock);
    if (state.playback.moment < end && now_ < rounds_.count) ++now_;
  }

  Inspection message(std::size_t index) {
    const MessageRecord& m = rounds_.messages[index];
    const Piece piece = pieces_.of(m);
    const Trace& trace = document_.trace();
    made_.title = fmt::format("Message {}: rank {} → rank {}", index, m.from, m.to);
    made_.chunk = piece.chunk();
    fact("carries", piece.elements.offset >= 0
                        ? fmt::format("{}, {}", piece.name(), amount_text(m.bytes))
                        : amount_text(m.bytes));
    fact("step", fmt::format("{} of {}{}", rounds_.round[index], rounds_.count, phase_of(m)));
    if (m.sent != kNoEvent && m.received != kNoEvent) {
      fact("on its way", time_text(trace.time_ns(m.received) - trace.time_ns(m.sent)));
      if (m.recv_posted != kNoEvent) {
        const auto waited = trace.time_ns(m.received) -
                            std::min(trace.time_ns(m.recv_posted), trace.time_ns(m.received));
        fact("receiver waited", time_text(waited));
      }
    } else if (m.received == kNoEvent) {
      fact("", "never received");
    }
    if (m.tag > 0) fact("tag", fmt::format("{}", m.tag));
    place("sent at", m.sent);
    place("received at", m.received != kNoEvent ? m.received : m.recv_posted);
    return std::move(made_);
  }

  Inspection rank(Rank rank) {
    std::uint64_t sent = 0, received = 0, sends = 0, receives = 0;
    rows([&](const MessageRecord& m) { return m.from == rank || m.to == rank; },
         [&](const MessageRecord& m) {
           return m.from == rank ? fmt::format("→ {}", m.to) : fmt::format("← {}", m.from);
         });
    for (const auto& m : rounds_.messages) {
      if (m.sync) continue;
      if (m.from == rank) ++sends, sent += m.bytes;
      if (m.to == rank && m.received != kNoEvent) ++receives, received += m.bytes;
    }
    made_.title = fmt::format("Rank {}", rank);
    if (!state_.curtain()) {
      fact("sends", fmt::format("{}, {}", counted(sends, "message"), amount_text(sent)));
      fact("receives", fmt::format("{}, {}", counted(receives, "message"), amount_text(received)));
    }
    const auto cursors = document_.cursors(state_.playback.clock, state_.playback.moment);
    if (rank >= 0 && static_cast<std::size_t>(rank) < cursors.size())
      if (const auto last = last_event(rank, cursors[static_cast<std::size_t>(rank)]))
        place("is at", *last);
    return std::move(made_);
  }

  Inspection chunk(int chunk) {
    rows(
        [&](const MessageRecord& m) {
          const Piece piece = pieces_.of(m);
          return piece.first_chunk >= 0 && piece.first_chunk <= chunk && chunk <= piece.last_chunk;
        },
        [](const MessageRecord& m) { return fmt::format("{} → {}", m.from, m.to); });
    made_.title = fmt::format("Chunk {}", chunk);
    fact(state_.curtain() ? "has travelled in" : "travels in",
         counted(made_.rows.size(), "message"));
    return std::move(made_);
  }

 private:
  void fact(std::string what, std::string is) {
    made_.facts.emplace_back(std::move(what), std::move(is));
  }
  void place(std::string what, std::uint64_t event) {
    if (event == kNoEvent) return;
    auto line = document_.line_name(event);
    if (!line.empty()) made_.places.push_back({std::move(what), std::move(line), event});
  }
  std::string phase_of(const MessageRecord& m) const {
    const std::string phase =
        m.sent == kNoEvent ? "" : phase_path(document_.trace(), document_.trace()[m.sent].phase);
    return phase.empty() ? "" : ", " + phase;
  }
  static std::string time_text(std::int64_t ns) {
    return microseconds_text(static_cast<double>(ns) / 1e3);
  }

  std::optional<std::uint64_t> last_event(Rank rank, Cursor cursor) const {
    const Trace& trace = document_.trace();
    for (std::uint64_t k = cursor; k-- > 0;)
      if (trace[k].rank == rank && document_.source_line(k)) return k;
    return std::nullopt;
  }

  template <class Meant, class Says>
  void rows(Meant&& meant, Says&& says) {
    std::size_t first_now = 0;
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
      const auto& m = rounds_.messages[i];
      if (m.sync || !meant(m)) continue;
      const std::string label = pieces_.of(m).label();
      const int round = rounds_.round[i];
      if (round < now_) first_now = made_.rows.size();
      made_.rows.push_back({static_cast<std::int64_t>(i), round,
                            fmt::format("{}  {}{}{}", says(m), label, label.empty() ? "" : "  ",
                                        amount_text(m.bytes)),
                            round == now_});
    }
    if (state_.curtain())
      std::erase_if(made_.rows, [&](const auto& row) { return row.round > reached_; });
    ranges::stable_sort(made_.rows, {}, &Inspection::Row::round);
    if (made_.rows.size() <= kMostRows) return;
    const std::size_t from =
        std::min(first_now > 20 ? first_now - 20 : 0, made_.rows.size() - kMostRows);
    made_.rows = {made_.rows.begin() + static_cast<std::ptrdiff_t>(from),
                  made_.rows.begin() + static_cast<std::ptrdiff_t>(from + kMostRows)};
  }

  const AppState& state_;
  const Document& document_;
  const Rounds& rounds_;
  const Pieces& pieces_;
  int now_, reached_ = 0;
  Inspection made_;
};

}  // namespace

Inspection inspect(const AppState& state, const Selection& chosen) {
  if (!state.has_trace() || state.document->large()) return {};
  const auto& messages = state.document->rounds().messages;
  if (chosen.message >= 0 && static_cast<std::size_t>(chosen.message) < messages.size())
    return Inspector(state).message(static_cast<std::size_t>(chosen.message));
  if (chosen.chunk >= 0) return Inspector(state).chunk(chosen.chunk);
  if (chosen.rank >= 0 && chosen.rank < state.document->world_size())
    return Inspector(state).rank(chosen.rank);
  return {};
}

}  // namespace rankscope::gui
