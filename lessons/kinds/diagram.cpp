// The schematic of an all-to-all, drawn as arrows on the grid of time slots and ranks:
//   collective = "alltoall"
//   ranks = "=N"                        1 to 16
//   reference = "alltoall.pairwise"     whose run is the key; this one by default
//   rules = { one_send = true }         in a slot a rank sends at most once and receives at most once
// Graded by structure: whatever the order of the slots, every piece r>i must travel once from r to i,
// and r>r stays where it is, as a copy.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/transports.h"
#include "lessons/kinds/diagram_answer.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::string_view kReference = "alltoall.pairwise";

int ranks_of(const Question& question, const Variant& variant) {
  return answer_whole(expand(question.data.at("ranks"), variant.values), "'ranks'", 1,
                      kMostDiagramRanks);
}

bool one_send(const Question& question) {
  return question.data.value("rules", json::object()).value("one_send", false);
}

/// Collects mistakes, and writes one sentence for each sort.
class Mistakes {
 public:
  void add(const std::string& sort, const std::string& one) {
    if (!by_sort_.contains(sort)) order_.push_back(sort);
    by_sort_[sort].push_back(one);
  }
  std::string text() const {
    constexpr std::size_t kMost = 6;
    return joined(order_, " ", [&](const std::string& sort) {
      return fmt::format("{}: {}.", sort, first_few(by_sort_.at(sort), kMost));
    });
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> by_sort_;
};

class DrawnArrows {
 public:
  DrawnArrows(int ranks, bool one_send) : ranks_(ranks), one_send_(one_send) {}

  Judgement judge(const std::vector<DiagramArrow>& arrows) {
    for (const DiagramArrow& arrow : arrows) {
      if (arrow.copy) judge_copy(arrow);
      else judge_message(arrow);
    }
    find_missing();
    const int all = ranks_ * ranks_;
    const double share = std::max(0.0, static_cast<double>(right_ - wrong_) / all);
    if (right_ == all && wrong_ == 0) return {1, ""};
    return {share, mistakes_.text()};
  }

 private:
  using Pair = std::pair<Rank, Rank>;

  void wrong(const std::string& sort, const std::string& what) {
    ++wrong_;
    mistakes_.add(sort, what);
  }
  bool exists(Rank rank) const { return rank >= 0 && rank < ranks_; }

  void judge_copy(const DiagramArrow& arrow) {
    if (!exists(arrow.from))
      return wrong("These ranks do not exist", fmt::format("{}", arrow.from));
    if (!seen_.insert({arrow.from, arrow.from}).second) return wrong("Drawn twice", to_text(arrow));
    ++right_;
  }

  void judge_message(const DiagramArrow& arrow) {
    const std::string name = fmt::format("{}→{}", arrow.from, arrow.to);
    for (const Rank rank : {arrow.from, arrow.to})
      if (!exists(rank)) return wrong("These ranks do not exist", fmt::format("{}", rank));
    if (arrow.from == arrow.to)
      return wrong("What stays on its rank is a local copy, not a message", name);
    if (!seen_.insert({arrow.from, arrow.to}).second) return wrong("Drawn twice", name);
    bool right = true;
    if (arrow.source < 0) {
      mistakes_.add("Without the chunk that it carries", name);
      right = false;
    } else if (arrow.source != arrow.from || arrow.destination != arrow.to) {
      mistakes_.add("The wrong chunk",
                    fmt::format("{} carries {}>{}", name, arrow.source, arrow.destination));
      right = false;
    }
    if (one_send_) {
      const bool sends = !senders_.insert({arrow.slot, arrow.from}).second;
      const bool receives = !receivers_.insert({arrow.slot, arrow.to}).second;
      if (sends)
        mistakes_.add("Twice in one slot",
                      fmt::format("rank {} sends in slot {}", arrow.from, arrow.slot));
      if (receives)
        mistakes_.add("Twice in one slot",
                      fmt::format("rank {} receives in slot {}", arrow.to, arrow.slot));
      right &= !sends && !receives;
    }
    ++(right ? right_ : wrong_);
  }

  void find_missing() {
    for (Rank from = 0; from < ranks_; ++from)
      for (Rank to = 0; to < ranks_; ++to)
        if (from != to && !seen_.contains({from, to}))
          mistakes_.add("Missing", fmt::format("{}→{}", from, to));
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (!seen_.contains({rank, rank}))
        mistakes_.add("The local copy is missing on", fmt::format("rank {}", rank));
  }

