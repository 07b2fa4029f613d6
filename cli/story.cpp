#include "cli/story.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/text.h"
#include "engine/analysis/rounds.h"

namespace rankscope::cli {
namespace {

Count count_of(const Definition& buffer) {
  Count count = 1;
  for (const auto extent : buffer.extents) count *= extent;
  return count;
}

std::string value_text(DType dtype, const std::byte* at) {
  return visit_dtype(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_floating_point_v<T>) return fmt::format("{:g}", value);
    else return fmt::format("{}", +value);
  });
}

/// A part of the data as a whole, which has `whole` elements.
Piece named_piece(Range elements, Count whole, int ranks) {
  Piece piece{elements, -1, {}};
  if (elements.count == whole) {
    piece.name = "everything";
    return piece;
  }
  const Partition chunks(whole, ranks);
  const int first = chunks.chunk_of(elements.offset), last = chunks.chunk_of(elements.end() - 1);
  if (first == last) piece.chunk = first;
  if (chunks.span(first, last + 1) != elements)
    piece.name = elements.count == 1
                     ? fmt::format("element {}", elements.offset)
                     : fmt::format("elements {}–{}", elements.offset, elements.end() - 1);
  else if (first == last) piece.name = fmt::format("chunk {}", first);
  else piece.name = fmt::format("chunks {}–{}", first, last);
  return piece;
}

