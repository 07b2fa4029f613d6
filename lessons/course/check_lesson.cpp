// Checks that a lesson's runs can be made and are not seen before their questions, and that each question grades its own right
// answer and the stored ones as it says, with all numbers that it draws.
#include "lessons/course/check_lesson.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/course/check_texts.h"
#include "lessons/course/locks.h"
#include "lessons/course/translation.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostChecked = 300;
constexpr std::uint64_t kCheckedSeeds = 50;  // of a question that can draw more

std::vector<Variant> variants_of(const Question& question) {
  std::vector<Variant> out{variant_of(question, 0)};
  if (question.rules.variables.empty()) return out;
  if (auto draws = all_draws(question.rules, kMostChecked)) {
    for (Values& values : *draws)
      if (values != out.front().values) out.push_back({0, std::move(values)});
    return out;
  }
  for (std::uint64_t seed = 1; seed < kCheckedSeeds; ++seed)
    out.push_back(variant_of(question, seed));
  return out;
}

class QuestionCheck {
 public:
  QuestionCheck(const Question& question, std::string file, LessonRuns& runs,
                Complaints& complaints)
      : question_(question), file_(std::move(file)), runs_(runs), complaints_(complaints) {}

  // Stops at the first numbers with a mistake, since other numbers mostly have the same one.
  void check() {
    stored_.resize(question_.stored.size());
    const auto before = complaints_.all().size();
    std::vector<Variant> variants;  // outlives the try: complaints about an error name its numbers
    try {
      variants = variants_of(question_);
      for (const Variant& variant : variants) {
        variant_ = &variant;
        check_variant();
        if (complaints_.all().size() > before) return;
      }
    } catch (const std::exception& error) {
      return complain(question_.line, error.what());
    }
    variant_ = nullptr;
    if (!question_.kind->marked_by_hand()) check_number_of_stored();
  }

 private:
  struct Range {
    double least = 1, most = 0;
  };

  void complain(int line, const std::string& text) {
    const bool drawn = variant_ != nullptr && !variant_->values.empty();
    complaints_.add(
        file_, line,
        fmt::format("question {}{}: {}", question_.id,
                    drawn ? fmt::format(" ({})", values_text(variant_->values)) : "", text));
  }

  void check_variant() {
    const Variant& variant = *variant_;
    for (const std::string* text : {&question_.prompt, &question_.explanation})
      fill_in(*text, variant.values);
    for (const std::string& hint : question_.hints) fill_in(hint, variant.values);
    question_.kind->form(question_, variant, runs_);
    const json key = question_.kind->key(question_, variant, runs_);
    if (!question_.kind->marked_by_hand() && !check_key(key)) return;
    for (const Misconception& known : question_.misconceptions) {
      try {
        expand(known.answer, variant.values, &runs_);
        fill_in(known.says, variant.values);
      } catch (const std::exception& error) {
        complain(question_.line, fmt::format("misconception {}: {}", known.id, error.what()));
      }
    }
    for (std::size_t i = 0; i < question_.stored.size(); ++i)
      check_stored(question_.stored[i], key, stored_[i]);
  }

  bool check_key(const json& key) {
    if (key.is_null()) return complain(question_.line, "has no right answer"), false;
    if (blank(key)) return complain(question_.line, "no answer is right"), false;
    // The key as it is, and as a person would write it.
    for (const json& form : {key, json(question_.kind->show(question_, key))}) {
      const Verdict right = grade(question_, *variant_, key, form, runs_);
      if (right.state == Verdict::State::right) continue;
      complain(question_.line, fmt::format("its own right answer {} is graded '{}': {}",
                                           brief(form), to_string(right.state), right.says));
      return false;
    }
    return true;
  }

