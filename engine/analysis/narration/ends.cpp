// Says what the ranks have at the start, and at the end the result, or what went wrong.
#include "engine/analysis/narration/ends.h"

#include <optional>

#include <fmt/format.h>

#include "engine/analysis/meant/wrong_value.h"
#include "engine/analysis/narration/effects.h"
#include "engine/analysis/narration/words.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope::narration {
namespace {

std::string steps_follow(int steps) {
  if (steps == 0) return {};
  return steps == 1 ? "; one step follows" : fmt::format("; {} steps follow", steps);
}

std::uint64_t messages_of(const StepReader& reader) {
  std::uint64_t all = 0;
  for (int step = 1; step <= reader.steps(); ++step) all += reader.messages(step).size();
  return all;
}

/// The end of a run that goes on.
std::string so_far(const StepReader& reader, int world) {
  if (reader.steps() == 0) return fmt::format("{} ranks are about to begin.", world);
  return fmt::format("The run goes on: {} so far.", counted(messages_of(reader), "message"));
}

Count input_elements(const TraceAnalysis& analysis) {
  const Pieces& pieces = analysis.pieces();
  const auto* input = pieces.in(0) != nullptr ? pieces.in(0) : pieces.data(0);
  return input == nullptr ? 0 : count_of(*input);
}

/// Whether some message carries one or several chunks, and not everything.
bool uses_chunks(const TraceAnalysis& analysis) {
  return ranges::any_of(analysis.messages(), [&](const MessageRecord& one) {
    const Piece piece = analysis.pieces().of(one);
    return !one.sync && piece.exact && !piece.whole;
  });
}

std::string start_of_sum(const TraceAnalysis& analysis, const Holdings& holdings) {
  const Count whole = holdings.whole();
  std::string text =
      fmt::format("each of the {} ranks begins with its own vector of {}", holdings.world(),
                  counted(static_cast<std::uint64_t>(whole), "element"));
  if (!uses_chunks(analysis)) return text;
  const Partition chunks(whole, holdings.world());
  return text + fmt::format(", cut into {} {}chunks", holdings.world(),
                            whole % holdings.world() != 0 ? "uneven " : "");
}

std::string plain_start(const StepReader& reader, int world) {
  return fmt::format("{} ranks exchange {} in {}", world, counted(messages_of(reader), "message"),
                     counted(static_cast<std::uint64_t>(reader.steps()), "step"));
}

}  // namespace

bool is_running(const Trace& trace) { return !trace.meta().has_ended(); }

std::string start_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                           Holdings& holdings, bool covered) {
  const int world = holdings.world();
  if (world <= 0) return "Nothing has been recorded.";
  if (world == 1) return "There is a single rank, which needs no message.";
  if (reader.steps() == 0)
    return is_running(analysis.trace())
               ? so_far(reader, world)
               : fmt::format("{} ranks begin, and no message is sent.", world);
  const auto elements = counted(static_cast<std::uint64_t>(holdings.whole()), "element");
  std::string text;
  switch (holdings.motion()) {
    case Motion::combines:
      if (holdings.known()) text = start_of_sum(analysis, holdings);
      break;
    case Motion::nothing:
      text = fmt::format("{} ranks send each other empty messages", world);
      break;
    case Motion::spreads:
      text = fmt::format("only rank {} has the data ({}) that {} are to have", holdings.center(),
                         elements, world == 2 ? "both ranks" : fmt::format("all {} ranks", world));
      break;
    case Motion::deals:
      text = fmt::format("rank {} has {}, of which each of the {} ranks is to get a chunk",
                         holdings.center(), elements, world);
      break;
    case Motion::gathers:
      text = fmt::format("each of the {} ranks has one block, and rank {} is to have them all",
                         world, holdings.center());
      break;
    case Motion::collects:
      text = fmt::format("each of the {} ranks has one block, and every rank is to have them all",
                         world);
      break;
    case Motion::moves:
      text = fmt::format("each of the {} ranks has {} of its own", world, elements);
      break;
    case Motion::regroups:
      text = fmt::format("each of the {0} ranks has {1}: {0} blocks, one for each rank", world,
                         counted(static_cast<std::uint64_t>(input_elements(analysis)), "element"));
      break;
    default: break;
  }
  if (text.empty())
    return covered ? fmt::format("{} ranks are about to begin.", world)
                   : capitalized(plain_start(reader, world)) + ".";
  return capitalized(text + (covered ? "" : steps_follow(reader.steps()))) + ".";
}

// ---- The end ------------------------------------------------------------------------------------

namespace {

std::string cycle_words(const Finding& deadlock) {
  const auto& ranks = deadlock.ranks;
  if (ranks.size() == 1)
    return fmt::format("Deadlock: rank {} waits for itself, so it cannot go on.", ranks[0]);
  if (ranks.size() == 2)
    return fmt::format(
        "Deadlock: rank {0} waits for rank {1} and rank {1} for rank {0}, so neither "
        "can go on.",
        ranks[0], ranks[1]);
  if (ranks.size() <= 12)
    return fmt::format("Deadlock: {} ranks wait in a circle ({}), so none of them can go on.",
                       ranks.size(), cycle_text(deadlock));
  return fmt::format(
      "Deadlock: {} ranks wait for each other in a circle, so none of them can go on.",
      ranks.size());
}

std::string sentence_of(std::string words) {
  words = capitalized(std::move(words));
  if (!words.empty() && words.back() != '.') words += '.';
  return words;
}

}  // namespace

