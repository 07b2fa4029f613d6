// Draws the cases of a code exercise, and builds their jobs and tasks.
#include "lessons/coding/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"
#include "engine/run/job/transports.h"
#include "lessons/coding/inputs.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Harness = CodingCall::Harness;

constexpr std::uint64_t kBetween = 0x632be59bd9b4e019;  // odd, and not that of RandomNumbers
constexpr double kSlow = 4'000;  // microseconds before each message of a slow rank

std::vector<std::byte> bytes_of(const std::vector<double>& values, DType dtype) {
  std::vector<std::byte> out(values.size() * dtype_size(dtype));
  visit_dtype(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return out;
}

json tensor_text(std::size_t input, DType dtype, const std::vector<Count>& shape) {
  return {{"input", input}, {"dtype", to_string(dtype)}, {"shape", shape}};
}

// The first inputs are arguments; those with a name are parameters of the model.
void add_model(const CodingExercise& exercise, const CodeCase& one,
               const std::vector<ModelInput>& inputs, json& text) {
  const CodingCall& call = exercise.call;
  text["args"] = json::array();
  text["parameters"] = json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const json tensor = tensor_text(i, one.dtype, inputs[i].shape);
    if (inputs[i].name.empty()) text["args"].push_back(tensor);
    else text["parameters"].push_back({inputs[i].name, tensor});
  }
  if (call.harness == Harness::sgd || call.harness == Harness::lenet) {
    text["harness"] = to_string(call.harness);
    if (asks_for_losses(exercise)) text["losses"] = true;
    if (call.harness == Harness::sgd) text["build"] = {one.shape[1], call.hidden};
    for (const json& value : {json(call.batch_size), json(call.step_size), json(call.steps)})
      text["args"].push_back(value);
    return;
  }
  text["harness"] = "block";
  text["build"] = {one.shape[2], one.heads, one.inner};
  text["shards"] = call.harness == Harness::tensor_parallel ? json(block_shard_names(exercise, one))
                                                            : json::array();
}

std::string detail_of(const CodingCall& call, const CodeCase& one) {
  std::vector<std::string> parts;
  if (!call.parameter.empty())
    parts.push_back(fmt::format("{} = {}", call.parameter, one.parameter));
  if (one.scatter_dim != 0 || one.gather_dim != 0)
    parts.push_back(
        fmt::format("scatter_dim = {}, gather_dim = {}", one.scatter_dim, one.gather_dim));
  if (one.root != 0) parts.push_back(fmt::format("src = {}", one.root));
  if (one.heads != 0)
    parts.push_back(fmt::format("{} head{}", one.heads, one.heads == 1 ? "" : "s"));
  if (one.view) parts.emplace_back("a view with gaps");
  if (one.alone) parts.emplace_back("do_send and do_recv by themselves");
  for (std::size_t r = 0; r < one.delays_us.size(); ++r)
    if (one.delays_us[r] > 0) parts.push_back(fmt::format("rank {} is slow", r));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A number of ranks that no list names finds programs that are written for those on the list. 7 and 9 are odd and
// no powers of two, so that what a program gets does not depend on which of them it is.
std::optional<int> drawn_world(const CodingCall& call, std::uint64_t seed) {
  std::vector<int> worlds = call.powers_of_two ? std::vector{8, 16} : std::vector{7, 9};
  std::erase_if(worlds, [&](int n) { return ranges::find(call.worlds, n) != call.worlds.end(); });
  if (worlds.empty()) return std::nullopt;
  return worlds[seed % worlds.size()];
}

void add_sizes(const CodingCall& call, std::size_t k, CodeCase& one) {
  if (!call.heads.empty()) one.heads = shape_for(call.heads[k % call.heads.size()], one.ranks)[0];
  if (!call.inner.empty()) one.inner = shape_for(call.inner, one.ranks)[0];
  const auto& values = call.parameter_values;
  if (!values.empty())
    one.parameter = static_cast<int>(shape_for(values[k % values.size()], one.ranks)[0]);
  one.buckets = buckets_of(call, one.parameter);
}

// "Any number type": those that no list names, where it names integers.
std::vector<DType> more_types(const CodingCall& call) {
  const auto listed = [&](DType dtype) {
    return ranges::find(call.dtypes, dtype) != call.dtypes.end();
  };
  if (!listed(DType::int64)) return {};
  std::vector<DType> out{DType::float64, DType::int32};
  std::erase_if(out, listed);
  return out;
}

// Another number of ranks, and dimensions that are not listed, fail by themselves: one run keeps to the types on the list.
void draw_more(const CodingCall& call, std::size_t k, CodeCase& one) {
  const auto types = more_types(call);
  if (const std::size_t at = k / 2; k % 2 == 0 && at < types.size()) one.dtype = types[at];
  const int size = one.shape.dims();
  std::vector<std::pair<int, int>> dims;
  for (int scatter = 0; scatter < size; ++scatter)
    for (int gather = 0; gather < size; ++gather)
      if (const std::pair pair{scatter, gather}; dims_fit(one.shape.extents(), pair, one.ranks) &&
                                                 ranges::find(call.dims, pair) == call.dims.end())
        dims.push_back(pair);
  if (!call.dims.empty() && !dims.empty())
    std::tie(one.scatter_dim, one.gather_dim) = dims[RandomNumbers(one.seed).below(dims.size())];
}

}  // namespace