  void check_stored(const StoredAnswer& stored, const json& key, Range& shares) {
    const Values& values = variant_->values;
    const json answer = stored.answer == "key" ? key : expand(stored.answer, values, &runs_);
    const Verdict got = grade(question_, *variant_, key, answer, runs_);
    const double share = stored.share.is_null() ? 1 : answer_number(expand(stored.share, values));
    shares = {std::min(shares.least, share), std::max(shares.most, share)};
    if (!close(got.points, share * question_.points))
      complain(stored.line, fmt::format("stored answer '{}' gets {} of {} points, not {}: {}",
                                        stored.name, number_text(got.points), number_text(got.most),
                                        number_text(share * question_.points), got.says));
    const std::string says = fill_in(stored.says, values);
    if (got.says.find(says) == std::string::npos && got.misconception != stored.says)
      complain(stored.line,
               fmt::format("stored answer '{}' gets the text \"{}\", which lacks \"{}\"",
                           stored.name, got.says, says));
  }

  void check_number_of_stored() {
    constexpr auto kLeastWrong = 2;
    const auto right = ranges::count_if(stored_, [](const Range& one) { return one.most >= 1; });
    const auto wrong = ranges::count_if(stored_, [](const Range& one) { return one.least < 1; });
    if (right < 1 || wrong < kLeastWrong)
      complain(question_.line, fmt::format("has {} right and {} wrong [[question.stored]] answers; "
                                           "write at least one right and two wrong ones",
                                           right, wrong));
  }

  const Question& question_;
  const std::string file_;
  LessonRuns& runs_;
  Complaints& complaints_;
  const Variant* variant_ = nullptr;
  std::vector<Range> stored_;  // the shares of the stored answers, over all numbers
};

bool asked_about(const Lesson& lesson, const std::string& run) {
  return ranges::any_of(lesson.questions, [&](const Question& question) {
    return ranges::count(runs_asked(question), run) > 0;
  });
}

bool shown(const Lesson& lesson, const std::string& run) {
  return ranges::any_of(lesson.figures, [&](auto& one) { return one.run == run; }) ||
         ranges::any_of(lesson.steps, [&](const Step& step) {
           return ranges::any_of(step.blocks, [&](const Block& block) {
             return block.kind == Block::Kind::run && block.id == run;
           });
         });
}

void check_run(const Lesson& lesson, const LessonRun& run, const std::string& file,
               LessonRuns& runs, Complaints& complaints) {
  try {
    const RunRecord& record = runs.run(run.id, {});
    const auto at = start_round(run.at);
    if (at && std::isfinite(*at) && *at > record.rounds().count)
      complaints.add(file, run.line,
                     fmt::format("run {}: it has {} rounds, and no '{}'", run.id,
                                 record.rounds().count, run.at));
  } catch (const std::exception& error) {
    // A run with variables is made with each question's numbers, which shows its errors.
    if (shown(lesson, run.id) || !asked_about(lesson, run.id))
      complaints.add(file, run.line, fmt::format("run {}: {}", run.id, error.what()));
  }
}

constexpr int kMostRows = 64;

struct Shown {
  const Step* step = nullptr;
  const Block* block = nullptr;
  std::string run;
  std::optional<JobSpec> job;
};

std::string name_of(const Block& block) {
  return fmt::format("@{} {}", block.kind == Block::Kind::run ? "run" : "figure", block.id);
}

class LockCheck {
 public:
  LockCheck(const Lesson& lesson, LessonRuns& runs, Complaints& complaints)
      : lesson_(lesson), runs_(runs), complaints_(complaints) {}

  void check() {
    for (const Step& step : lesson_.steps) find_shown(step);
    for (const Step& step : lesson_.steps)
      for (const Block& block : step.blocks)
        if (block.kind == Block::Kind::question) check_question(step, block);
    for (const Shown& one : shown_)
      if (!one.block->after.empty()) check_other_places(one);
  }

 private:
  void complain(const Step& step, const Block& block, const std::string& text) {
    complaints_.add((lesson_.folder.filename() / step.file).string(), block.line, text);
  }

  void find_shown(const Step& step) {
    for (const Block& block : step.blocks) {
      const std::string run(run_shown_by(lesson_, block));
      if (!run.empty()) shown_.push_back({&step, &block, run, job_of(run, {})});
    }
  }

