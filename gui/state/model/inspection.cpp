// Gathers and writes the facts of a message, rank or chunk.
#include "gui/state/model/inspection.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/diff.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
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
    // Between two ends of steps, the step under way counts.
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
    made_.rank = rank;
    process(rank);
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
  void process(Rank rank) {
    const LiveState& live = state_.live;
    if (!live.running && !state_.result) return;  // what is shown now ran elsewhere
    const auto at = static_cast<std::size_t>(rank);
    const auto& pids = live.pids.empty() ? live.last_pids : live.pids;
    if (at < pids.size() && pids[at] > 0) fact("process", fmt::format("{}", pids[at]));
    for (const RankView& view : live.places)
      if (view.rank == rank) fact("", describe(view));
    if (live.places.empty() && at < live.ranks.size()) fact("now", live.ranks[at]);
  }
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

namespace {

const MessageRecord* chosen_message(const AppState& state) {
  const std::int64_t number = state.selection.message;
  const auto& all = state.document->rounds().messages;
  return number >= 0 && static_cast<std::size_t>(number) < all.size()
             ? &all[static_cast<std::size_t>(number)]
             : nullptr;
}

bool works_on(const AppState& state, const StepEvent& event, int chunk) {
  const Pieces& pieces = state.document->analysis().pieces();
  const auto holds = [&](std::uint32_t buffer, std::uint64_t offset) {
    if (buffer == 0 || event.bytes == 0) return false;
    const auto range = pieces.range_of(buffer, offset, event.bytes);
    if (!range) return false;
    const Piece piece = pieces.piece(*range);
    return piece.first_chunk >= 0 && piece.first_chunk <= chunk && chunk <= piece.last_chunk;
  };
  return holds(event.in_buffer, event.in_offset) || holds(event.out_buffer, event.out_offset);
}

}  // namespace

bool is_chosen_rank(const AppState& state, Rank rank) {
  if (const auto* message = chosen_message(state))
    return rank == message->from || rank == message->to;
  return rank >= 0 && rank == state.selection.rank;
}

bool is_chosen_event(const AppState& state, std::uint64_t event) {
  const Selection& chosen = state.selection;
  if (chosen.event >= 0 && chosen.event == static_cast<std::int64_t>(event)) return true;
  if (const auto* message = chosen_message(state)) {
    const std::array all = {message->sent, message->send_done, message->recv_posted,
                            message->matched, message->received};
    return ranges::find(all, event) != all.end();
  }
  const StepEvent& what = state.document->trace()[event];
  if (chosen.event < 0 && chosen.rank >= 0) return what.rank == chosen.rank;
  return chosen.chunk >= 0 && works_on(state, what, chosen.chunk);
}

Range chosen_elements(const AppState& state, Count elements) {
  const int chunk = state.selection.chunk, chunks = state.document->chunks();
  if (chunk < 0 || chunk >= chunks || elements != state.document->analysis().pieces().whole())
    return {};
  return Partition(elements, chunks)[chunk];
}

namespace {

std::string inspection_text(const Inspection& found) {
  std::string text = found.title + "\n";
  for (const auto& [what, is] : found.facts)
    text += what.empty() ? is + "\n" : fmt::format("{}: {}\n", what, is);
  for (const auto& place : found.places) text += fmt::format("{} {}\n", place.what, place.line);
  for (const auto& row : found.rows) text += fmt::format("step {}: {}\n", row.round, row.text);
  return text;
}

[[noreturn]] void refuse(std::string_view what, std::int64_t number) {
  throw UserError(fmt::format("there is no {} {} to copy", what, number));
}

}  // namespace

std::string problem_text(const Problem& problem) {
  std::string text = problem.what + "\n" + problem.where + "\n";
  for (const auto* excerpts : {&problem.stands, &problem.frees}) {
    if (excerpts == &problem.frees && !excerpts->empty()) text += problem.frees_title + ":\n";
    for (const auto& one : *excerpts) {
      text += one.title + "\n";
      for (const auto& [number, line] : one.lines)
        text += fmt::format("{} {:4} {}\n", number == one.marked ? ">" : " ", number, line);
    }
  }
  return text + problem.why + "\n" + problem.advice + "\n";
}

std::string copied_text(const AppState& state, std::string_view what, std::int64_t number) {
  if (what == "problem") {
    if (number < 0 || static_cast<std::size_t>(number) >= state.problems.size())
      refuse(what, number);
    return problem_text(state.problems[static_cast<std::size_t>(number)]);
  }
  if (!state.has_trace()) throw UserError("there is nothing to copy: start a run or open a trace");
  const Document& document = *state.document;
  if (what == "event") {
    const auto at = static_cast<std::uint64_t>(number);
    if (number < 0 || at >= document.trace().size()) refuse(what, number);
    const std::string line = document.line_name(at);
    return fmt::format("rank {}: {}{}{}\n", document.trace()[at].rank,
                       describe(document.trace(), at), line.empty() ? "" : " at ", line);
  }
  Selection chosen;
  if (what == "message") chosen.message = number;
  else if (what == "rank") chosen.rank = static_cast<Rank>(number);
  else if (what == "chunk" && number < document.world_size())
    chosen.chunk = static_cast<int>(number);
  else if (what != "chunk")
    throw UserError(
        fmt::format("copy-text message, rank, chunk, event or problem, not \"{}\"", what));
  const Inspection found = inspect(state, chosen);
  if (found.title.empty()) refuse(what, number);
  return inspection_text(found);
}

}  // namespace rankscope::gui