std::vector<CodeCase> cases_of(const CodingExercise& exercise, std::uint64_t seed, bool cpp) {
  const CodingCall& call = exercise.call;
  std::vector<CodeCase> out;
  std::vector<int> worlds = call.worlds;
  const auto drawn = drawn_world(call, seed);
  if (drawn) worlds.push_back(*drawn);
  for (const int ranks : worlds) {
    // The k-th run takes the k-th entry of each list, so that lists of different lengths mix.
    std::vector<std::pair<std::vector<Count>, std::pair<int, int>>> shapes;
    for (const std::string& text : call.shapes) {
      const auto shape = shape_for(text, ranks);
      if (call.dims.empty()) shapes.push_back({shape, {0, 0}});
      for (const auto& dims : call.dims)
        if (dims_fit(shape, dims, ranks)) shapes.push_back({shape, dims});
    }
    if (shapes.empty()) shapes.push_back({{1}, {0, 0}});
    std::vector<Rank> roots = call.sources.empty() ? std::vector<Rank>{0} : call.sources;
    if (call.all_sources && call.sources.empty()) roots = {0, ranks - 1, ranks / 2};
    const auto dtypes = call.dtypes.empty() ? std::vector<DType>{DType::float32} : call.dtypes;
    const std::size_t runs =
        std::max({shapes.size(), roots.size(), dtypes.size(), call.heads.size(),
                  call.parameter_values.size(), std::size_t{2}});
    const bool extra = drawn && ranks == *drawn;
    const std::size_t drawn_runs = !cpp && more_types(call).size() > 1 ? 3 : 2;
    for (std::size_t k = 0; k < (extra ? drawn_runs : runs); ++k) {
      CodeCase one;
      one.collective = call.collective.value_or(Collective::allreduce);
      one.ranks = ranks;
      one.cpp = cpp;
      one.drawn = extra;
      const auto& shape =
          extra ? shapes[shapes.size() - 1 - k % shapes.size()] : shapes[k % shapes.size()];
      one.shape = Shape(shape.first);
      std::tie(one.scatter_dim, one.gather_dim) = shape.second;
      one.dtype = dtypes[k % dtypes.size()];
      one.root = std::min(roots[(k + 1) % roots.size()], ranks - 1);
      // The same processes go through all cases, so no case may tell anything about the next.
      one.seed = RandomNumbers(seed + kBetween * (out.size() + 1)).next();
      add_sizes(call, k, one);
      if (extra && !cpp) draw_more(call, k, one);
      if (call.harness == Harness::send_recv) {
        // Other ranks than 0 and 1 where there are any: a program may know those two only.
        one.root = static_cast<Rank>((ranks > 2 ? k + 1 : k) % static_cast<std::size_t>(ranks));
        one.target = (one.root + 1 + static_cast<Rank>(k / 2)) % ranks;
        if (one.target == one.root) one.target = (one.root + 1) % ranks;
        one.alone = k % 2 == 1;
      }
      // A late rank finds out programs that receive in the order of arrival.
      if (ranks > 1 && k % 2 == 0) {
        one.delays_us.assign(static_cast<std::size_t>(ranks), 0);
        one.delays_us[(k / 2 + 1) % static_cast<std::size_t>(ranks)] = kSlow;
      }
      out.push_back(std::move(one));
    }
  }
  const auto of_several = ranges::find_if(
      out, [](const CodeCase& one) { return one.ranks > 2 && one.delays_us.empty(); });
  if (call.non_contiguous && !cpp && of_several != out.end()) {
    CodeCase view = *of_several;
    view.view = true;
    view.seed = RandomNumbers(seed + kBetween * (out.size() + 1)).next();
    out.push_back(std::move(view));
  }
  return out;
}