  const int ranks_;
  const bool one_send_;
  int right_ = 0, wrong_ = 0;
  std::set<Pair> seen_, senders_, receivers_;
  Mistakes mistakes_;
};

constexpr KindKey kDiagramRules[] = {{.name = "one_send", .is = KindKey::Is::flag}};
constexpr KindKey kDiagramKeys[] = {
    {.name = "collective", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "ranks", .required = true, .students = true},
    {.name = "reference", .is = KindKey::Is::text},
    {.name = "rules", .parts = kDiagramRules},
};
constexpr KindRow kDiagramRow{.name = "diagram",
                              .title = "a diagram",
                              .answer = "a list of rows (objects), or the text of one",
                              .keys = kDiagramKeys,
                              .lines = 8};

class DiagramKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kDiagramRow; }

  void check_further(TomlNode& question) const override {
    if (const std::string name = question.text("collective"); !name.empty()) {
      const CollectiveTraits* collective = find_collective(name);
      if (collective == nullptr || collective->collective != Collective::alltoall)
        question.at("collective").complain("a diagram is of an \"alltoall\"");
    }
    const std::string reference = question.text("reference", kReference);
    const auto* algorithm = find_algorithm(reference);
    if (algorithm == nullptr || algorithm->collective != Collective::alltoall)
      question.at("reference")
          .complain(fmt::format("there is no all-to-all algorithm '{}'", reference));
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    JobSpec job;
    job.call.algorithm = question.data.value("reference", std::string(kReference));
    job.transport.name = kThreadTransport;
    job.world.size = ranks_of(question, variant);
    job.call.shape = {job.world.size};
    const RunRecord& run = runs.run_of_reference(job);
    std::vector<DiagramArrow> arrows;
    for (std::size_t m = 0; m < run.rounds().messages.size(); ++m) {
      const MessageRecord& message = run.rounds().messages[m];
      if (message.sync || message.bytes == 0) continue;
      arrows.push_back(
          {false, run.rounds().round[m], message.from, message.to, message.from, message.to});
    }
    ranges::sort(arrows);
    for (Rank rank = 0; rank < job.world.size; ++rank)
      arrows.push_back({true, 0, rank, rank, rank, rank});
    json out = json::array();
    for (const DiagramArrow& arrow : arrows) out.push_back(row_of(arrow));
    return out;
  }

  AnswerForm form(const Question&, const Variant&, LessonRuns&) const override {
    return {.how =
                "arrows, each with its time slot, sender, receiver and chunk "
                "(source>destination); a local copy is 'copy' and the rank",
            .fields = {{"/slot", "slot (or copy)"},
                       {"/from", "from", AnswerField::Type::number},
                       {"/to", "to", AnswerField::Type::number},
                       {"/chunk", "chunk"}},
            .rows = true,
            .arrows = true,
            .example = "1: 0 -> 1 (0>1); 1: 1 -> 0 (1>0); copy 0; copy 1"};
  }

  Judgement judge(const Question& question, const Variant& variant, const json&, const json& answer,
                  LessonRuns&) const override {
    return DrawnArrows(ranks_of(question, variant), one_send(question)).judge(arrows_of(answer));
  }

  void require_form(const Question&, const Variant&, const json& answer) const override {
    arrows_of(answer);
  }

  bool same(const Question&, const Variant&, const json& other, const json& answer,
            LessonRuns&) const override {
    auto a = arrows_of(other), b = arrows_of(answer);
    ranges::sort(a);
    ranges::sort(b);
    return a == b;
  }

  json parse(const Question&, const Variant&, std::string_view typed) const override {
    json out = json::array();
    for (const DiagramArrow& arrow : parse_arrows(typed)) out.push_back(row_of(arrow));
    return out;
  }

  std::string show(const Question&, const json& answer) const override {
    if (answer.is_string()) return answer.get<std::string>();
    return joined(arrows_of(answer), "; ", [](auto& arrow) { return to_text(arrow); });
  }
};

}  // namespace

const QuestionKind& diagram_kind() { return only_kind<DiagramKind>(); }

}  // namespace rankscope
