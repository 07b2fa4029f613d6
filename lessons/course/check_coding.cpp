// Checks whether a coding exercise can be graded as it is written.
#include "lessons/course/check_coding.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

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

void check_coding(const CodingExercise& exercise, const std::filesystem::path& folder,
                  const std::string& file, Complaints& complaints, int edition) {
  const bool shown_only =
      exercise.rules.empty() && exercise.call.line == 0 && exercise.file.empty();
  if (!shown_only) CodingCheck(exercise, file, complaints).check(folder, edition);
}

}  // namespace rankscope