std::optional<std::string> trouble(const TraceAnalysis& analysis) {
  if (is_running(analysis.trace())) return std::nullopt;
  const auto& findings = analysis.findings();
  using enum Finding::Kind;
  for (const Finding& one : findings)
    if (one.kind == deadlock && !one.ranks.empty()) return cycle_words(one);
  for (const Finding& one : findings)
    if (one.kind == lost_rank || one.kind == not_supported) return sentence_of(one.what);
  if (const auto wrong = meant::find_wrong_value(analysis))
    return sentence_of(wrong->what) + (wrong->why.empty() ? "" : " " + sentence_of(wrong->why));
  for (const Finding& one : findings)
    if (one.kind == wrong_result || (one.severity == Finding::Severity::error))
      return sentence_of(one.what);
  const auto& outcome = analysis.trace().meta().outcome;
  if (!outcome || outcome->ok()) return std::nullopt;
  if (outcome->status == JobResult::Status::timeout) return "The run took too long and was ended.";
  if (outcome->status == JobResult::Status::interrupted) return "The run was interrupted.";
  return "The run failed.";
}

namespace {

std::string end_of_sum(const TraceAnalysis& analysis, Holdings& holdings,
                       const std::string& after) {
  const int world = holdings.world(), last = holdings.last();
  const Trace& trace = analysis.trace();
  bool divided = false;
  for (std::uint64_t k = trace.size(); k-- > 0 && !divided;) divided = trace[k].verb == Verb::scale;
  const std::string what =
      fmt::format("the {} of {} {} vectors", divided ? "average" : words_of(holdings.op()).result,
                  world == 2 ? "both" : "all", world == 2 ? "" : fmt::format("{}", world));
  std::string tidy = what;
  if (const auto twice = tidy.find("  "); twice != std::string::npos) tidy.erase(twice, 1);
  const auto done = finished(holdings, last, world);
  if (static_cast<int>(done.size()) == world)
    return fmt::format("{} every rank holds {}", after, tidy);
  if (done.size() == 1) return fmt::format("{} rank {} holds {}", after, done.front(), tidy);
  bool chunks = true;
  Count all = 0;
  for (Rank rank = 0; rank < world; ++rank)
    for (const account::Stretch& one : holdings.data(rank, last)) {
      chunks = chunks && one.shares.complete(world);
      all += one.elements.count;
    }
  if (chunks && all == holdings.whole())
    return fmt::format("{} each rank holds its own chunk of {}", after, tidy);
  if (done.empty()) return fmt::format("{} no rank holds {}", after, tidy);
  return fmt::format("{} {} of {} ranks hold {}", after, done.size(), world, tidy);
}

std::string result_words(const TraceAnalysis& analysis, Holdings& holdings, int steps,
                         std::uint64_t messages, bool all_arrived) {
  const int world = holdings.world();
  const std::string after = steps == 1 ? "after one step" : fmt::format("after {} steps", steps);
  const auto have = supplied(holdings, holdings.last(), world);
  const bool all = static_cast<int>(have.size()) == world;
  const bool known = holdings.known() && all;
  switch (holdings.motion()) {
    case Motion::combines:
      if (holdings.known()) return end_of_sum(analysis, holdings, after);
      break;
    case Motion::spreads:
      if (known) return fmt::format("{} every rank has rank {}'s data", after, holdings.center());
      break;
    case Motion::deals:
      if (known)
        return fmt::format("{} every rank has its chunk of rank {}'s data", after,
                           holdings.center());
      break;
    case Motion::gathers:
      return fmt::format("{} rank {} has the blocks of all {} ranks", after, holdings.center(),
                         world);
    case Motion::collects:
      if (known) return fmt::format("{} every rank has the blocks of all {} ranks", after, world);
      break;
    case Motion::regroups:
      if (known)
        return fmt::format("{} every rank has one block from each of the {} ranks", after, world);
      break;
    case Motion::nothing:
      if (all_arrived) return after + " every rank knows that all have arrived";
      break;
    case Motion::moves:
      if (known && !moved_words(holdings).empty()) return after + " " + moved_words(holdings);
      break;
    default: break;
  }
  return fmt::format("{} and {} the run is over", after, counted(messages, "message"));
}

}  // namespace

std::string end_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                         Holdings& holdings, bool all_arrived) {
  const Trace& trace = analysis.trace();
  if (trace.size() == 0) return "Nothing has been recorded.";
  if (is_running(trace)) return so_far(reader, holdings.world());
  if (auto wrong = trouble(analysis)) return *wrong;
  if (reader.steps() == 0)
    return holdings.world() == 1 ? "The rank has finished by itself."
                                 : "No rank has sent anything.";
  return sentence_of(
      result_words(analysis, holdings, reader.steps(), messages_of(reader), all_arrived));
}

}  // namespace rankscope::narration
