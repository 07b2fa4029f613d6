// Layers of experts: the serial layer's gradient against differences, the parallel one against the serial one, with even
// and uneven loads, experts without tokens and ranks without tokens.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/training/job/parallel_run.h"
#include "engine/training/parallel/expert_parallel.h"
#include "engine/training/parallel/parallel_form.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

void fill(std::span<double> values, std::uint64_t seed, double most = 1) {
  RandomNumbers random(seed);
  for (double& one : values) one = most * (double(random.next() >> 11U) * 0x1p-52 - 1);
}

/// A layer, its tokens, and a loss: the sum of its results times fixed numbers.
struct Problem {
  Problem(const ExpertShape& s, Count tokens) : shape(s), x(tokens, s.width), d_y(tokens, s.width) {
    parameters.resize(shape.parameters());
    fill(parameters, 1);
    fill(x.at, 2);
    fill(d_y.at, 3);
  }
  /// Every token goes to one of these: their rows of the router are large where the tokens are.
  void only(std::initializer_list<int> experts) {
    for (double& one : x.at) one = std::abs(one) + 0.1;
    for (double& one : std::span(parameters).first(shape.router_parameters())) one = -std::abs(one);
    for (const int e : experts)
      for (Count c = 0; c < shape.width; ++c)
        parameters[static_cast<std::size_t>(e * shape.width + c)] *= -1;
  }
  double loss() const {
    ExpertLayerContext<double> context;
    const auto y = expert_layer<double>(shape, parameters, x, context);
    double out = 0;
    for (std::size_t i = 0; i < y.at.size(); ++i) out += y.at[i] * d_y.at[i];
    return out;
  }

  ExpertShape shape;
  AlignedVector<double> parameters;
  Matrix<double> x, d_y;
};

struct Results {
  Matrix<double> y, d_x;
  AlignedVector<double> gradients;
  std::vector<int> experts;
};

Results serial(const Problem& problem) {
  Results out;
  ExpertLayerContext<double> context;
  out.y = expert_layer<double>(problem.shape, problem.parameters, problem.x, context);
  out.gradients.resize(problem.parameters.size());
  out.d_x = expert_layer_backward<double>(problem.shape, problem.parameters, context, problem.d_y,
                                          out.gradients);
  out.experts = context.routing.experts;
  return out;
}

Matrix<double> rows_of(const Matrix<double>& all, Range rows) {
  Matrix<double> out(rows.count, all.cols);
  std::copy_n(all.at.begin() + rows.offset * all.cols, rows.count * all.cols, out.at.begin());
  return out;
}

/// tokens[r] of the rows on each rank. The routers' gradients are summed up without messages.
Results on_ranks(const Problem& problem, const std::vector<Count>& tokens, Trace& trace) {
  const int ranks = static_cast<int>(tokens.size());
  const std::size_t router = problem.shape.router_parameters();
  Results out;
  out.y = out.d_x = Matrix<double>(problem.x.rows, problem.x.cols);
  out.gradients.resize(problem.parameters.size());
  std::vector<AlignedVector<double>> routers(tokens.size(), AlignedVector<double>(router));
  trace = test::trace_of(ranks, [&](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    Range rows{0, tokens[rank]};
    for (std::size_t r = 0; r < rank; ++r) rows.offset += tokens[r];
    ExpertParallel<double> layer(comm, problem.shape);
    const std::size_t begin = problem.shape.offset_of(static_cast<int>(layer.own().offset)),
                      size = static_cast<std::size_t>(layer.own().count) *
                             problem.shape.parameters_of_one();
    const std::span<const double> all(problem.parameters);
    ExpertParallelContext<double> context;
    const auto y = layer.forward(all.first(router), all.subspan(begin, size),
                                 rows_of(problem.x, rows), context);
    const auto d_x = layer.backward(all.first(router), all.subspan(begin, size), context,
                                    rows_of(problem.d_y, rows), routers[rank],
                                    std::span(out.gradients).subspan(begin, size));
    std::ranges::copy(y.at, out.y.at.begin() + rows.offset * problem.x.cols);
    std::ranges::copy(d_x.at, out.d_x.at.begin() + rows.offset * problem.x.cols);
  });
  for (const auto& one : routers)
    for (std::size_t i = 0; i < router; ++i) out.gradients[i] += one[i];
  return out;
}