class Teller {
 public:
  Teller(const Trace& trace, int most_values)
      : trace_(trace),
        ranks_(trace.world_size()),
        most_values_(most_values),
        rounds_(rounds(trace)) {
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i)
      round_of_recv_[rounds_.messages[i].recv] = rounds_.round[i];
    for (const auto& buffer : trace.definitions(Definition::Kind::buffer)) add_buffer(buffer);
    find_work();
    find_ends();
  }

  Story tell() {
    Story story;
    story.algorithm = trace_.meta().algorithm;
    story.ranks = ranks_;
    story.rounds = rounds_.count;
    for (int round = 0; round <= rounds_.count; ++round) {
      auto told = chapter(round);
      if (round > 0 || !told.buffers.empty()) story.chapters.push_back(std::move(told));
    }
    auto end = chapter(rounds_.count + 1);
    if (ends_differ_) story.chapters.push_back(std::move(end));
    mark_changes(story);
    for (std::uint64_t k = 0; k < trace_.size() && story.op.empty(); ++k)
      if (trace_[k].verb == Verb::reduce || trace_[k].verb == Verb::recv_reduce)
        story.op = to_string(trace_[k].reduce_op);
    return story;
  }

 private:
  void add_buffer(const Definition& buffer) {
    if (buffer.id == 0 || buffer.rank < 0) return;
    if (buffer.name == "data") data_[buffer.rank] = &buffer;
    if (buffer.name == "in") in_[buffer.rank] = &buffer;
    if (buffer.name == "data" || buffer.name == "in") whole_ = std::max(whole_, count_of(buffer));
  }

  /// A reduce-scatter works on a copy of the whole input; only its output is one chunk.
  void find_work() {
    if (!trace_.meta().algorithm.starts_with("reduce_scatter.")) return;
    for (const auto& buffer : trace_.definitions(Definition::Kind::buffer))
      if (buffer.id != 0 && buffer.name != "data" && buffer.name != "in" &&
          count_of(buffer) == whole_)
        work_.emplace(buffer.rank, &buffer);
    ends_differ_ = !work_.empty();
  }
  bool is_work(const Definition& buffer) const {
    const auto found = work_.find(buffer.rank);
    return found != work_.end() && found->second == &buffer;
  }

  /// Where a buffer lies in the data as a whole: it is all of it, or its rank's chunk (the output of
  /// a scatter, the input of a gather). Nothing for memory that only the algorithm knows.
  std::optional<Count> base_of(const Definition* buffer) const {
    if (buffer == nullptr) return std::nullopt;
    if (buffer->name != "data" && buffer->name != "in" && !is_work(*buffer)) return std::nullopt;
    if (count_of(*buffer) == whole_) return 0;
    const auto own = Partition(whole_, ranks_)[buffer->rank];
    return count_of(*buffer) == own.count ? std::optional(own.offset) : std::nullopt;
  }

  std::optional<Range> range_of(std::uint32_t id, std::uint64_t offset, std::uint64_t bytes) const {
    const auto* buffer = trace_.definition(Definition::Kind::buffer, id);
    const auto base = base_of(buffer);
    if (!base) return std::nullopt;
    const auto size = dtype_size(buffer->dtype);
    const Range range{*base + static_cast<Count>(offset / size), static_cast<Count>(bytes / size)};
    return range.end() <= whole_ ? std::optional(range) : std::nullopt;
  }

  Piece piece_of(const MessageRecord& message) const {
    if (message.bytes == 0) return {{-1, 0}, -1, "an empty message"};
    const auto& sent = trace_[message.sent];
    auto range = range_of(sent.in_buffer, sent.in_offset, message.bytes);
    // The receiver's side tells it where the sender's memory has no place in the data.
    if (!range && message.received != kNoEvent) {
      const auto& received = trace_[message.received];
      range = range_of(received.out_buffer, received.out_offset, message.bytes);
    }
    if (range) return named_piece(*range, whole_, ranks_);
    const auto count = message.bytes / std::max<std::size_t>(1, dtype_size(sent.dtype));
    return {{-1, static_cast<Count>(count)}, -1, plural(count, "element")};
  }

  /// Where, for each rank, each round ends: the ranks do not move in step, so that the state after a
  /// round is a different moment on each rank.
  void find_ends() {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const auto stages = static_cast<std::size_t>(rounds_.count) + 2;
    ends_.assign(ranks, std::vector<Cursor>(stages, 0));
    std::vector<int> stage(ranks, 0);
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const auto& event = trace_[k];
      if (event.rank < 0 || event.rank >= ranks_) continue;
      int& at = stage[static_cast<std::size_t>(event.rank)];
      if (event.kind == EventKind::completed && is_recv(event.verb)) {
        const auto found = round_of_recv_.find(event.op);
        if (found != round_of_recv_.end()) at = std::max(at, found->second);
      }
      if (event.verb == Verb::scale) {
        at = rounds_.count + 1;  // the division of AVG comes after all messages
        ends_differ_ = true;
      }
      ends_[static_cast<std::size_t>(event.rank)][static_cast<std::size_t>(at)] = k + 1;
    }
    for (auto& ends : ends_)
      for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  }

  ToldRound chapter(int round) {
    ToldRound told;
    told.number = round;
    std::vector<std::string> phases;
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
      const auto& message = rounds_.messages[i];
      if (message.sync || rounds_.round[i] != round || round == 0) continue;
      told.messages.push_back(told_message(message));
      const auto* phase = trace_.definition(Definition::Kind::phase, trace_[message.sent].phase);
      if (phase != nullptr && std::find(phases.begin(), phases.end(), phase->name) == phases.end())
        phases.push_back(phase->name);
    }
    std::stable_sort(told.messages.begin(), told.messages.end(),
                     [](const auto& a, const auto& b) { return a.from < b.from; });
    for (const auto& phase : phases) told.phase += (told.phase.empty() ? "" : ", ") + phase;
    for (Rank rank = 0; rank < ranks_; ++rank) add_buffers(told, rank);
    return told;
  }

  ToldMessage told_message(const MessageRecord& message) const {
    ToldMessage told;
    told.from = message.from;
    told.to = message.to;
    told.bytes = message.bytes;
    told.received = message.received != kNoEvent;
    if (told.received) told.reduced = trace_[message.received].verb == Verb::recv_reduce;
    told.piece = piece_of(message);
    return told;
  }

  void add_buffers(ToldRound& told, Rank rank) {
    const auto data = data_.find(rank);
    const auto in = in_.find(rank);
    const auto work = work_.find(rank);
    const Definition* shown = nullptr;
    // The input is shown at the start, and later where a rank has nothing else.
    if (in != in_.end() && (told.number == 0 || data == data_.end())) shown = in->second;
    else if (work != work_.end() && told.number <= rounds_.count) shown = work->second;
    else if (data != data_.end()) shown = data->second;
    if (shown != nullptr) told.buffers.push_back(told_buffer(*shown, rank, told.number));
  }

  ToldBuffer told_buffer(const Definition& buffer, Rank rank, int round) {
    ToldBuffer told;
    told.rank = rank;
    told.name = buffer.name;
    told.count = count_of(buffer);
    const auto cursor = ends_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(round)];
    const auto& states = at(cursor);
    const auto state = std::find_if(states.begin(), states.end(),
                                    [&](const auto& one) { return one.buffer == buffer.id; });
    const Sampling sampling(told.count);
    const Count base = base_of(&buffer).value_or(0);
    const Partition chunks(whole_, ranks_);
    const bool all = told.count <= most_values_;
    for (Count i = 0; i < told.count;) {
      ToldBuffer::Cell cell;
      cell.element = base + i;
      cell.chunk = chunks.chunk_of(cell.element);
      const Count next = all ? i + 1 : chunks[cell.chunk].end() - base;
      const auto samples = sampling.within({i, std::min(next, told.count) - i});
      const auto sample = static_cast<std::size_t>(samples.offset);
      if (state != states.end() && samples.count > 0 && sample < state->known.size() &&
          state->known[sample])
        cell.value =
            value_text(buffer.dtype, state->samples.data() + sample * dtype_size(buffer.dtype));
      told.cells.push_back(std::move(cell));
      i = next;
    }
    return told;
  }

  const std::vector<BufferState>& at(Cursor cursor) {
    auto& states = states_[cursor];
    if (!states) states = trace_.seek(cursor);
    return *states;
  }

  static void mark_changes(Story& story) {
    std::map<Rank, const ToldBuffer*> before;
    for (auto& chapter : story.chapters) {
      for (auto& buffer : chapter.buffers) {
        const auto*& last = before[buffer.rank];
        const bool same = last != nullptr && last->cells.size() == buffer.cells.size();
        for (std::size_t i = 0; same && i < buffer.cells.size(); ++i)
          buffer.cells[i].changed = buffer.cells[i].value != last->cells[i].value;
        last = &buffer;
      }
    }
  }

  const Trace& trace_;
  const int ranks_;
  const int most_values_;
  Count whole_ = 0;
  const Rounds rounds_;
  bool ends_differ_ = false;
  std::unordered_map<OpId, int> round_of_recv_;
  std::map<Rank, const Definition*> data_, in_, work_;
  std::vector<std::vector<Cursor>> ends_;  ///< By rank and round.
  std::map<Cursor, std::optional<std::vector<BufferState>>> states_;
};

}  // namespace

