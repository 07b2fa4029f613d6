#include "lessons/coding/cases.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/collectives/input_values.h"
#include "engine/collectives/oracle.h"
#include "lessons/random.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Harness = CodingCall::Harness;

constexpr int kLargest = 12;     // of an input: sums of 16 ranks fit every type
constexpr double kSlow = 4'000;  // microseconds before each message of a slow rank

std::optional<Collective> collective_of(const CodingExercise& exercise) {
  for (int c = 0; c <= static_cast<int>(Collective::alltoall); ++c)
    if (to_string(static_cast<Collective>(c)) == exercise.call.collective)
      return static_cast<Collective>(c);
  return std::nullopt;
}

int positive(int dim, std::size_t dims) { return dim < 0 ? dim + static_cast<int>(dims) : dim; }

// Numbers that a narrower type would round: who works in float32 throughout is found out.
double base_of(DType dtype) {
  switch (dtype) {
    case DType::int32: return 1 << 25;
    case DType::int64:
    case DType::float64: return static_cast<double>(std::int64_t{1} << 40);
    case DType::uint8:
    case DType::float32: break;
  }
  return 0;
}

std::vector<double> input_of(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  const Count count = Shape(one.shape).count();
  RandomNumbers random(one.seed * 1'000'003 + static_cast<std::uint64_t>(rank) * 7919 + 17);
  std::vector<double> values;
  const double base = base_of(one.dtype);
  for (Count i = 0; i < count; ++i)
    values.push_back(base + static_cast<double>(1 + random.below(kLargest)));
  (void)exercise;
  return values;
}

ResultCase result_case(const CodingExercise& exercise, const CodeCase& one) {
  ResultCase out;
  out.ranks = one.ranks;
  out.shape = Shape(one.shape);
  out.root = one.root;
  out.scatter_dim = one.dims.first;
  out.gather_dim = one.dims.second;
  const auto& name = exercise.call.collective;
  out.kind = name == "broadcast"        ? ResultCase::Kind::broadcast
             : name == "allgather"      ? ResultCase::Kind::allgather
             : name == "reduce_scatter" ? ResultCase::Kind::reduce_scatter
             : name == "alltoall"       ? ResultCase::Kind::alltoall
                                        : ResultCase::Kind::allreduce;
  return out;
}

std::vector<double> values_for(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  return one.telling ? telling_input(result_case(exercise, one), rank)
                     : input_of(exercise, one, rank);
}

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

std::vector<double> numbers_of(const capi::TaskResult& result) {
  std::vector<double> out;
  visit_dtype(result.dtype, [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= result.data.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, result.data.data() + at, sizeof(T));
      out.push_back(static_cast<double>(value));
    }
  });
  return out;
}

std::string text_of(const capi::TaskResult& result) {
  return {reinterpret_cast<const char*>(result.data.data()), result.data.size()};
}

/// "return|float32": the part before the bar is `name`.
const capi::TaskResult* result_named(const capi::AgentReport& rank, std::string_view name) {
  for (const auto& result : rank.results)
    if (std::string_view(result.name).substr(0, result.name.find('|')) == name) return &result;
  return nullptr;
}

std::string kind_of(const capi::TaskResult& result) {
  const auto bar = result.name.find('|');
  return bar == std::string::npos ? "" : result.name.substr(bar + 1);
}