double difference_of(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

void check_bytes(const Trace& trace, const Problem& problem, const std::vector<Count>& tokens,
                 const std::vector<int>& experts) {
  std::vector<std::vector<Count>> load;
  auto at = experts.begin();
  for (Count left : tokens) {
    auto& of_rank = load.emplace_back(static_cast<std::size_t>(problem.shape.experts));
    for (; left > 0; --left) ++of_rank[static_cast<std::size_t>(*at++)];
  }
  std::vector<CommunicationLine> lines;
  for (const auto name :
       {kExpertCounts, kExpertTokens, kExpertResults, kExpertDerivatives, kExpertBack})
    lines.emplace_back().name = name;
  const auto counts = count_lines(trace, lines);
  const auto row = static_cast<std::uint64_t>(problem.shape.width) * sizeof(double);
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    const ExpertTraffic traffic = expert_traffic(load, static_cast<Rank>(r));
    CHECK(counts[0].bytes[r] == static_cast<std::uint64_t>(traffic.counts) * 8);
    CHECK(counts[1].bytes[r] == static_cast<std::uint64_t>(traffic.away) * row);
    CHECK(counts[2].bytes[r] == static_cast<std::uint64_t>(traffic.back) * row);
    CHECK(counts[3].bytes[r] == static_cast<std::uint64_t>(traffic.away) * row);
    CHECK(counts[4].bytes[r] == static_cast<std::uint64_t>(traffic.back) * row);
    CHECK(counts[5].bytes[r] == 0);
  }
}

/// Returns the largest error.
double check_parallel(const Problem& problem, const std::vector<Count>& tokens) {
  Trace trace;
  const Results expected = serial(problem), found = on_ranks(problem, tokens, trace);
  const double error = std::max({difference_of(found.y.at, expected.y.at),
                                 difference_of(found.d_x.at, expected.d_x.at),
                                 difference_of(found.gradients, expected.gradients)});
  INFO(fmt::format("{} experts, {} ranks, {} tokens", problem.shape.experts, tokens.size(),
                   problem.x.rows));
  CHECK(error < 1e-12);
  check_bytes(trace, problem, tokens, expected.experts);
  return error;
}

std::vector<Count> divided(Count tokens, int ranks) {
  std::vector<Count> out;
  for (int r = 0; r < ranks; ++r) out.push_back(Partition(tokens, ranks)[r].count);
  return out;
}

}  // namespace

TEST_CASE("training: the gradient of a layer of experts is that of differences", "[parallel]") {
  Problem problem({.width = 5, .inner = 7, .experts = 4}, 13);
  const Results results = serial(problem);
  const auto check = [&](double& value, double gradient) {
    constexpr double kStep = 1e-6;
    const double kept = value;
    value = kept + kStep;
    const double above = problem.loss();
    value = kept - kStep;
    const double below = problem.loss();
    value = kept;
    return std::abs((above - below) / (2 * kStep) - gradient);
  };
  double router = 0, experts = 0, inputs = 0;
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    double& worst = i < problem.shape.router_parameters() ? router : experts;
    worst = std::max(worst, check(problem.parameters[i], results.gradients[i]));
  }
  for (std::size_t i = 0; i < problem.x.at.size(); ++i)
    inputs = std::max(inputs, check(problem.x.at[i], results.d_x.at[i]));
  CHECK(router < 1e-7);
  CHECK(experts < 1e-7);
  CHECK(inputs < 1e-7);
  const auto norm = std::span(results.gradients).first(problem.shape.router_parameters());
  CHECK(*std::ranges::max_element(norm) > 0.01);  // there is one to be compared
}

