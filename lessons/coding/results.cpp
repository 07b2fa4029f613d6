#include "lessons/coding/results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/collectives/oracle.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "lessons/coding/inputs.h"
#include "lessons/coding/lenet_results.h"
#include "lessons/coding/model_results.h"
#include "lessons/coding/near_results.h"
#include "lessons/coding/result_parts.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Harness = CodingCall::Harness;

int positive(int dim, int dims) { return dim < 0 ? dim + dims : dim; }

// The name under which a function's argument, or a worker's message, comes back.
std::string_view argument_name(const CodingExercise& exercise) {
  return exercise.call.harness == Harness::worker ? "msg" : "argument 0";
}

}  // namespace

const capi::TaskResult* result_of(const CodingExercise& exercise, const capi::AgentReport& rank) {
  return result_called(rank,
                       exercise.call.result_in_argument() ? argument_name(exercise) : "return");
}

std::vector<double> expected_values(const CodeCase& one, Rank rank) {
  std::vector<std::vector<double>> inputs;
  for (Rank r = 0; r < one.ranks; ++r) inputs.push_back(values_for(one, r));
  OracleJob job;
  job.collective = one.collective;
  job.shape = one.shape;
  job.dtype = DType::float64;
  job.root = one.root;
  job.n = one.ranks;
  job.scatter_dim = positive(one.scatter_dim, one.shape.dims());
  job.gather_dim = positive(one.gather_dim, one.shape.dims());
  job.pattern = InputPattern::given;
  job.values = inputs;
  return expected_output(job, rank).to_vector<double>();
}

namespace {

// ---- Tensors ----

/// The tensor that holds a rank's result, as the contract says; or what is wrong instead.
const capi::TaskResult* tensor_of(const CodingExercise& exercise, const capi::AgentReport& rank,
                                  std::string_view name, int number, DType dtype,
                                  std::string& fault) {
  const auto* result = result_called(rank, name);
  const std::string what =
      name == "return"
          ? fmt::format("{} returns", exercise.call.function)
          : fmt::format("the {} of rank {} is", name == "msg" ? "msg" : "argument", number);
  if (result == nullptr) {
    fault = fmt::format("nothing came back from rank {}", number);
    return nullptr;
  }
  const std::string kind = kind_in(*result);
  if (kind == to_string(dtype)) return result;
  if (kind == "NoneType")
    fault = fmt::format("{} nothing on rank {}; it should return the result", what, number);
  else
    fault =
        fmt::format("{} {} on rank {} where {} was expected", what, kind, number, to_string(dtype));
  return nullptr;
}

/// Says that nearly right numbers that fit into float32 were sent as float32.
std::string rounded_words(const std::vector<double>& have, const std::vector<double>& want) {
  if (have.size() != want.size()) return {};
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(have[i]) || static_cast<double>(static_cast<float>(have[i])) != have[i])
      return {};
    largest = std::max(largest, std::abs(want[i]));
    off = std::max(off, std::abs(have[i] - want[i]));
  }
  constexpr double kBits24 = 1.0 / (1 << 21);  // after a few sums
  if (off > largest * kBits24) return {};
  return ": right to about 7 digits, as if the numbers had been sent as float32";
}

std::string compare(const CodeCase& one, Rank rank, const capi::TaskResult& got,
                    std::string_view where, bool& numbers) {
  const Shape got_shape(got.shape), want_shape = expected_result(one, 0).shape;
  if (got_shape != want_shape) {
    numbers = true;  // perhaps the right numbers in another order
    return fmt::format("{} on rank {} has shape {}, it should have {}", where, rank,
                       got_shape.to_string(), want_shape.to_string());
  }
  const auto want = expected_values(one, rank);
  const auto have = numbers_in(got);
  for (std::size_t i = 0; i < want.size() && i < have.size(); ++i) {
    if (want[i] == have[i]) continue;
    numbers = true;
    return fmt::format("{} on rank {}: element {} is {:.15g}, it should be {:.15g}{}", where, rank,
                       i, have[i], want[i], rounded_words(have, want));
  }
  return {};
}

