#include "cli/story.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

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

Piece piece_of(const Definition& buffer, std::uint64_t offset, std::uint64_t bytes, int ranks) {
  const auto size = dtype_size(buffer.dtype);
  const Count count = count_of(buffer);
  Piece piece;
  piece.elements = {static_cast<Count>(offset / size), static_cast<Count>(bytes / size)};
  const auto& elements = piece.elements;
  if (elements.count == 0 || elements.end() > count) {
    piece.name = elements.count == 0 ? "nothing" : "data";
    return piece;
  }
  if (elements.count == count) {
    piece.name = "everything";
    return piece;
  }
  const Partition chunks(count, ranks);
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
    find_ends();
  }

  Story tell() {
    Story story;
    story.algorithm = trace_.meta().algorithm;
    story.ranks = ranks_;
    story.rounds = rounds_.count;
    for (int round = 0; round <= rounds_.count; ++round) story.chapters.push_back(chapter(round));
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
    const auto& sent = trace_[message.sent];
    const Definition* buffer = trace_.definition(Definition::Kind::buffer, sent.in_buffer);
    std::uint64_t offset = sent.in_offset;
    if (told.received) {
      const auto& received = trace_[message.received];
      told.reduced = received.verb == Verb::recv_reduce;
      // The receiver's range tells which chunk it is where the sender's memory has no name.
      if (buffer == nullptr || buffer->name != "data") {
        const auto* into = trace_.definition(Definition::Kind::buffer, received.out_buffer);
        if (into != nullptr && (buffer == nullptr || into->name == "data")) {
          buffer = into;
          offset = received.out_offset;
        }
      }
    }
    if (buffer != nullptr) told.piece = piece_of(*buffer, offset, message.bytes, ranks_);
    else told.piece.name = "data";
    return told;
  }

  void add_buffers(ToldRound& told, Rank rank) {
    const auto data = data_.find(rank);
    const auto in = in_.find(rank);
    // The input is shown at the start, and later where a rank has nothing else.
    if (in != in_.end() && (told.number == 0 || data == data_.end()))
      told.buffers.push_back(told_buffer(*in->second, rank, told.number));
    if (data != data_.end() && (told.number > 0 || in == in_.end()))
      told.buffers.push_back(told_buffer(*data->second, rank, told.number));
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
    const Partition chunks(told.count, ranks_);
    const bool all = told.count <= most_values_;
    for (int chunk = 0; chunk < ranks_; ++chunk) {
      const auto range = chunks[chunk];
      for (Count i = 0; i < (all ? range.count : std::min<Count>(range.count, 1)); ++i) {
        ToldBuffer::Cell cell;
        cell.element = range.offset + i;
        cell.chunk = chunk;
        const auto samples = sampling.within({cell.element, range.end() - cell.element});
        const auto sample = static_cast<std::size_t>(samples.offset);
        if (state != states.end() && samples.count > 0 && sample < state->known.size() &&
            state->known[sample])
          cell.value =
              value_text(buffer.dtype, state->samples.data() + sample * dtype_size(buffer.dtype));
        told.cells.push_back(std::move(cell));
      }
    }
    return told;
  }

  const std::vector<BufferState>& at(Cursor cursor) {
    auto& states = states_[cursor];
    if (!states) states = trace_.seek(cursor);
    return *states;
  }

  static void mark_changes(Story& story) {
    std::map<std::pair<Rank, std::string>, const ToldBuffer*> before;
    for (auto& chapter : story.chapters) {
      for (auto& buffer : chapter.buffers) {
        auto& last = before[{buffer.rank, buffer.name}];
        for (std::size_t i = 0; last != nullptr && i < buffer.cells.size(); ++i)
          buffer.cells[i].changed = buffer.cells[i].value != last->cells[i].value;
        last = &buffer;
      }
    }
  }

  const Trace& trace_;
  const int ranks_;
  const int most_values_;
  const Rounds rounds_;
  bool ends_differ_ = false;
  std::unordered_map<OpId, int> round_of_recv_;
  std::map<Rank, const Definition*> data_, in_;
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