std::vector<CodeCase> quick_cases(const std::vector<CodeCase>& all) {
  constexpr std::ptrdiff_t kOfEach = 2;
  constexpr std::size_t kLeast = 4;
  std::vector<CodeCase> out;
  const auto take = [&](int least, int most) {
    for (const CodeCase& one : all) {
      const auto taken = ranges::count(out, one.ranks, &CodeCase::ranks);
      if (one.ranks >= least && one.ranks <= most && !one.drawn && taken < kOfEach)
        out.push_back(one);
    }
  };
  take(3, 5);
  if (out.size() < kLeast) take(2, 2);
  if (out.empty()) take(1, std::numeric_limits<int>::max());
  return out;
}

GradedCase graded_case(const CodingExercise& exercise, const CodeCase& one) {
  GradedCase out = one;
  if (exercise.call.shapes.empty()) out.shape = Shape(std::vector<Count>());  // it has no tensor
  out.detail = detail_of(exercise.call, one);
  return out;
}

JobSpec job_of(const CodingExercise& exercise, const CodeCase& one, double timeout_s) {
  JobSpec spec;
  spec.call.algorithm = exercise.file.empty() ? exercise.id : exercise.file;
  if (one.cpp) spec.call.algorithm = cpp_contract(exercise)->file;
  spec.call.platform = exercise.call.platform.empty() ? "torch" : exercise.call.platform;
  spec.world.size = one.ranks;
  spec.call.shape = one.shape.extents();
  spec.call.dtype = one.dtype;
  spec.transport.name = kThreadTransport;
  spec.transport.mode = one.buffered ? SendMode::buffered : SendMode::rendezvous;
  spec.transport.eager_limit = platform_of(spec.call.platform).mpi ? kEagerLimit : 0;
  spec.data.check = false;
  spec.recording.every_wait = true;
  spec.world.delays_us = one.delays_us;
  spec.recording.timeout_s = timeout_s;
  return spec;
}

namespace {

// The first rank passes a number on; the others have none yet.
std::int64_t value_of(const CodeCase& one, Rank rank) {
  return rank == 0 ? static_cast<std::int64_t>(passed_on(one)) : 0;
}

// The call that a rank's harness in C++ is asked for.
json cpp_call_of(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  if (exercise.call.harness != Harness::function)
    return {{"rank", rank},
            {"size", one.ranks},
            {"name", own_name(one)},
            {"value", value_of(one, rank)}};
  json text{{"rank", rank},
            {"size", one.ranks},
            {"dtype", to_string(one.dtype)},
            {"shape", one.shape.extents()},
            {"src", one.root},
            {"scatter_dim", one.scatter_dim},
            {"gather_dim", one.gather_dim}};
  if (!exercise.call.in_place) text["out"] = expected_result(one, rank).shape.extents();
  return text;
}

// The call that a rank's harness in Python is asked for.
json call_of(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  const CodingCall& call = exercise.call;
  json tensor{{"input", 0},
              {"dtype", to_string(one.dtype)},
              {"shape", one.shape.extents()},
              {"view", one.view}};
  for (const std::string& list : call.tensors) tensor["pieces"].push_back(shape_for(list, 1));
  json text{
      {"file", exercise.file}, {"function", call.function}, {"rank", rank}, {"size", one.ranks}};
  if (!exercise.module.empty()) text["module"] = exercise.module;
  switch (call.harness) {
    case Harness::function:
      text["harness"] = "function";
      text["platform"] = call.platform;
      text["args"] = json::array({tensor});
      if (!call.parameter.empty()) text["args"].push_back(one.parameter);
      else if (one.collective == Collective::broadcast) text["args"].push_back(one.root);
      if (call.computes) text["computes"] = true;
      if (one.collective == Collective::alltoall) {
        text["args"].push_back(one.scatter_dim);
        text["args"].push_back(one.gather_dim);
      }
      break;
    case Harness::worker:
      text["harness"] = "worker";
      text["msg"] = tensor;
      text["args"] = json::array();
      break;
    case Harness::send_recv:
      text["harness"] = "worker";
      text["function"] = "do_send_recv";
      text["msg"] = tensor;
      text["args"] = {one.root, one.target};
      if (one.alone && rank == one.root) {
        text["function"] = "do_send";
        text["args"] = {one.target};
      } else if (one.alone && rank == one.target) {
        text["function"] = "do_recv";
        text["args"] = {one.root};
      }
      break;
    case Harness::hello:
      text["harness"] = "function";
      text["platform"] = call.platform;
      text["args"] = {rank, one.ranks, own_name(one)};
      break;
    case Harness::pass_it_on:
      text["harness"] = "function";
      text["platform"] = call.platform;
      text["args"] = {rank, one.ranks, value_of(one, rank)};
      break;
    case Harness::tensor_parallel:
    case Harness::ulysses:
    case Harness::sgd:
    case Harness::lenet: break;
  }
  return text;
}

}  // namespace