/// Numbers that are right in their last bits only: messages had too little room for them.
std::string cut_off_words(const CaseReports& in) {
  constexpr int kFewest = 2;  // one may be so by chance
  constexpr std::array kSizes = {32, 16, 8};
  std::vector<double> off;     // of what is wrong
  std::set<double> different;  // the same element of several ranks is one
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto* const got = result_of(in.exercise, in.of(rank));
    const auto want = expected_values(in.one, rank);
    const auto have = got == nullptr ? std::vector<double>{} : numbers_in(*got);
    if (have.size() != want.size()) return {};
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (have[i] == want[i]) continue;
      off.push_back(have[i] - want[i]);
      different.insert(want[i]);
    }
  }
  if (std::ssize(different) < kFewest) return {};
  for (const int bits : kSizes)
    if (ranges::all_of(off, [&](double one_off) {
          return std::isfinite(one_off) && std::fmod(one_off, std::ldexp(1.0, bits)) == 0;
        }))
      return fmt::format(
          "; all errors are multiples of 2^{0}, as if only {0} bits of each number had been sent",
          bits);
  return {};
}

CodeFaults judge_tensors(const CaseReports& in) {
  CodeFaults out;
  const auto& call = in.exercise.call;
  for (Rank rank = 0; rank < in.one.ranks && out.values.empty(); ++rank) {
    const auto& report = in.of(rank);
    if (call.returns)
      if (const auto* got =
              tensor_of(in.exercise, report, "return", rank, in.one.dtype, out.values))
        out.values = compare(in.one, rank, *got, "the result", out.numbers);
    if (!out.values.empty()) break;
    const auto* argument =
        tensor_of(in.exercise, report, argument_name(in.exercise), rank, in.one.dtype, out.values);
    if (argument == nullptr) break;
    if (call.result_in_argument()) {
      out.values =
          compare(in.one, rank, *argument,
                  call.harness == Harness::worker ? "self.msg" : "the argument", out.numbers);
      if (!out.values.empty() && call.returns)
        out.values += "; it must also hold the result, which must not only be returned";
      // A worker's message may have been bound to another tensor: code that holds the first one sees nothing.
      const auto* first = result_called(report, "argument 0");
      if (out.values.empty() && call.harness == Harness::worker && first != nullptr &&
          numbers_in(*first) != expected_values(in.one, rank))
        out.values = fmt::format(
            "rank {}'s self.msg is now another tensor; write the result into the original tensor",
            rank);
    } else if (!call.either && out.argument.empty() &&
               numbers_in(*argument) != values_for(in.one, rank)) {
      out.argument =
          fmt::format("rank {}'s argument has changed; the function must leave it unchanged", rank);
    } else if (call.in_place && out.aside.empty() &&
               numbers_in(*argument) != expected_values(in.one, rank)) {
      out.aside = fmt::format(
          "rank {} returns the result in another tensor and does not write it into the argument, "
          "as the text asks",
          rank);
    }
  }
  if (!out.numbers) return out;
  if (const auto words = cut_off_words(in); !words.empty()) {
    out.values += words;
    out.explains_values = true;
    out.numbers = false;  // those of a telling run are small, and would come through whole
  }
  return out;
}

// ---- The exercises that are no collectives ----

CodeFaults judge_hello(const CaseReports& in) {
  CodeFaults out;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto* printed = result_called(in.of(rank), "stdout");
    std::string text = printed == nullptr ? "" : text_in(*printed);
    while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
    const std::string want = fmt::format("Rank {}: Hello, {}!", rank, own_name(in.one));
    if (text == want) continue;
    const auto lines = static_cast<int>(ranges::count(text, '\n')) + 1;
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

CodeFaults judge_pass_it_on(const CaseReports& in) {
  CodeFaults out;
  double value = passed_on(in.one);
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    value += rank;
    const auto* got = result_called(in.of(rank), "return");
    if (got == nullptr || kind_in(*got) == "NoneType") {
      out.values = fmt::format("pass_it_on returns nothing on rank {}, it should return {:.0f}",
                               rank, value);
    } else {
      const auto numbers = numbers_in(*got);
      if (numbers.size() == 1 && got->dtype != DType::uint8 && numbers[0] == value) continue;
      out.values = numbers.size() == 1
                       ? fmt::format("rank {} returns {:.0f}, it should return {:.0f}{}", rank,
                                     numbers[0], value, rounded_words(numbers, {value}))
                       : fmt::format("rank {} returns no number", rank);
    }
    return out;
  }
  return out;
}

