// Searches the smallest run of a program that still fails in the same way, by running each candidate in the box.
#include "lessons/coding/smallest.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/result_parts.h"
#include "lessons/coding/results.h"
#include "lessons/coding/run_end.h"
#include "lessons/lesson/coding.h"

namespace rankscope {
namespace {

using Clock = std::chrono::steady_clock;
using Judge = CodingRule::Judge;
using explore::InterleavingOrder;
using Way = explore::FailureKind::Way;

constexpr int kOrders = 24;  // when the order by default is right
constexpr int kMostShortening = 40;

/// The shapes that a formula stands for, with factors left out: "4N" is N elements, 2N, 4N.
std::vector<std::vector<Count>> shapes_like(const std::string& text, int ranks) {
  const std::vector<Count> whole = shape_for(text, ranks), other = shape_for(text, ranks + 1);
  std::vector<Count> least;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const bool of_ranks = whole[d] != other[d] && whole[d] % ranks == 0;
    least.push_back(std::min(whole[d], of_ranks ? Count{ranks} : Count{1}));
  }
  std::vector<std::vector<Count>> out{least};
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (whole[d] != least[d]) {
      std::vector<Count> longer = least;
      longer[d] = std::min(whole[d], 2 * least[d]);
      out.push_back(std::move(longer));
    }
  out.push_back(whole);
  return out;
}

Count elements_of(const std::vector<Count>& shape) { return Shape(shape).count(); }

/// Without an element for each rank some messages are empty, which hides what is wrong.
bool has_chunks(const CodingExercise& exercise) {
  return ranges::any_of(exercise.rules, [](const CodingRule& rule) {
    return rule.judge == Judge::trace && rule.rule.kind == Rule::Kind::size &&
           rule.rule.size == Rule::Size::chunk;
  });
}

/// Shapes of the exercise for so many ranks, the smallest first, each once, without empty ones; those in which chunks are
/// empty come last.
std::vector<std::vector<Count>> small_shapes(const CodingExercise& exercise, int ranks) {
  std::vector<std::vector<Count>> out;
  for (const std::string& text : exercise.call.shapes)
    for (auto& shape : shapes_like(text, ranks))
      if (elements_of(shape) > 0 && ranges::find(out, shape) == out.end())
        out.push_back(std::move(shape));
  const bool chunks = has_chunks(exercise);
  const auto key = [&](const std::vector<Count>& shape) {
    return std::tuple(chunks && elements_of(shape) < ranks, elements_of(shape), shape.size());
  };
  ranges::stable_sort(out, {}, key);
  constexpr std::size_t kMost = 6;
  if (out.size() > kMost) out.erase(out.begin() + kMost, out.end());
  return out;
}

/// Only these harnesses take whatever number of ranks and elements there is.
bool takes_any_size(const CodingExercise& exercise) {
  using Harness = CodingCall::Harness;
  const Harness harness = exercise.call.harness;
  return harness == Harness::function || harness == Harness::worker || harness == Harness::hello ||
         harness == Harness::pass_it_on;
}

class Search {
 public:
  Search(const CodingExercise& exercise, const CodeGrade& grade, const SmallestOptions& options)
      : exercise_(exercise), grade_(grade), options_(options), boxes_options_(options.boxes) {
    cpp_ = is_cpp(handed_in(exercise, options.boxes.submission));
    order_.may_wait = platform_of(exercise.call.platform).mpi;
    order_.compute_limit = explore::compute_limit_for(options.run_timeout_s);
  }

  std::optional<SmallestRun> find() {
    const auto first = first_failing();
    if (!first) return std::nullopt;
    if (cpp_) {
      program_.emplace(exercise_, options_.boxes);
      if (!program_->diagnostics().empty()) return std::nullopt;
      boxes_options_.program = program_->binary();
    }
    boxes_.emplace(boxes_options_, first->ranks);
    if (!begin(*first)) return std::nullopt;
    if (takes_any_size(exercise_)) {
      fewer_ranks(*first);
      fewer_elements();
    }
    plainer();
    if (interrupted_) return std::nullopt;
    number_contributions();
    best_->runs = runs_;
    return std::move(best_);
  }

 private:
  // The case of the rule that the grade names first.
  std::optional<CodeCase> first_failing() {
    const RuleVerdict* const cause = root_cause(exercise_, grade_.verdict);
    if (cause == nullptr || !grade_.diagnostics.empty()) return std::nullopt;
    const auto at = static_cast<std::size_t>(cause - grade_.verdict.rules.data());
    rule_ = &exercise_.rules.at(at);
    const auto cases = cases_of(exercise_, grade_.seed, cpp_);
    if (rule_->of_text() || cause->first >= cases.size()) return std::nullopt;
    const CaseRun& run = grade_.runs.at(cause->first);
    buffered_ = rule_->judge != Judge::ends && !run.blocked.empty();
    CodeCase one = cases[cause->first];
    one.buffered = buffered_;
    return one;
  }

