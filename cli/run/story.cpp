// Builds a story from a trace: the chapters, their messages, and the buffers after each round.
#include "cli/run/story.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/narration/narration.h"
#include "engine/core/base/value_text.h"

namespace rankscope::cli {
namespace {

class StoryBuilder {
 public:
  StoryBuilder(const TraceAnalysis& analysis, int most_values)
      : trace_(analysis.trace()),
        ranks_(trace_.world_size()),
        most_values_(most_values),
        rounds_(analysis.rounds()),
        pieces_(analysis.pieces()),
        cuts_(analysis.cuts()),
        narration_(analysis) {}

  Story build_story() {
    Story story;
    story.algorithm = trace_.meta().algorithm;
    story.ranks = ranks_;
    story.rounds = rounds_.count;
    for (int round = 0; round <= rounds_.count; ++round) {
      auto told = chapter(round);
      if (round > 0 || !told.buffers.empty()) story.chapters.push_back(std::move(told));
    }
    auto end = chapter(rounds_.count + 1);
    if (ends_differ()) story.chapters.push_back(std::move(end));
    story.ending = narration_.sentence(rounds_.count + 1);
    mark_changes(story);
    for (std::uint64_t k = 0; k < trace_.size() && story.op.empty(); ++k)
      if (trace_[k].verb == Verb::reduce || trace_[k].verb == Verb::recv_reduce)
        story.op = to_string(trace_[k].reduce_op);
    return story;
  }

 private:
  /// A reduce-scatter works on a copy of the whole input; only its output is one chunk.
  bool ends_differ() const {
    if (cuts_.ends_differ) return true;
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (pieces_.work(rank) != nullptr) return true;
    return false;
  }

  StoryRound chapter(int round) {
    StoryRound told;
    told.number = round;
    if (round <= rounds_.count) told.sentence = narration_.sentence(round);
    std::vector<std::string> phases;
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
      const auto& message = rounds_.messages[i];
      if (message.sync || rounds_.round[i] != round || round == 0) continue;
      told.messages.push_back(story_message(message));
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

  StoryMessage story_message(const MessageRecord& message) const {
    StoryMessage told;
    told.from = message.from;
    told.to = message.to;
    told.bytes = message.bytes;
    told.received = message.received != kNoEvent;
    if (told.received) told.reduced = trace_[message.received].verb == Verb::recv_reduce;
    told.piece = pieces_.of(message);
    return told;
  }

  void add_buffers(StoryRound& told, Rank rank) {
    const auto* data = pieces_.data(rank);
    const auto* in = pieces_.in(rank);
    const auto* work = pieces_.work(rank);
    const Definition* shown = data;
    // The input is shown at the start, and later where a rank has nothing else.
    if (in != nullptr && (told.number == 0 || data == nullptr)) shown = in;
    else if (work != nullptr && told.number <= rounds_.count) shown = work;
    if (shown != nullptr) told.buffers.push_back(story_buffer(*shown, rank, told.number));
  }

  StoryBuffer story_buffer(const Definition& buffer, Rank rank, int round) {
    StoryBuffer told;
    told.rank = rank;
    told.name = buffer.name;
    told.count = count_of(buffer);
    const auto cursor = cuts_.cut[static_cast<std::size_t>(rank)][static_cast<std::size_t>(round)];
    const auto& states = at(cursor);
    const auto state = std::find_if(states.begin(), states.end(),
                                    [&](const auto& one) { return one.buffer == buffer.id; });
    const Sampling sampling(told.count);
    const Count base = pieces_.base_of(&buffer).value_or(0);
    const Partition chunks(pieces_.whole(), ranks_);
    const bool all = told.count <= most_values_;
    for (Count i = 0; i < told.count;) {
      StoryBuffer::Cell cell;
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
    std::map<Rank, const StoryBuffer*> before;
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
  const Rounds& rounds_;
  const Pieces& pieces_;
  const RoundCuts& cuts_;
  const Narration narration_;
  std::map<Cursor, std::optional<std::vector<BufferState>>> states_;
};

}  // namespace

Story build_story(const TraceAnalysis& analysis, int most_values) {
  return StoryBuilder(analysis, most_values).build_story();
}

nlohmann::json json_of(const Story& story) {
  auto chapters = nlohmann::json::array();
  for (const auto& chapter : story.chapters) {
    auto messages = nlohmann::json::array(), buffers = nlohmann::json::array();
    for (const auto& message : chapter.messages)
      messages.push_back({{"from", message.from},
                          {"to", message.to},
                          {"bytes", message.bytes},
                          {"what", message.piece.name()},
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
                        {"narration", chapter.sentence},
                        {"messages", messages},
                        {"buffers", buffers}});
  }
  return {{"algorithm", story.algorithm}, {"ranks", story.ranks},
          {"rounds", story.rounds},       {"op", story.op},
          {"ending", story.ending},       {"chapters", chapters}};
}

}  // namespace rankscope::cli
