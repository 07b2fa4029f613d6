// Words the start and the end of a run, and keeps the facts that were read from its trace and the sentences made of them.
#include "engine/analysis/narration/narration.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/analysis/meant/wrong_value.h"
#include "engine/analysis/narration/effects.h"
#include "engine/analysis/narration/step_sentence.h"
#include "engine/analysis/narration/words.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace narration {
namespace {

/// The numbers of ranks, itself included, that the least and the best informed rank of a run without data know to have
/// arrived, directly or through others.
struct Informed {
  int least = 0, most = 0;
};
using Known = std::vector<std::vector<bool>>;  // by rank, of which ranks

Informed least_and_most(const Known& known) {
  Informed informed{static_cast<int>(known.size()), 0};
  for (const auto& of : known) {
    const auto ranks = static_cast<int>(ranges::count(of, true));
    informed.least = std::min(informed.least, ranks);
    informed.most = std::max(informed.most, ranks);
  }
  return informed;
}

/// Returns the numbers of ranks that a rank knows of, the least and the most, after each step; empty if unknown. A message
/// carries what its sender knew when it was sent.
std::vector<Informed> arrivals(const TraceAnalysis& analysis, const StepReader& reader) {
  constexpr int kMostRanks = 256;
  const int world = analysis.trace().world_size();
  if (world < 2 || world > kMostRanks) return {};
  const auto ranks = static_cast<std::size_t>(world);
  const Rounds& rounds = analysis.rounds();
  Known known(ranks, std::vector<bool>(ranks, false));
  for (std::size_t rank = 0; rank < ranks; ++rank) known[rank][rank] = true;
  std::vector<std::uint32_t> last(ranks, MessageOrder::kNoMessage);
  std::vector<Informed> informed{least_and_most(known)};
  for (int step = 1; step <= reader.steps(); ++step) {
    const Known before = known;
    const auto last_before = last;
    for (const std::uint32_t m : reader.messages(step)) {
      const MessageRecord& message = rounds.messages[m];
      const auto from = static_cast<std::size_t>(message.from),
                 to = static_cast<std::size_t>(message.to);
      if (message.received == kNoEvent) continue;
      if (rounds.order[m].known_before != last_before[from]) return {};
      last[to] = m;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        if (before[from][rank]) known[to][rank] = true;
    }
    informed.push_back(least_and_most(known));
  }
  return informed;
}

std::string steps_follow(int steps) {
  if (steps == 0) return {};
  return steps == 1 ? "; one step follows" : fmt::format("; {} steps follow", steps);
}

std::uint64_t messages_of(const StepReader& reader) {
  std::uint64_t all = 0;
  for (int step = 1; step <= reader.steps(); ++step) all += reader.messages(step).size();
  return all;
}

/// Returns the last sentence on a run that goes on.
std::string so_far(const StepReader& reader, int world) {
  if (reader.steps() == 0) return fmt::format("{} ranks are about to begin.", world);
  return fmt::format("The run goes on: {} so far.", counted(messages_of(reader), "message"));
}

Count input_elements(const TraceAnalysis& analysis) {
  const Pieces& pieces = analysis.pieces();
  const auto* input = pieces.in(0) != nullptr ? pieces.in(0) : pieces.data(0);
  return input == nullptr ? 0 : count_of(*input);
}

/// Returns whether some message carries one or several chunks, and not everything.
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

/// Returns whether the run goes on: the trace has no end.
bool is_running(const Trace& trace) { return !trace.meta().has_ended(); }

/// Returns the first sentence: the kind of run, and each rank's data. `covered`: without what later steps amount to.
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

/// Returns the trouble of a run; nothing if it goes on or is right.
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
  return outcome->failed_rank < 0 ? "The run failed."
                                  : fmt::format("Rank {} broke off.", outcome->failed_rank);
}