  // Tries the case as it was graded, then in other orders, one of which may have made it fail.
  bool begin(const CodeCase& first) {
    if (try_it(first)) return true;
    CodeCase plain = first;
    plain.delays_us.clear();
    return !interrupted_ && (try_it(plain) || explored(plain));
  }

  void fewer_ranks(const CodeCase& first) {
    for (int ranks = 2; ranks < first.ranks && may_go_on(); ++ranks) {
      const auto shapes = small_shapes(exercise_, ranks);
      // The smallest and the largest of the small ones: a fault may need chunks of two elements.
      if (shapes.empty() && try_it(resized(first, ranks, first.shape.extents()))) return;
      for (std::size_t i = 0; i < shapes.size() && may_go_on(); ++i) {
        if (i != 0 && i + 1 != shapes.size() && i != 2) continue;
        if (try_it(resized(plain_of(first), ranks, shapes[i])) ||
            (has_more(first) && try_it(resized(first, ranks, shapes[i]))))
          return;
      }
    }
  }

  void fewer_elements() {
    for (const auto& shape : small_shapes(exercise_, best_->one.ranks)) {
      if (elements_of(shape) >= best_->one.shape.count() || !may_go_on()) continue;
      if (try_it(resized(plain_of(best_->one), best_->one.ranks, shape)) ||
          (has_more(best_->one) && try_it(resized(best_->one, best_->one.ranks, shape))))
        return;
    }
  }

  void plainer() {
    const auto change = [&](auto&& make) {
      if (!may_go_on()) return;
      CodeCase one = best_->one;
      if (make(one)) try_it(one);
    };
    change([&](CodeCase& one) {
      const bool sends = exercise_.call.harness == CodingCall::Harness::send_recv;
      return !sends && std::exchange(one.root, 0) != 0;
    });
    change([&](CodeCase& one) {
      const auto& types = exercise_.call.dtypes;
      return !types.empty() && std::exchange(one.dtype, types.front()) != types.front();
    });
    change([](CodeCase& one) { return !std::exchange(one.delays_us, {}).empty(); });
  }

  static bool has_more(const CodeCase& one) { return !one.delays_us.empty() || one.root != 0; }
  CodeCase plain_of(CodeCase one) const {
    one.delays_us.clear();
    if (exercise_.call.harness != CodingCall::Harness::send_recv) one.root = 0;
    return one;
  }
  CodeCase resized(CodeCase one, int ranks, const std::vector<Count>& shape) const {
    one.ranks = ranks;
    one.drawn = false;
    one.root = std::min(one.root, ranks - 1);
    one.target = std::min(one.target, ranks - 1);
    if (!one.delays_us.empty()) one.delays_us.resize(static_cast<std::size_t>(ranks), 0);
    const std::pair dims{one.scatter_dim, one.gather_dim};
    one.shape = Shape(shape);
    if (exercise_.call.dims.empty() || dims_fit(shape, dims, ranks)) return one;
    for (const auto& other : exercise_.call.dims)
      if (dims_fit(shape, other, ranks)) std::tie(one.scatter_dim, one.gather_dim) = other;
    return one;
  }

  bool fits(const CodeCase& one) const {
    return exercise_.call.dims.empty() ||
           dims_fit(one.shape.extents(), {one.scatter_dim, one.gather_dim}, one.ranks);
  }

  bool may_go_on() const {
    const std::chrono::duration<double> since = Clock::now() - begun_;
    return !interrupted_ && runs_ < options_.most_runs && since.count() < options_.most_seconds &&
           boxes_->starts() <= CodeGraderOptions().most_starts;
  }

  /// One run of a case: by default each rank goes on as soon as it can, the lowest first, so that it is the same each time.
  CodeRun run(const CodeCase& one, explore::InterleavingOrder* order) {
    ++runs_;
    const JobSpec job = job_of(exercise_, one, options_.run_timeout_s);
    if (order != nullptr || !one.delays_us.empty())
      return boxes_->run(job, tasks_of(exercise_, one), order);
    InterleavingOrder by_default(std::vector<explore::Deviation>{}, order_);
    return boxes_->run(job, tasks_of(exercise_, one), &by_default);
  }

  /// Judges a run: by its failure, else by the rule.
  SmallestRun judged(const CodeCase& one, CodeRun&& run) const {
    SmallestRun out;
    out.one = one;
    out.failure = failure_in(exercise_, one, run);
    out.trace = run.trace;
    find_fault(one, run, out);
    if (exercise_.call.collective) out.results = rank_results(exercise_, run.ranks);
    out.events = std::move(run.events);
    tell_first_error(run, run.meta);
    out.meta = std::move(run.meta);
    return out;
  }