Story tell(const Trace& trace, int most_values) { return Teller(trace, most_values).tell(); }

nlohmann::json json_of(const Story& story) {
  auto chapters = nlohmann::json::array();
  for (const auto& chapter : story.chapters) {
    auto messages = nlohmann::json::array(), buffers = nlohmann::json::array();
    for (const auto& message : chapter.messages)
      messages.push_back({{"from", message.from},
                          {"to", message.to},
                          {"bytes", message.bytes},
                          {"what", message.piece.name},
                          {"first_element", message.piece.elements.offset},
                          {"elements", message.piece.elements.count},
                          {"reduced", message.reduced},
                          {"received", message.received}});
    for (const auto& buffer : chapter.buffers) {
      auto values = nlohmann::json::array();
      for (const auto& cell : buffer.cells)
        values.push_back({{"element", cell.element},
                          {"value", cell.value},
                          {"chunk", cell.chunk},
                          {"changed", cell.changed}});
      buffers.push_back({{"rank", buffer.rank},
                         {"buffer", buffer.name},
                         {"count", buffer.count},
                         {"values", values}});
    }
    chapters.push_back({{"round", chapter.number},
                        {"phase", chapter.phase},
                        {"messages", messages},
                        {"buffers", buffers}});
  }
  return {{"algorithm", story.algorithm},
          {"ranks", story.ranks},
          {"rounds", story.rounds},
          {"op", story.op},
          {"chapters", chapters}};
}

}  // namespace rankscope::cli