CodeFaults judge_send_recv(const CaseReports& in) {
  CodeFaults out;
  const auto message = input_of(in.one, in.one.root);
  for (Rank rank = 0; rank < in.one.ranks && out.values.empty(); ++rank) {
    const auto& report = in.of(rank);
    const auto* got = result_called(report, "return");
    const bool takes_part = rank == in.one.root || rank == in.one.target;
    if (got == nullptr) {
      out.values = fmt::format("nothing came back from rank {}", rank);
    } else if (!takes_part) {
      if (kind_in(*got) != "NoneType")
        out.values = fmt::format("rank {} takes no part and should return None", rank);
    } else if (kind_in(*got) != to_string(in.one.dtype)) {
      out.values = fmt::format("rank {} returns {}, it should return the message", rank,
                               kind_in(*got) == "NoneType" ? "nothing" : kind_in(*got));
    } else if (numbers_in(*got) != message || got->shape != in.one.shape.extents()) {
      out.values = fmt::format("rank {} does not return the message of rank {}", rank, in.one.root);
    } else if (rank == in.one.target) {
      const auto* buffer = result_called(report, "buf");
      if (buffer == nullptr || kind_in(*buffer) != to_string(in.one.dtype) ||
          numbers_in(*buffer) != message)
        out.values = fmt::format("self.buf of rank {} does not hold the message", rank);
    }
    const auto* own = result_called(report, "msg");
    if (out.argument.empty() && (own == nullptr || kind_in(*own) != to_string(in.one.dtype) ||
                                 numbers_in(*own) != input_of(in.one, rank)))
      out.argument = fmt::format("rank {}'s own message has changed", rank);
    const auto* log = result_called(report, "log");
    const json told = parse_json_or_none(log == nullptr ? "" : text_in(*log));
    json want = json::array();
    if (rank == in.one.root) want.push_back({"send", rank, in.one.target});
    if (rank == in.one.target) want.push_back({"recv", rank, in.one.root});
    if (out.log.empty() && told != want)
      out.log = fmt::format("the log of rank {} is {}, it should be {}", rank,
                            told.is_discarded() ? "no list" : dump_json(told).substr(0, 80),
                            dump_json(want));
  }
  return out;
}

CodeFaults judge_harness(const CaseReports& in) {
  switch (in.exercise.call.harness) {
    case Harness::hello: return judge_hello(in);
    case Harness::pass_it_on: return judge_pass_it_on(in);
    case Harness::send_recv: return judge_send_recv(in);
    case Harness::tensor_parallel:
    case Harness::ulysses: return judge_block(in);
    case Harness::sgd: return judge_sgd(in);
    case Harness::lenet: return judge_lenet(in);
    case Harness::function:
    case Harness::worker: break;
  }
  return judge_tensors(in);
}

}  // namespace

CodeFaults judge_results(const CaseReports& in) {
  CodeFaults out = judge_harness(in);
  if (out.values.empty()) return out;
  out.near_values = std::max(out.near_values, worth_of_wrong_values(in));
  out.adds = explain_missing_sums(in);
  out.other_collective = explain_other_collective(in);
  return out;
}

std::vector<RankResult> rank_results(const CodingExercise& exercise,
                                     const std::vector<capi::AgentReport>& ranks) {
  std::vector<RankResult> results;
  for (const auto& rank : ranks) {
    RankResult& result = results.emplace_back();
    const auto* got = result_of(exercise, rank);
    if (got == nullptr || got->dtype == DType::uint8) continue;
    result.shape = Shape(got->shape);
    result.values = numbers_in(*got);
  }
  return results;
}

std::string explain_results(const CaseReports& in) {
  const std::vector<RankResult> results = rank_results(in.exercise, in.ranks);
  std::string words = explain_result(in.one, results);
  if (words.empty() || !in.exercise.call.result_in_argument() ||
      in.one.collective != Collective::allreduce)
    return words;
  // A new tensor may hold what is right.
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto before = values_for(in.one, rank);
    if (results[static_cast<std::size_t>(rank)].values != before ||
        expected_values(in.one, rank) == before)
      continue;
    return fmt::format(
        "{}; rank {}'s tensor is as it was before the call: is the result written into it?", words,
        rank);
  }
  return words;
}

}  // namespace rankscope