std::string end_of_sum(const TraceAnalysis& analysis, Holdings& holdings,
                       const std::string& after) {
  const int world = holdings.world(), last = holdings.last();
  const Trace& trace = analysis.trace();
  bool divided = false;
  for (std::uint64_t k = trace.size(); k-- > 0 && !divided;) divided = trace[k].verb == Verb::scale;
  const std::string what =
      fmt::format("the {} of {} vectors", divided ? "average" : words_of(holdings.op()).result,
                  world == 2 ? "both" : fmt::format("all {}", world));
  const auto done = finished(holdings, last, world);
  if (static_cast<int>(done.size()) == world)
    return fmt::format("{} every rank holds {}", after, what);
  if (done.size() == 1) return fmt::format("{} rank {} holds {}", after, done.front(), what);
  bool chunks = true;
  Count all = 0;
  for (Rank rank = 0; rank < world; ++rank)
    for (const account::Stretch& one : holdings.data(rank, last)) {
      chunks = chunks && one.shares.complete(world);
      all += one.elements.count;
    }
  if (chunks && all == holdings.whole())
    return fmt::format("{} each rank holds its own chunk of {}", after, what);
  if (done.empty()) return fmt::format("{} no rank holds {}", after, what);
  return fmt::format("{} {} of {} ranks hold {}", after, done.size(), world, what);
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

/// Returns the last sentence: each rank's data, or what went wrong. `all_arrived`: in a run without data, every rank is
/// informed of all others.
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

}  // namespace
}  // namespace narration

namespace {

std::string cut(std::string text, std::size_t longest) {
  if (narration::length_of(text) <= longest) return text;
  std::size_t characters = 0, at = 0;
  for (; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && ++characters == longest) break;
  text.resize(at);
  return text + "…";
}

}  // namespace

struct Narration::Parts {
  explicit Parts(TraceAnalysis of) : analysis(std::move(of)) {}

  struct Read {
    explicit Read(const TraceAnalysis& analysis) : holdings(analysis), reader(analysis, holdings) {}
    narration::Holdings holdings;
    narration::StepReader reader;
    std::optional<std::vector<narration::Informed>> arrivals;
  };
  Read& read() {
    if (!made) made = std::make_unique<Read>(analysis);
    return *made;
  }

  narration::Informed arrivals(Read& of, int step) {
    if (!of.arrivals) of.arrivals = narration::arrivals(analysis, of.reader);
    const auto at = static_cast<std::size_t>(step);
    return at < of.arrivals->size() ? (*of.arrivals)[at] : narration::Informed{};
  }
  bool all_arrived(Read& of) {
    return of.holdings.motion() == narration::Motion::nothing &&
           arrivals(of, of.reader.steps()).least == of.holdings.world();
  }

  std::string arrival_words(Read& of, int step) {
    const auto now = arrivals(of, step);
    const int world = of.holdings.world();
    if (now.least == 0) return {};
    if (now.least == world) return "now every rank knows that all have arrived";
    if (now.least == now.most)
      return fmt::format("every rank now knows that {} of {} have arrived", now.least, world);
    return now.most == world ? "some ranks now know that all have arrived" : "";
  }

  bool last_is_over(const Read& of) const {
    return of.reader.steps() > 0 &&
           ranges::all_of(of.reader.messages(of.reader.steps()), [&](std::uint32_t m) {
             return analysis.rounds().messages[m].received != kNoEvent;
           });
  }

  std::string made_sentence(int step) {
    Read& of = read();
    if (step <= 0)
      return narration::start_sentence(analysis, of.reader, of.holdings, step == kCoveredStart);
    // While a run goes on, its last step stands for its end once that step is over.
    if (step > of.reader.steps() && narration::is_running(analysis.trace()) && last_is_over(of))
      step = of.reader.steps();
    if (step > of.reader.steps())
      return narration::end_sentence(analysis, of.reader, of.holdings, all_arrived(of));
    const narration::StepFacts facts = of.reader.facts(step);
    const std::string effect = of.holdings.motion() == narration::Motion::nothing
                                   ? arrival_words(of, step)
                                   : narration::effect_of(facts, of.holdings);
    return narration::step_sentence(facts, of.reader, of.holdings, effect,
                                    narration::is_running(analysis.trace()), kLongest);
  }

  const TraceAnalysis analysis;
  std::unique_ptr<Read> made;
  std::unordered_map<int, std::string> sentences;
};

Narration::Narration(TraceAnalysis analysis)
    : parts_(std::make_unique<Parts>(std::move(analysis))) {}
Narration::~Narration() = default;
Narration::Narration(Narration&&) noexcept = default;
Narration& Narration::operator=(Narration&&) noexcept = default;

int Narration::steps() const { return parts_->read().reader.steps(); }

bool Narration::went_wrong() const { return narration::trouble(parts_->analysis).has_value(); }

const std::string& Narration::sentence(int step) const {
  if (step != kCoveredStart) step = std::clamp(step, 0, steps() + 1);
  const auto known = parts_->sentences.find(step);
  if (known != parts_->sentences.end()) return known->second;
  return parts_->sentences.emplace(step, cut(parts_->made_sentence(step), kLongest)).first->second;
}

}  // namespace rankscope