TEST_CASE("training: experts on several ranks give the serial layer, whatever their loads",
          "[parallel]") {
  double worst = 0;
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const ExpertShape& shape : {ExpertShape{.width = 4, .inner = 6, .experts = 8},
                                     ExpertShape{.width = 1, .inner = 1, .experts = 11},
                                     ExpertShape{.width = 9, .inner = 3, .experts = 16}})
      for (const Count tokens : {1, 8, 37}) {
        Problem problem(shape, tokens);
        worst = std::max(worst, check_parallel(problem, divided(tokens, ranks)));
        problem.only({5});  // all others have no tokens
        worst = std::max(worst, check_parallel(problem, divided(tokens, ranks)));
        problem.only({0, 1, 7});
        worst = std::max(worst, check_parallel(problem, divided(tokens, ranks)));
      }
  WARN(fmt::format("largest error of expert parallel: {:g}", worst));
}

TEST_CASE("training: ranks of an expert layer may have any number of tokens", "[parallel]") {
  const Problem problem({.width = 4, .inner = 6, .experts = 4}, 20);
  check_parallel(problem, {20, 0, 0, 0});
  check_parallel(problem, {0, 1, 12, 7});
  check_parallel(problem, {0, 0, 0, 20});
}

TEST_CASE("training: a router sends each token to its largest probability, and all tokens once",
          "[parallel]") {
  Problem problem({.width = 4, .inner = 2, .experts = 6}, 50);
  const auto routing = route<double>(problem.shape, problem.parameters, problem.x);
  for (Count token = 0; token < 50; ++token) {
    double sum = 0;
    for (const double p : routing.probabilities.row(token)) {
      CHECK(p <= routing.gate(token));
      sum += p;
    }
    CHECK(std::abs(sum - 1) < 1e-12);
  }
  auto order = routing.order();
  const auto load = routing.load();
  Count at = 0;
  for (std::size_t e = 0; e < load.size(); ++e)
    for (Count i = 0; i < load[e]; ++i, ++at)
      CHECK(routing.experts[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])] ==
            int(e));
  CHECK(at == 50);
  std::ranges::sort(order);
  for (Count i = 0; i < 50; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  problem.only({3});
  CHECK(route<double>(problem.shape, problem.parameters, problem.x).load() ==
        std::vector<Count>{0, 0, 0, 50, 0, 0});
}

TEST_CASE("training: layers of experts that cannot be say what to change", "[parallel]") {
  const auto form = require_parallel_form("experts");
  CHECK_THROWS_WITH(form.check({.shape = {.batch = 8}, .experts = 3}, 4),
                    ContainsSubstring("take 4 experts or fewer ranks"));
  CHECK_THROWS_WITH(form.check({.shape = {.batch = 3}}, 4),
                    ContainsSubstring("take a batch of 4 or fewer ranks"));
  CHECK_THROWS_WITH(require_parallel_form("sharded").check({.shape = {.batch = 3}}, 4),
                    ContainsSubstring("take a batch of 4 or fewer ranks"));
  CHECK_THROWS_AS((ExpertShape{.width = 1, .inner = 0, .experts = 1}.validate()), UserError);
}

TEST_CASE("training: forms with a memory formula say what one rank has at most", "[parallel]") {
  const TransformerShape shape{
      .layers = 4, .batch = 8, .sequence = 3, .width = 6, .heads = 2, .inner = 5, .vocabulary = 7};
  for (const ParallelForm& form : parallel_forms()) {
    if (form.memory == nullptr) continue;
    for (const int ranks : {1, 2, 4}) {
      const ParallelSettings settings{.shape = shape};
      const MemoryLine parameters = form.memory(settings, ranks).at(0);
      // Gradients are where parameters are: what a rank returns of its own, with none of it padding.
      std::vector<std::size_t> own(static_cast<std::size_t>(ranks));
      test::trace_of(ranks, [&](Communicator& comm) {
        std::size_t& mine = own[static_cast<std::size_t>(comm.rank())];
        for (const auto& piece : form.of_double.step(comm, settings).gradients)
          mine += piece.values.at.size();
      });
      INFO(fmt::format("{} on {} ranks", form.name, ranks));
      const std::size_t most = *std::ranges::max_element(own);
      CHECK(parameters.here == most);
      if (ranks == 1) CHECK(parameters.whole == most);
      CHECK(parameters.here <= parameters.whole);
    }
  }
}