std::string shape_text(const std::vector<Count>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// ---- Tensors ----

std::vector<Count> expected_shape(const CodingExercise& exercise, const CodeCase& one) {
  return expected_result(result_case(exercise, one), 0).shape.extents();
}

std::vector<double> expected_values(const CodingExercise& exercise, const CodeCase& one,
                                    Rank rank) {
  std::vector<std::vector<double>> inputs;
  for (Rank r = 0; r < one.ranks; ++r) inputs.push_back(values_for(exercise, one, r));
  OracleJob job;
  job.collective = collective_of(exercise).value_or(Collective::allreduce);
  job.shape = Shape(one.shape);
  job.dtype = DType::float64;
  job.root = one.root;
  job.n = one.ranks;
  job.scatter_dim = positive(one.dims.first, one.shape.size());
  job.gather_dim = positive(one.dims.second, one.shape.size());
  job.pattern = InputPattern::given;
  job.values = inputs;
  return expected_output(job, rank).to_vector<double>();
}

/// The tensor that holds a rank's result, as the contract says; or what is wrong instead.
const capi::TaskResult* tensor_of(const CodingExercise& exercise, const capi::AgentReport& rank,
                                  std::string_view name, int number, DType dtype,
                                  std::string& fault) {
  const auto* result = result_named(rank, name);
  const std::string what =
      name == "return"
          ? fmt::format("{} returns", exercise.call.function)
          : fmt::format("the {} of rank {} is", name == "msg" ? "msg" : "argument", number);
  if (result == nullptr) {
    fault = fmt::format("nothing came back from rank {}", number);
    return nullptr;
  }
  const std::string kind = kind_of(*result);
  if (kind == to_string(dtype)) return result;
  if (kind == "NoneType")
    fault = fmt::format("{} nothing on rank {}; it should return the result", what, number);
  else
    fault =
        fmt::format("{} {} on rank {} where {} was expected", what, kind, number, to_string(dtype));
  return nullptr;
}

std::string compare(const CodingExercise& exercise, const CodeCase& one, Rank rank,
                    const capi::TaskResult& got, std::string_view where, bool& numbers) {
  const auto shape = expected_shape(exercise, one);
  if (got.shape != shape)
    return fmt::format("{} on rank {} has shape {}, it should have {}", where, rank,
                       shape_text(got.shape), shape_text(shape));
  const auto want = expected_values(exercise, one, rank);
  const auto have = numbers_of(got);
  for (std::size_t i = 0; i < want.size() && i < have.size(); ++i) {
    if (want[i] == have[i]) continue;
    numbers = true;
    return fmt::format("{} on rank {}: element {} is {:.15g}, it should be {:.15g}", where, rank, i,
                       have[i], want[i]);
  }
  return {};
}

// What a function's argument, or a worker's message, is called where it comes back.
std::string_view argument_name(const CodingExercise& exercise) {
  return exercise.call.harness == Harness::worker ? "msg" : "argument 0";
}

CodeFaults judge_tensors(const CodingExercise& exercise, const CodeCase& one,
                         const std::vector<capi::AgentReport>& ranks) {
  CodeFaults out;
  const auto& call = exercise.call;
  for (Rank rank = 0; rank < one.ranks && out.values.empty(); ++rank) {
    const auto& report = ranks[static_cast<std::size_t>(rank)];
    if (call.returns)
      if (const auto* got = tensor_of(exercise, report, "return", rank, one.dtype, out.values))
        out.values = compare(exercise, one, rank, *got, "the result", out.numbers);
    if (!out.values.empty()) break;
    const auto* argument =
        tensor_of(exercise, report, argument_name(exercise), rank, one.dtype, out.values);
    if (argument == nullptr) break;
    if (call.in_place) {
      out.values =
          compare(exercise, one, rank, *argument,
                  call.harness == Harness::worker ? "self.msg" : "the argument", out.numbers);
      if (!out.values.empty() && call.returns)
        out.values += "; the result is to be in it, too, and not only returned";
      // A worker's message may have been bound to another tensor: whoever holds the first one sees nothing.
      const auto* first = result_named(report, "argument 0");
      if (out.values.empty() && call.harness == Harness::worker && first != nullptr &&
          numbers_of(*first) != expected_values(exercise, one, rank))
        out.values = fmt::format(
            "self.msg of rank {} is another tensor now; the one that it was is to be written in "
            "place",
            rank);
    } else if (out.argument.empty() && numbers_of(*argument) != values_for(exercise, one, rank)) {
      out.argument =
          fmt::format("the argument of rank {} has changed; it is to keep its values", rank);
    }
  }
  return out;
}

// ---- The exercises that are no collectives ----

std::string own_name(const CodeCase& one) { return fmt::format("Ada {}", one.seed % 1000); }

CodeFaults judge_hello(const CodeCase& one, const std::vector<capi::AgentReport>& ranks) {
  CodeFaults out;
  for (Rank rank = 0; rank < one.ranks; ++rank) {
    const auto* printed = result_named(ranks[static_cast<std::size_t>(rank)], "stdout");
    std::string text = printed == nullptr ? "" : text_of(*printed);
    while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
    const std::string want = fmt::format("Rank {}: Hello, {}!", rank, own_name(one));
    if (text == want) continue;
    const auto lines = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    if (text.empty())
      out.values = fmt::format("rank {} prints nothing, it should print \"{}\"", rank, want);
    else if (lines > 1)
      out.values =
          fmt::format("rank {} prints {} lines, it should print one: \"{}\"", rank, lines, want);
    else
      out.values = fmt::format("rank {} prints \"{}\", it should print \"{}\"", rank,
                               text.substr(0, 80), want);
    return out;
  }
  return out;
}

double passed_on(const CodeCase& one) {
  return 100'000'007.0 + static_cast<double>(one.seed % 1000);
}

CodeFaults judge_pass_it_on(const CodeCase& one, const std::vector<capi::AgentReport>& ranks) {
  CodeFaults out;
  double value = passed_on(one);
  for (Rank rank = 0; rank < one.ranks; ++rank) {
    value += rank;
    const auto* got = result_named(ranks[static_cast<std::size_t>(rank)], "return");
    if (got == nullptr || kind_of(*got) == "NoneType") {
      out.values = fmt::format("pass_it_on returns nothing on rank {}, it should return {:.0f}",
                               rank, value);
    } else {
      const auto numbers = numbers_of(*got);
      if (numbers.size() == 1 && got->dtype != DType::uint8 && numbers[0] == value) continue;
      out.values = numbers.size() == 1
                       ? fmt::format("rank {} returns {:.0f}, it should return {:.0f}", rank,
                                     numbers[0], value)
                       : fmt::format("rank {} returns no number", rank);
    }
    return out;
  }
  return out;
}

CodeFaults judge_send_recv(const CodingExercise& exercise, const CodeCase& one,
                           const std::vector<capi::AgentReport>& ranks) {
  CodeFaults out;
  const auto message = input_of(exercise, one, one.root);
  for (Rank rank = 0; rank < one.ranks && out.values.empty(); ++rank) {
    const auto& report = ranks[static_cast<std::size_t>(rank)];
    const auto* got = result_named(report, "return");
    const bool takes_part = rank == one.root || rank == one.target;
    if (got == nullptr) {
      out.values = fmt::format("nothing came back from rank {}", rank);
    } else if (!takes_part) {
      if (kind_of(*got) != "NoneType")
        out.values = fmt::format("rank {} takes no part and should return None", rank);
    } else if (kind_of(*got) != to_string(one.dtype)) {
      out.values = fmt::format("rank {} returns {}, it should return the message", rank,
                               kind_of(*got) == "NoneType" ? "nothing" : kind_of(*got));
    } else if (numbers_of(*got) != message || got->shape != one.shape) {
      out.values = fmt::format("rank {} does not return the message of rank {}", rank, one.root);
    } else if (rank == one.target) {
      const auto* buffer = result_named(report, "buf");
      if (buffer == nullptr || kind_of(*buffer) != to_string(one.dtype) ||
          numbers_of(*buffer) != message)
        out.values = fmt::format("self.buf of rank {} does not hold the message", rank);
    }
    const auto* own = result_named(report, "msg");
    if (out.argument.empty() && (own == nullptr || kind_of(*own) != to_string(one.dtype) ||
                                 numbers_of(*own) != input_of(exercise, one, rank)))
      out.argument = fmt::format("rank {}'s own message has changed", rank);
    const auto* log = result_named(report, "log");
    const json told = json::parse(log == nullptr ? "" : text_of(*log), nullptr, false);
    json want = json::array();
    if (rank == one.root) want.push_back({"send", rank, one.target});
    if (rank == one.target) want.push_back({"recv", rank, one.root});
    if (out.log.empty() && told != want)
      out.log =
          fmt::format("the log of rank {} is {}, it should be {}", rank,
                      told.is_discarded() ? "no list" : told.dump().substr(0, 80), want.dump());
  }
  return out;
}

}  // namespace

