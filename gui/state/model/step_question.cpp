// Makes questions about a step from the stage's model of it, with wrong answers that people give.
#include "gui/state/model/step_question.h"

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage_model.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostOptions = 4;

/// Collects answers: the right one first, then others, each once.
class Options {
 public:
  explicit Options(std::string right) : right_(right), all_{std::move(right)} {}
  void add(const std::string& other) {
    if (all_.size() < kMostOptions && ranges::find(all_, other) == all_.end())
      all_.push_back(other);
  }
  /// Sorted, so that the right one may stand anywhere.
  StepQuestion ask(std::string text) {
    ranges::sort(all_, [](const std::string& a, const std::string& b) {
      return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    const auto right = ranges::find(all_, right_) - all_.begin();
    return {std::move(text), all_, static_cast<int>(right)};
  }
  bool any() const noexcept { return all_.size() > 1; }

 private:
  std::string right_;
  std::vector<std::string> all_;
};

std::string sent_text(const StageCargo& cargo) {
  return cargo.label.empty() ? fmt::format("rank {}", cargo.to)
                             : fmt::format("{} to rank {}", cargo.label, cargo.to);
}

class Asker {
 public:
  Asker(const TraceAnalysis& analysis, int step) : model_(analysis), step_(step) {
    if (step <= model_.rounds()) cargo_ = model_.cargo(step);
    std::erase_if(cargo_, [](const StageCargo& one) { return one.empty; });
  }

  std::vector<StepQuestion> all() {
    if (cargo_.empty()) return {};
    which_message();
    what_is_held();
    how_much();
    return std::move(questions_);
  }

 private:
  /// Returns a message of the step, not always the first.
  const StageCargo& chosen() const {
    return cargo_[static_cast<std::size_t>(step_) % cargo_.size()];
  }

  void which_message() {
    const StageCargo& right = chosen();
    const bool one = ranges::count(cargo_, right.from, &StageCargo::from) == 1;
    if (!one) return;
    Options options(sent_text(right));
    const int n = model_.world();
    const auto other_one = [&](const std::string& label, Rank to) {
      StageCargo other = right;
      other.label = label;
      other.to = to;
      options.add(sent_text(other));
    };
    for (const StageCargo& other : cargo_) other_one(other.label, right.to);
    for (const int by : {n - 1, 1, 2, n / 2})
      if (const Rank to = (right.from + by) % n; to != right.from) other_one(right.label, to);
    const char* const asked = right.label.empty() ? "Step {}: to whom does rank {} send?"
                                                  : "Step {}: what does rank {} send, and to whom?";
    if (!options.any()) return;
    StepQuestion& question =
        questions_.emplace_back(options.ask(fmt::format(fmt::runtime(asked), step_, right.from)));
    if (model_.whole() || model_.regroups() || right.named_first < 0) return;
    for (const std::string& option : question.options) {
      const auto of = ranges::find_if(
          cargo_, [&](const StageCargo& one) { return option.starts_with(one.label + " "); });
      question.signs.by_option.push_back(of == cargo_.end() || of->hue < 0 ? -1 : of->named_first);
    }
    question.signs.chunks = model_.chunks();
  }

  void what_is_held() {
    if (model_.chunks() == 0) return;
    const auto before = model_.state(step_ - 1), after = model_.state(step_);
    const StageCargo& right = chosen();
    const auto rank = static_cast<std::size_t>(right.to);
    const auto count = [&](const StageCells& cells) {
      return static_cast<int>(
          ranges::count_if(cells, [](const auto& cell) { return cell && cell->holds_anything(); }));
    };
    if (model_.reduces()) {
      const int chunk = right.into_first;
      if (chunk < 0 || chunk >= static_cast<int>(after->cells[rank].size())) return;
      const auto at = static_cast<std::size_t>(chunk);
      const auto &then = before->cells[rank][at], &now = after->cells[rank][at];
      if (!then || !now || now->unknown || now->fewest != now->most) return;
      const std::string where = model_.whole() ? "" : fmt::format(" in c{}", chunk);
      questions_.push_back(
          numbers(now->most, {then->most, now->most + 1, model_.world(), 1}, model_.world())
              .ask(fmt::format("After step {}, how many ranks' data does rank {} have{}?", step_,
                               right.to, where)));
      if (!model_.whole()) questions_.back().signs = {model_.chunks(), chunk, {}};
    } else if (model_.chunks() > 1) {
      const int now = count(after->cells[rank]);
      questions_.push_back(numbers(now,
                                   {count(before->cells[rank]), now + 1, now - 1, model_.chunks()},
                                   model_.chunks())
                               .ask(fmt::format("After step {}, how many chunks does rank {} have?",
                                                step_, right.to)));
    } else {
      int now = 0, then = 0;
      for (const auto& cells : after->cells) now += count(cells) > 0 ? 1 : 0;
      for (const auto& cells : before->cells) then += count(cells) > 0 ? 1 : 0;
      questions_.push_back(
          numbers(now, {then, then + 1, now + 1, model_.world()}, model_.world())
              .ask(fmt::format("How many ranks have the data after step {}?", step_)));
    }
    if (questions_.back().options.size() < 2) questions_.pop_back();
  }

  static Options numbers(int right, const std::vector<int>& others, int most) {
    Options options(std::to_string(right));
    for (const int other : others)
      if (other >= 0 && other <= most) options.add(std::to_string(other));
    return options;
  }

  void how_much() {
    const auto& messages = model_.analysis().rounds().messages;
    const int travel = static_cast<int>(cargo_.size()), n = model_.world();
    questions_.push_back(numbers(travel, {n, n / 2, n - 1, 1}, 4096)
                             .ask(fmt::format("How many messages travel in step {}?", step_)));
    const StageCargo& right = chosen();
    std::uint64_t bytes = 0;
    for (const StageCargo& one : cargo_)
      if (one.from == right.from) bytes += messages[one.message].bytes;
    if (bytes == 0) return;
    Options options(amount_text(bytes));
    options.add(amount_text(2 * bytes));
    if (bytes % 2 == 0) options.add(amount_text(bytes / 2));
    options.add(amount_text(bytes * static_cast<std::uint64_t>(n)));
    questions_.push_back(options.ask(
        fmt::format("How many bytes does rank {} send in step {}?", right.from, step_)));
  }

  StageModel model_;
  int step_;
  std::vector<StageCargo> cargo_;
  std::vector<StepQuestion> questions_;
};

}  // namespace

int steps_done(const Document& document, ClockBase clock, double moment) {
  return document.rounds_done(clock, moment);
}

std::vector<StepQuestion> step_questions(const Document& document, ClockBase clock, double moment) {
  if (document.large() || document.world_size() > StageModel::kMostRanks) return {};
  const int done = steps_done(document, clock, moment);
  const TraceAnalysis& analysis = document.plan() ? document.plan()->run : document.analysis();
  std::vector<StepQuestion> all = Asker(analysis, done + 1).all();
  if (document.simulated() && !document.plan() && done + 1 <= document.rounds().count) {
    const double took = document.end_of_round(done + 1) - document.end_of_round(done);
    Options options(microseconds_text(took));
    for (const double times : {0.5, 2.0, 4.0}) options.add(microseconds_text(took * times));
    if (options.any())
      all.push_back(options.ask(fmt::format("How long does step {} take?", done + 1)));
  }
  return all;
}

}  // namespace rankscope::gui
