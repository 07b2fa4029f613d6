// Keeps the facts that a narration has read from a trace, and the sentences that were asked for.
#include "engine/analysis/narration/narration.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/analysis/narration/effects.h"
#include "engine/analysis/narration/ends.h"
#include "engine/analysis/narration/step_sentence.h"
#include "engine/analysis/narration/words.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace narration {
namespace {

/// Messages without data: which ranks a rank has heard of, directly or through others.
class Arrivals {
 public:
  /// Worlds beyond this number are not followed.
  static constexpr int kMostRanks = 256;

  Arrivals(const TraceAnalysis& analysis, const StepReader& reader);

  /// Numbers of ranks, itself included, of which the least and the best informed rank know after a step that they have
  /// arrived; 0 if unknown.
  struct Count {
    int least = 0, most = 0;
  };
  Count after(int step) const;

 private:
  std::vector<Count> after_;  ///< By step; empty if unknown.
};

using Known = std::vector<std::vector<bool>>;  // by rank, of which ranks

Arrivals::Count count_of(const Known& known) {
  Arrivals::Count count{static_cast<int>(known.size()), 0};
  for (const auto& of : known) {
    const auto ranks = static_cast<int>(ranges::count(of, true));
    count.least = std::min(count.least, ranks);
    count.most = std::max(count.most, ranks);
  }
  return count;
}

// A message carries only what its sender knew when it left.
Arrivals::Arrivals(const TraceAnalysis& analysis, const StepReader& reader) {
  const int world = analysis.trace().world_size();
  const auto ranks = static_cast<std::size_t>(std::max(world, 0));
  if (world < 2 || world > kMostRanks) return;
  const Rounds& rounds = analysis.rounds();
  Known known(ranks, std::vector<bool>(ranks, false));
  for (std::size_t rank = 0; rank < ranks; ++rank) known[rank][rank] = true;
  std::vector<std::uint32_t> last(ranks, MessageOrder::kNoMessage);
  std::vector<Count> counts{count_of(known)};
  for (int step = 1; step <= reader.steps(); ++step) {
    const Known before = known;
    const auto last_before = last;
    for (const std::uint32_t m : reader.messages(step)) {
      const MessageRecord& message = rounds.messages[m];
      const auto from = static_cast<std::size_t>(message.from),
                 to = static_cast<std::size_t>(message.to);
      if (message.received == kNoEvent) continue;
      if (rounds.order[m].known_before != last_before[from]) return;
      last[to] = m;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        if (before[from][rank]) known[to][rank] = true;
    }
    counts.push_back(count_of(known));
  }
  after_ = std::move(counts);
}

Arrivals::Count Arrivals::after(int step) const {
  const auto at = static_cast<std::size_t>(step);
  return at < after_.size() ? after_[at] : Count{};
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
    std::unique_ptr<narration::Arrivals> arrivals;
  };
  Read& read() {
    if (!made) made = std::make_unique<Read>(analysis);
    return *made;
  }

  narration::Arrivals::Count arrivals(Read& of, int step) {
    if (!of.arrivals) of.arrivals = std::make_unique<narration::Arrivals>(analysis, of.reader);
    return of.arrivals->after(step);
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