std::string CodeCase::detail() const {
  std::vector<std::string> parts;
  if (dims != std::pair{0, 0})
    parts.push_back(fmt::format("scatter_dim = {}, gather_dim = {}", dims.first, dims.second));
  if (root != 0) parts.push_back(fmt::format("src = {}", root));
  if (view) parts.emplace_back("a view with gaps");
  for (std::size_t r = 0; r < delays_us.size(); ++r)
    if (delays_us[r] > 0) parts.push_back(fmt::format("rank {} is slow", r));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool can_tell(const CodingExercise& exercise) {
  static constexpr std::string_view kKinds[] = {"allreduce", "broadcast", "allgather",
                                                "reduce_scatter", "alltoall"};
  return std::ranges::find(kKinds, exercise.call.collective) != std::end(kKinds);
}

std::vector<CodeCase> cases_of(const CodingExercise& exercise, std::uint64_t seed) {
  const CodingCall& call = exercise.call;
  std::vector<CodeCase> out;
  for (const int ranks : call.worlds) {
    // What varies besides: the k-th run takes the k-th of each list, so that lists of different lengths mix.
    std::vector<std::pair<std::vector<Count>, std::pair<int, int>>> shapes;
    for (const std::string& text : call.shapes) {
      const auto shape = shape_for(text, ranks);
      if (call.dims.empty()) shapes.push_back({shape, {0, 0}});
      for (const auto& dims : call.dims)
        if (dims_fit(shape, dims, ranks)) shapes.push_back({shape, dims});
    }
    if (shapes.empty()) shapes.push_back({{1}, {0, 0}});
    std::vector<Rank> roots{0};
    if (call.all_sources) roots = {0, ranks - 1, ranks / 2};
    if (!call.sources.empty()) roots = call.sources;
    const auto dtypes = call.dtypes.empty() ? std::vector<DType>{DType::float32} : call.dtypes;
    const std::size_t runs = std::max({shapes.size(), roots.size(), dtypes.size(), std::size_t{2}});
    for (std::size_t k = 0; k < runs; ++k) {
      CodeCase one;
      one.ranks = ranks;
      one.shape = shapes[k % shapes.size()].first;
      one.dims = shapes[k % shapes.size()].second;
      one.dtype = dtypes[k % dtypes.size()];
      one.root = std::min(roots[(k + 1) % roots.size()], ranks - 1);
      one.seed = seed + out.size();
      one.view = call.non_contiguous && k % 2 == 1;
      if (call.harness == Harness::send_recv) {
        one.root = static_cast<Rank>(k % static_cast<std::size_t>(ranks));
        one.target = (one.root + 1 + static_cast<Rank>(k / 2)) % ranks;
        if (one.target == one.root) one.target = (one.root + 1) % ranks;
      }
      // Who receives in the order of arrival is found out by a rank that is late.
      if (ranks > 1 && k % 2 == 0) {
        one.delays_us.assign(static_cast<std::size_t>(ranks), 0);
        one.delays_us[(k / 2 + 1) % static_cast<std::size_t>(ranks)] = kSlow;
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

JobSpec job_of(const CodingExercise& exercise, const CodeCase& one, double timeout_s) {
  JobSpec spec;
  spec.algorithm = exercise.file.empty() ? exercise.id : exercise.file;
  spec.platform = exercise.call.platform.empty() ? "torch" : exercise.call.platform;
  spec.world_size = one.ranks;
  spec.shape = one.shape;
  spec.dtype = one.dtype;
  spec.transport = "inproc";
  const bool mpi = spec.platform == "mpi";
  spec.mode = SendMode::rendezvous;
  spec.eager_limit = mpi ? 4096 : 0;
  spec.check = false;
  spec.every_wait = true;
  spec.delays_us = one.delays_us;
  spec.timeout_s = timeout_s;
  return spec;
}

std::vector<capi::AgentTask> tasks_of(const CodingExercise& exercise, const CodeCase& one) {
  std::vector<capi::AgentTask> out;
  const CodingCall& call = exercise.call;
  for (Rank rank = 0; rank < one.ranks; ++rank) {
    capi::AgentTask task;
    const json tensor{
        {"input", 0}, {"dtype", to_string(one.dtype)}, {"shape", one.shape}, {"view", one.view}};
    json text{
        {"file", exercise.file}, {"function", call.function}, {"rank", rank}, {"size", one.ranks}};
    switch (call.harness) {
      case Harness::function:
        text["harness"] = "function";
        text["args"] = json::array({tensor});
        if (call.collective == "broadcast") text["args"].push_back(one.root);
        if (call.collective == "alltoall") {
          text["args"].push_back(one.dims.first);
          text["args"].push_back(one.dims.second);
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
        break;
      case Harness::hello:
        text["harness"] = "function";
        text["args"] = {rank, one.ranks, own_name(one)};
        break;
      case Harness::pass_it_on:
        text["harness"] = "function";
        text["args"] = {rank, one.ranks,
                        rank == 0 ? static_cast<std::int64_t>(passed_on(one)) : std::int64_t{0}};
        break;
    }
    task.text = text.dump();
    task.inputs.push_back(bytes_of(values_for(exercise, one, rank), one.dtype));
    out.push_back(std::move(task));
  }
  return out;
}

CodeFaults judge_results(const CodingExercise& exercise, const CodeCase& one,
                         const std::vector<capi::AgentReport>& ranks) {
  switch (exercise.call.harness) {
    case Harness::hello: return judge_hello(one, ranks);
    case Harness::pass_it_on: return judge_pass_it_on(one, ranks);
    case Harness::send_recv: return judge_send_recv(exercise, one, ranks);
    case Harness::function:
    case Harness::worker: break;
  }
  return judge_tensors(exercise, one, ranks);
}

std::string explain_results(const CodingExercise& exercise, const CodeCase& one,
                            const std::vector<capi::AgentReport>& ranks) {
  std::vector<RankResult> results;
  const std::string_view name = exercise.call.in_place ? argument_name(exercise) : "return";
  for (const auto& rank : ranks) {
    RankResult& result = results.emplace_back();
    const auto* got = result_named(rank, name);
    if (got == nullptr || got->dtype == DType::uint8) continue;
    result.shape = Shape(got->shape);
    result.values = numbers_of(*got);
  }
  return explain_result(result_case(exercise, one), results);
}

}  // namespace rankscope