  void find_fault(const CodeCase& one, const CodeRun& run, SmallestRun& out) const {
    if (!run.trace) return;
    if (rule_->judge == Judge::trace) {
      const Count count = one.shape.dims() == 0 ? 1 : one.shape.count();
      const auto limits = rule_for(*rule_, {one.ranks, count, dtype_size(one.dtype)});
      if (!limits) return;
      const RuleEvidence evidence{.agent_only = true,
                                  .phase = {},
                                  .first_places = first_places({exercise_, one, run.ranks})};
      const RuleResult result =
          check_rule(*run.trace, *limits, graded_case(exercise_, one), evidence);
      if (result.kept) return;
      out.rule = rule_->says;
      out.event = result.event;
      if (!out.failure) out.failure = {{Way::rule, rule_->kind}, result.says};
      return;
    }
    if (out.failure) return;
    for (const Finding& fault : run.trace->findings()) {
      if (fault.severity == Finding::Severity::hint ||
          (one.buffered && fault.kind == Finding::Kind::needs_buffering))
        continue;
      out.failure = {{Way::finding, std::string(info(fault.kind).name)}, fault.what};
      if (!fault.events.empty()) out.event = fault.events.front();
      return;
    }
  }

  bool try_it(const CodeCase& one) {
    if (!fits(one)) return false;
    CodeRun made = run(one, nullptr);
    if (made.result.status == JobResult::Status::interrupted) interrupted_ = true;
    if (interrupted_) return false;
    SmallestRun seen = judged(one, std::move(made));
    if (!seen.failure || (best_ && seen.failure != best_->failure)) return false;
    keep(std::move(seen));
    return true;
  }

  void keep(SmallestRun&& seen) {
    std::vector<std::string> order = best_ ? best_->order : std::vector<std::string>();
    best_ = std::move(seen);
    best_->order = std::move(order);
  }

  bool explored(const CodeCase& one) {
    explore::ExploreSettings settings;
    settings.orders = kOrders;
    settings.ranks = {one.ranks};
    settings.order = order_;
    settings.most_tests = kMostShortening;
    settings.restart = [this] { boxes_->forget(); };
    std::optional<SmallestRun> last;
    const auto found = explore::explore(settings, [&](std::uint32_t, InterleavingOrder& order) {
      CodeRun made = run(one, &order);
      explore::Outcome out;
      out.interrupted = made.result.status == JobResult::Status::interrupted;
      out.trace = made.trace;
      SmallestRun seen = judged(one, std::move(made));
      out.failure = seen.failure;
      if (out.fails()) last = std::move(seen);
      return out;
    });
    interrupted_ = found.interrupted;
    if (!found.shortest || !last || interrupted_) return false;
    best_ = std::move(last);
    best_->order = found.shortest->words;
    return true;
  }

  // Once more, with inputs that say whose data the messages and results hold.
  void number_contributions() {
    const bool tensors = exercise_.call.collective.has_value() && best_->one.ranks > 1;
    const bool failed = best_->failure.way == Way::failed;
    if (!tensors || failed || !best_->order.empty()) return;
    CodeCase one = best_->one;
    one.counted = true;
    one.dtype = DType::float64;
    CodeRun made = run(one, nullptr);
    if (!made.trace || made.boxes_ended) return;
    std::vector<std::vector<std::vector<double>>> sent;
    for (const capi::AgentReport& rank : made.ranks) {
      auto& of_rank = sent.emplace_back();
      for (const capi::SentMessage& message : rank.messages)
        of_rank.push_back(
            numbers_in({"",
                        message.data,
                        message.dtype,
                        {static_cast<Count>(message.data.size() / dtype_size(message.dtype))}}));
    }
    const CodeCase numbered = one;
    SmallestRun seen = judged(one, std::move(made));
    if (seen.failure != best_->failure) return;
    seen.one = best_->one;
    seen.failure = best_->failure;  // whose words are about the exercise's own numbers
    keep(std::move(seen));
    best_->flow = data_flow(*best_->trace, numbered, sent, best_->results);
  }

  const CodingExercise& exercise_;
  const CodeGrade& grade_;
  const SmallestOptions& options_;
  CodeBoxesOptions boxes_options_;
  explore::OrderSettings order_;
  bool cpp_ = false, buffered_ = false, interrupted_ = false;
  const CodingRule* rule_ = nullptr;
  std::optional<CppProgram> program_;
  std::optional<CodeBoxes> boxes_;
  std::optional<SmallestRun> best_;
  int runs_ = 0;
  const Clock::time_point begun_ = Clock::now();
};

}  // namespace

std::optional<SmallestRun> find_smallest_run(const CodingExercise& exercise, const CodeGrade& grade,
                                             const SmallestOptions& options) {
  return Search(exercise, grade, options).find();
}

}  // namespace rankscope