  // Returns nothing for a run that cannot be made with these numbers; check_lesson reports why.
  std::optional<JobSpec> job_of(const std::string& run, const Values& values) {
    try {
      return runs_.job(run, values);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // Returns the runs from which the right answer is computed, with the printed numbers.
  std::vector<JobSpec> asked_jobs(const Question& question) {
    std::vector<JobSpec> out;
    const Values printed = variant_of(question, 0).values;
    const int first = static_cast<int>(question.data.value("first_row", 0.0));
    const bool in_rows = question.data.contains("rows");
    for (const std::string& run : runs_asked(question))
      for (int row = first; row < first + (in_rows ? kMostRows : 1); ++row) {
        Values values = printed;
        if (in_rows) values["row"] = row;
        const std::string id = fill_in(run, values);
        if (lesson_.find_run(id) == nullptr) break;
        if (auto job = job_of(id, values)) out.push_back(std::move(*job));
      }
    return out;
  }

  void check_question(const Step& step, const Block& block) {
    const Question* const question = lesson_.find_question(block.id);
    if (question == nullptr || question->kind == nullptr || !question->kind->row().seen_in_run)
      return;
    std::vector<JobSpec> asked;
    try {
      asked = asked_jobs(*question);
    } catch (const std::exception&) {  // check_lesson reports what is wrong with the question
      return;
    }
    bool above = false;
    for (const Shown& one : shown_) {
      if (one.step != &step || !one.job || ranges::find(asked, *one.job) == asked.end()) continue;
      if (one.block->line < block.line && !std::exchange(above, true))
        complain(step, block,
                 fmt::format("question {} asks what {} above it shows: put the question first, or "
                             "let it draw other numbers",
                             question->id, name_of(*one.block)));
      const auto& after = one.block->after;
      if (one.block->line > block.line && ranges::find(after, question->id) == after.end())
        complain(step, *one.block,
                 fmt::format("{} stands open below question {}, which asks what it shows: write "
                             "\"{} after {}\", so that it opens when that is answered",
                             name_of(*one.block), question->id, name_of(*one.block), question->id));
    }
  }

  // A run that an answer opens must not be open elsewhere.
  void check_other_places(const Shown& locked) {
    for (const Shown& one : shown_) {
      if (one.run != locked.run || !one.block->after.empty()) continue;
      if (one.step > locked.step) continue;  // a later page
      complain(*one.step, *one.block,
               fmt::format("{} stands open, and run {} opens only after question {}: write \"{} "
                           "after {}\" here, too",
                           name_of(*one.block), locked.run, locked.block->after.front(),
                           name_of(*one.block), locked.block->after.front()));
    }
  }

  const Lesson& lesson_;
  LessonRuns& runs_;
  Complaints& complaints_;
  std::vector<Shown> shown_;
};

using Harness = CodingCall::Harness;
using Judge = CodingRule::Judge;

class CodingCheck {
 public:
  CodingCheck(const CodingExercise& exercise, std::string file, Complaints& complaints)
      : exercise_(exercise),
        call_(exercise.call),
        file_(std::move(file)),
        complaints_(complaints) {}

  void check(const std::filesystem::path& folder, int edition) {
    if (exercise_.file.empty())
      complain(exercise_.line, "'file' is missing: the name of what is handed in");
    if (call_.line == 0) return complain(exercise_.line, "[coding.call] is missing");
    needs();
    if (call_.worlds.empty()) return;
    if (!check_shapes()) return;
    check_dims();
    check_points();
    for (const CodingRule& rule : exercise_.rules) check_rule(rule);
    check_defining(edition);
    check_starter(folder);
  }

 private:
  void complain(int line, const std::string& text) {
    complaints_.add(file_, line, fmt::format("coding exercise {}: {}", exercise_.id, text));
  }
  void need(bool there, std::string_view key) {
    if (!there)
      complain(call_.line,
               fmt::format("the harness '{}' needs '{}'", to_string(call_.harness), key));
  }
  void refuse(bool there, std::string_view text) {
    if (there) complain(call_.line, std::string(text));
  }
  bool has_tensor() const {
    return call_.harness != Harness::hello && call_.harness != Harness::pass_it_on;
  }
  bool is_block() const {
    return call_.harness == Harness::tensor_parallel || call_.harness == Harness::ulysses;
  }
  bool calls_collective() const {
    return call_.harness == Harness::function || call_.harness == Harness::worker;
  }

  void needs() {
    need(call_.harness == Harness::send_recv || !call_.function.empty(), "function");
    need(!call_.worlds.empty(), "worlds");
    need(!has_tensor() || !call_.shapes.empty(), "shapes");
    need(!has_tensor() || !call_.dtypes.empty(), "dtypes");
    need(!calls_collective() || call_.collective, "collective");
    need(!is_block() || !call_.heads.empty(), "heads");
    need(!is_block() || !call_.inner.empty(), "inner");
    const bool lenet = call_.harness == Harness::lenet;
    const bool training = lenet || call_.harness == Harness::sgd;
    need(lenet || !training || call_.hidden > 0, "hidden");
    need(!training || call_.batch_size > 0, "batch_size");
    need(!training || call_.steps > 0, "steps");
    need(!training || call_.step_size > 0, "step_size");
    need(!lenet || call_.test_pictures > 0, "test_pictures");
    refuse(call_.harness == Harness::worker && call_.platform != "ray",
           "the harness 'worker' is one of the platform 'ray'");
    refuse(!calls_collective() && call_.collective,
           "'collective' is for the harnesses 'function' and 'worker'");
    const bool broadcast = call_.collective == Collective::broadcast,
               alltoall = call_.collective == Collective::alltoall;
    refuse((call_.all_sources || !call_.sources.empty()) && !broadcast, "'src' is of a broadcast");
    refuse(call_.dims.empty() == alltoall,
           alltoall ? "an all-to-all needs 'dims'" : "'dims' are of an all-to-all");
    refuse(!call_.in_place && !call_.returns && calls_collective(),
           "the result is either in place or returned, or both");
    refuse(call_.either && !call_.returns, "with 'either', the result is what is returned");
    refuse(call_.parameter.empty() != call_.parameter_values.empty(),
           "'parameter' and 'parameter_values' go together: its name, and what it is");
    const bool plain = call_.harness == Harness::function;
    refuse(!plain && (!call_.parameter.empty() || !call_.tensors.empty() || call_.computes),
           "'parameter', 'tensors' and 'computes' are for the harness 'function'");
    refuse(!call_.tensors.empty() && (!call_.in_place || call_.returns),
           "the result of a list of 'tensors' is in them, and nothing is returned");
    refuse(call_.computes && call_.tensors.empty(), "'computes' fills a list of 'tensors'");
    refuse(call_.powers_of_two && !ranges::all_of(call_.worlds, is_power_of_two),
           "'powers_of_two' is set, and 'worlds' has a number that is none");
    for (const Rank source : call_.sources)
      refuse(ranges::all_of(call_.worlds, [&](int n) { return source >= n; }),
             fmt::format("no world has rank {}, which is in 'src'", source));
  }

  bool check_shapes() {
    try {
      for (const int n : call_.worlds)
        for (const std::string& text : call_.shapes) {
          const auto shape = shape_for(text, n);
          if (call_.collective == Collective::reduce_scatter && shape.front() % n != 0)
            throw UserError(
                fmt::format("shape '{}': {} ranks do not divide the first dimension, {}", text, n,
                            shape.front()));
          if (!call_.tensors.empty()) check_list(text, shape);
          if (is_block()) check_block(n, text, shape);
          if (call_.harness == Harness::sgd) check_samples(n, text, shape);
          if (call_.harness == Harness::lenet) check_pictures(n, text, shape);
        }
    } catch (const UserError& error) {
      complain(call_.line, error.what());
      return false;
    }
    return true;
  }

  void check_list(const std::string& text, const std::vector<Count>& shape) const {
    Count sum = 0;
    for (const std::string& one : call_.tensors) {
      Count count = 1;
      for (const Count extent : shape_for(one, 1)) count *= extent;
      sum += count;
    }
    if (shape.size() != 1 || shape.front() != sum)
      throw UserError(fmt::format("shape '{}': the list of 'tensors' has {} elements", text, sum));
  }
  static void check_block_widths(int n, const std::string& text, Count width, Count heads,
                                 Count inner) {
    if (heads < 1 || heads % n != 0 || width % heads != 0 || inner < 1 || inner % n != 0)
      throw UserError(fmt::format(
          "shape '{}', {} ranks: the ranks divide the heads ({}) and the inner width ({}), and the "
          "heads divide the last dimension ({})",
          text, n, heads, inner, width));
  }
  void check_block(int n, const std::string& text, const std::vector<Count>& shape) const {
    if (shape.size() != 3)
      throw UserError(
          fmt::format("shape '{}': a block's argument is [batch, sequence, width]", text));
    for (const std::string& heads : call_.heads)
      check_block_widths(n, text, shape[2], shape_for(heads, n).front(),
                         shape_for(call_.inner, n).front());
  }
  void check_samples(int n, const std::string& text, const std::vector<Count>& shape) const {
    if (shape.size() != 2 || shape[0] == 0 || shape[0] % (Count{n} * std::max(1, call_.batch_size)))
      throw UserError(fmt::format(
          "shape '{}', {} ranks: it is [samples, width], and each rank's samples are whole batches",
          text, n));
  }
  void check_pictures(int n, const std::string& text, const std::vector<Count>& shape) const {
    constexpr Count kSide = 28;
    const Count least = Count{n} * call_.batch_size * call_.steps;
    if (shape.size() != 3 || shape[1] != kSide || shape[2] != kSide || shape[0] < least)
      throw UserError(
          fmt::format("shape '{}', {} ranks: it is [pictures, {}, {}], with {} pictures or more, "
                      "so that no batch has to be used again",
                      text, n, kSide, kSide, least));
  }

  void check_dims() {
    std::vector<bool> used(call_.shapes.size(), call_.dims.empty());
    for (const auto& dims : call_.dims) {
      bool fits = false;
      for (std::size_t i = 0; i < call_.shapes.size(); ++i) {
        const bool all = ranges::all_of(
            call_.worlds, [&](int n) { return dims_fit(shape_for(call_.shapes[i], n), dims, n); });
        used[i] = used[i] || all;
        fits = fits || all;
      }
      if (!fits)
        complain(
            call_.line,
            fmt::format("no shape fits the dimensions [{}, {}]: it has both, and the number of "
                        "ranks divides the first",
                        dims.first, dims.second));
    }
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        complain(call_.line, fmt::format("shape '{}' fits none of the 'dims'", call_.shapes[i]));
  }

  void check_points() {
    double sum = 0;
    bool values = false;
    for (const CodingRule& rule : exercise_.rules) {
      if (!rule.bonus) sum += rule.points;
      values = values || rule.judge == Judge::values;
    }
    if (std::abs(sum - exercise_.points) > 1e-9)
      complain(exercise_.line, fmt::format("its rules' points add up to {}, it has {}",
                                           number_text(sum), number_text(exercise_.points)));
    if (!values) complain(exercise_.line, "no [[coding.rule]] has the kind 'values'");
  }

  void check_rule(const CodingRule& rule) {
    if (rule.judge == Judge::log && call_.harness != Harness::send_recv)
      complain(rule.line, "a 'log' is kept by the harness 'send-recv' only");
    if (rule.judge == Judge::shards && call_.harness != Harness::tensor_parallel)
      complain(rule.line, "'shards' are cut by the harness 'tensor-parallel' only");
    const bool of_training =
        rule.judge == Judge::batches || rule.judge == Judge::agree || rule.judge == Judge::accuracy;
    if (of_training && call_.harness != Harness::lenet)
      complain(rule.line, fmt::format("a rule '{}' is of the harness 'lenet' only", rule.kind));
    if (rule.judge == Judge::losses && call_.harness != Harness::sgd)
      complain(rule.line, "'losses' are returned by the harness 'sgd' only");
    if (rule.rule.kind == Rule::Kind::groups && rule.judge == Judge::trace &&
        call_.parameter.empty())
      complain(rule.line, "a rule 'groups' needs a 'parameter', the size of a group");
    if (rule.rule.kind == Rule::Kind::under_way && rule.judge == Judge::trace && !call_.computes)
      complain(rule.line, "a rule 'under_way' needs 'computes = true'");
    if (rule.judge == Judge::adds && call_.collective != Collective::allreduce &&
        call_.collective != Collective::reduce_scatter)
      complain(rule.line, "only an allreduce or a reduce_scatter 'adds'");
    if (rule.judge == Judge::argument && (call_.in_place || call_.either))
      complain(rule.line, "the argument does not keep its values where the result is in place");
    for (const int n : rule.worlds)
      if (ranges::find(call_.worlds, n) == call_.worlds.end())
        complain(rule.line, fmt::format("'worlds' has {}, which the exercise is not run with", n));
    bool applies = false;
    try {
      for (const CodingNumbers& numbers : numbers_of(call_)) {
        const auto limits = rule_for(rule, numbers);
        applies = applies || limits.has_value();
        for (const auto& limit :
             {limits ? limits->exactly : std::nullopt, limits ? limits->at_most : std::nullopt})
          if (limit && *limit < 0)
            throw UserError(fmt::format("the limit is {} for {} ranks and {} elements",
                                        number_text(*limit), numbers.ranks, numbers.count));
      }
    } catch (const UserError& error) {
      return complain(rule.line, fmt::format("rule '{}': {}", rule.kind, error.what()));
    }
    if (!applies) complain(rule.line, fmt::format("rule '{}' applies to no run", rule.kind));
  }

  // Without a rule for the traffic, a program with another algorithm may get most of the points.
  void check_defining(int edition) {
    if (exercise_.defining.empty() && edition >= 2)
      complain(
          exercise_.line,
          R"('defining' is missing: the rule that says what the algorithm is, as defining = "tree")");
    for (const std::string& name : exercise_.defining) {
      const auto of_name = [&](const CodingRule& rule) {
        return rule.name == name && !rule.remark && !rule.bonus && !rule.of_text();
      };
      const auto rules = ranges::count_if(exercise_.rules, of_name);
      if (rules == 0)
        complain(exercise_.line,
                 fmt::format("'defining' names '{}', which is no rule of it", name));
      if (rules > 1)
        complain(exercise_.line, fmt::format("'defining' names '{0}', and {1} rules are called so: "
                                             "give the one that is meant a name = \"...\"",
                                             name, rules));
    }
  }

  void check_starter(const std::filesystem::path& folder) {
    if (exercise_.starter.empty() || call_.function.empty()) return;
    const std::string text = read_lesson_file(folder, exercise_.starter);
    if (text.find(call_.function + "(") == std::string::npos)
      complain(exercise_.line,
               fmt::format("its starter {} has no '{}'", exercise_.starter, call_.function));
  }

  const CodingExercise& exercise_;
  const CodingCall& call_;
  const std::string file_;
  Complaints& complaints_;
};

}  // namespace

void check_lesson(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  const std::string file = (lesson.folder.filename() / "lesson.toml").string();
  runs.know(lesson.runs);
  for (const LessonRun& run : lesson.runs) check_run(lesson, run, file, runs, complaints);
  for (const Question& question : lesson.questions)
    if (question.kind != nullptr) QuestionCheck(question, file, runs, complaints).check();
  if (lesson.student_copy) return;
  if (lesson.edition >= 2) {
    check_texts(lesson, runs, complaints);
    LockCheck(lesson, runs, complaints).check();
  }
  check_translations(lesson, complaints);
  for (const CodingExercise& exercise : lesson.coding)
    check_coding(exercise, lesson.folder, file, complaints, lesson.edition);
}

void check_coding(const CodingExercise& exercise, const std::filesystem::path& folder,
                  const std::string& file, Complaints& complaints, int edition) {
  const bool shown_only =
      exercise.rules.empty() && exercise.call.line == 0 && exercise.file.empty();
  if (!shown_only) CodingCheck(exercise, file, complaints).check(folder, edition);
}

}  // namespace rankscope