// The grader's room for a program's arrays: bytes for all ranks, and so many times the bytes that a rank is given.
constexpr std::uint64_t kRoom = std::uint64_t{24} << 20, kRoomOfInputs = 64;

std::vector<capi::AgentTask> tasks_of(const CodingExercise& exercise, const CodeCase& one) {
  std::vector<capi::AgentTask> out;
  for (Rank rank = 0; rank < one.ranks; ++rank) {
    capi::AgentTask task;
    json text = one.cpp ? cpp_call_of(exercise, one, rank) : call_of(exercise, one, rank);
    if (one.overlooking) text["overlook"] = true;
    if (const auto model = model_inputs(exercise, one, rank); !model.empty()) {
      add_model(exercise, one, model, text);
      for (const ModelInput& input : model)
        task.inputs.push_back(bytes_of(input.values, one.dtype));
    } else {
      task.inputs.push_back(bytes_of(values_for(one, rank), one.dtype));
    }
    task.text = dump_json(text);
    task.altered = one.altered;
    task.most_memory = kRoom / static_cast<std::uint64_t>(one.ranks);
    for (const auto& input : task.inputs) task.most_memory += kRoomOfInputs * input.size();
    out.push_back(std::move(task));
  }
  return out;
}

namespace {

// Returns nothing when `part` is nowhere in `all`, or in several places.
std::optional<Range> only_place(const std::vector<std::byte>& part,
                                const std::vector<std::byte>& all, std::size_t element) {
  std::optional<Range> place;
  if (part.empty() || part.size() % element != 0) return place;
  for (std::size_t at = 0; at + part.size() <= all.size(); at += element) {
    if (std::memcmp(&all[at], part.data(), part.size()) != 0) continue;
    if (place) return std::nullopt;
    place = Range{static_cast<Count>(at / element), static_cast<Count>(part.size() / element)};
  }
  return place;
}

}  // namespace

std::vector<std::optional<Range>> first_places(const CaseReports& in) {
  const bool asked = ranges::any_of(in.exercise.rules, [](const CodingRule& rule) {
    return rule.judge == CodingRule::Judge::trace && rule.rule.kind == Rule::Kind::chunk_order;
  });
  std::vector<std::optional<Range>> out;
  for (Rank rank = 0; asked && rank < in.one.ranks; ++rank)
    out.push_back(only_place(in.of(rank).first_sent,
                             bytes_of(values_for(in.one, rank), in.one.dtype),
                             dtype_size(in.one.dtype)));
  return out;
}

std::string explain_empty_messages(const CaseReports& in) {
  constexpr std::uint64_t kFewest = 4;  // a few partial sums may be equal by chance
  if (!in.exercise.call.collective) return {};
  std::uint64_t elements = 0;
  std::vector<double> sent;
  bool single = false;
  for (const capi::AgentReport& rank : in.ranks) {
    if (!rank.sent.alike) return {};
    elements += rank.sent.count;
    single = single || rank.sent.count == 1;
    if (rank.sent.count > 0) sent.push_back(rank.sent.value);
  }
  if (elements < kFewest) return {};
  // Many numbers become one where they are rounded to a few digits, as in bfloat16.
  constexpr double kRounded = 1.0 / 128;
  for (Rank rank = 0; rank < in.one.ranks; ++rank)
    for (const double value : values_for(in.one, rank))
      for (const double other : sent)
        if (std::abs(other - value) <= std::abs(value) * kRounded) return {};
  constexpr const char* kNothing = "nothing of the ranks' data goes from one to another";
  if (ranges::all_of(sent, [](double value) { return std::isnan(value); }))
    return fmt::format("no message holds a number: {}", kNothing);
  if (ranges::count(sent, sent.front()) == std::ssize(sent))
    return fmt::format("every message holds nothing but the number {:.15g}, which no rank has: {}",
                       sent.front(), kNothing);
  if (single) return {};  // one sum is a number that no rank has
  return fmt::format("every message of a rank holds one and the same number, which no rank has: {}",
                     kNothing);
}

}  // namespace rankscope
