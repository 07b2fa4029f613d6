// Reads how code exercises are called and judged, and computes their shapes and limits for each run.
#include "lessons/lesson/coding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"
#include "lessons/text/sealing.h"

namespace rankscope {
namespace {

using Harness = CodingCall::Harness;
using Judge = CodingRule::Judge;

constexpr std::array<std::string_view, 9> kHarnesses = {
    "function",        "worker",  "hello", "send-recv", "pass-it-on",
    "tensor-parallel", "ulysses", "sgd",   "lenet"};
constexpr std::array<std::string_view, 12> kSeenOutside = {
    "values", "ends",     "log",  "argument", "shards",  "batches",
    "agree",  "accuracy", "adds", "losses",   "imports", "calls"};
/// The collectives of the harnesses 'function' and 'worker': those in which every rank has an argument and a result.
constexpr std::array kCollectives = {Collective::broadcast, Collective::allreduce,
                                     Collective::allgather, Collective::reduce_scatter,
                                     Collective::alltoall};
constexpr int kMostRanks = 64;

/// The place of a word in a list; complains with the nearest one.
template <class List>
std::optional<std::size_t> one_of(const TomlNode& node, std::string_view what,
                                  const std::string& word, const List& list) {
  const auto at = ranges::find(list, word);
  if (at != std::end(list)) return static_cast<std::size_t>(at - std::begin(list));
  const std::vector<std::string> known(std::begin(list), std::end(list));
  node.complain(
      fmt::format("there is no {} '{}'{}", what, word,
                  nearest_hint(word, known, fmt::format("use {}", fmt::join(known, ", ")))));
  return std::nullopt;
}

std::vector<int> wholes(TomlNode& node, std::string_view key, int least, int most) {
  std::vector<int> out;
  for (const TomlNode& one : node.at(key).elements()) {
    const auto& value = one.json();
    if (value.is_number_integer() && value >= least && value <= most)
      out.push_back(value.get<int>());
    else
      one.complain(fmt::format("'{}' is a list of whole numbers from {} to {}", key, least, most));
  }
  return out;
}

void read_dims(TomlNode& node, CodingCall& call) {
  for (const TomlNode& one : node.at("dims").elements()) {
    const auto& pair = one.json();
    if (pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() &&
        pair[1].is_number_integer())
      call.dims.emplace_back(pair[0].get<int>(), pair[1].get<int>());
    else one.complain("'dims' is a list of pairs: [[scatter_dim, gather_dim], ...]");
  }
}

void read_sources(TomlNode& node, CodingCall& call) {
  call.all_sources = node.value("src") == "all";
  if (!call.all_sources) call.sources = wholes(node, "src", 0, kMostRanks - 1);
}

int whole_number(TomlNode& node, std::string_view key) {
  if (!node.has(key)) return 0;
  constexpr int kMost = 100'000;
  const auto value = node.value(key);
  if (value.is_number_integer() && value >= 1 && value <= kMost) return value.get<int>();
  node.at(key).complain(fmt::format("'{}' is a whole number from 1 to {}", key, kMost));
  return 0;
}

void read_model(TomlNode& node, CodingCall& call) {
  call.heads = node.texts("heads");
  call.inner = node.text("inner");
  call.hidden = whole_number(node, "hidden");
  call.batch_size = whole_number(node, "batch_size");
  call.steps = whole_number(node, "steps");
  call.test_pictures = whole_number(node, "test_pictures");
  call.step_size = node.number("step_size", 0);
}

void read_call(TomlNode node, CodingCall& call) {
  call.line = node.line();
  if (const auto harness =
          one_of(node.at("harness"), "harness", node.required_text("harness"), kHarnesses))
    call.harness = static_cast<Harness>(*harness);
  call.function = node.text("function");
  call.platform = node.required_text("platform");
  std::vector<std::string> platform_names;
  for (const Platform& one : platforms())
    if (one.in_exercises) platform_names.emplace_back(one.name);
  one_of(node.at("platform"), "platform", call.platform, platform_names);
  if (const std::string name = node.text("collective"); !name.empty()) {
    std::vector<std::string> names;
    for (const Collective one : kCollectives) names.emplace_back(to_string(one));
    const auto at = one_of(node.at("collective"), "collective", name, names);
    call.collective = at ? kCollectives[*at] : Collective::allreduce;
  }
  read_sources(node, call);
  read_dims(node, call);
  call.in_place = node.flag("in_place", false);
  call.returns = node.flag("returns", true);
  call.either = node.flag("either", false);
  call.worlds = wholes(node, "worlds", 1, kMostRanks);
  call.shapes = node.texts("shapes");
  for (const std::string& name : node.texts("dtypes")) {
    if (const auto dtype = parse_dtype(name)) call.dtypes.push_back(*dtype);
    else
      node.at("dtypes").complain(fmt::format("there is no type '{}'; use {}", name, dtype_names()));
  }
  call.non_contiguous = node.flag("non_contiguous", false);
  call.slow_ranks = node.flag("slow_ranks", false);
  call.parameter = node.text("parameter");
  call.parameter_values = node.texts("parameter_values");
  call.tensors = node.texts("tensors");
  call.computes = node.flag("computes", false);
  call.powers_of_two = node.flag("powers_of_two", false);
  read_model(node, call);
  node.finish();
}

void read_limits(TomlNode& node, CodingRule& out) {
  using Kind = Rule::Kind;
  const Kind kind = out.rule.kind;
  if (out.judge == Judge::imports) out.allow = node.texts("allow");
  if (out.judge == Judge::calls) {
    out.forbid = node.texts("forbid");
    if (out.forbid.empty())
      node.complain(R"(a rule 'calls' names what may not be called: forbid = ["isend"])");
  }
  if (out.judge != Judge::trace) return;
  const bool of_built_ins = kind == Kind::built_in_calls;
  if (kind == Kind::no_built_in || of_built_ins) out.rule.allowed = node.texts("allowed");
  else out.rule.built_ins = node.flag("built_ins", false);
  const bool counts =
      kind == Kind::messages || kind == Kind::sends || kind == Kind::rounds || kind == Kind::bytes;
  if (counts || of_built_ins || kind == Kind::ring) out.exactly = node.text("exactly");
  if (counts || of_built_ins || kind == Kind::ring) out.at_most = node.text("at_most");
  if (of_built_ins && out.rule.allowed.empty())
    node.complain(R"(a rule 'built_in_calls' names what is called: allowed = ["allreduce"])");
  if (kind == Kind::under_way) out.rule.all = node.flag("all", false);
  if (kind == Kind::messages || kind == Kind::bytes) out.at_least = node.text("at_least");
  if (counts && out.at_least.empty() && out.exactly.empty() == out.at_most.empty())
    node.complain(fmt::format("a rule '{}' has a limit: either 'exactly' or 'at_most'", out.kind));
  if (kind == Kind::ring || kind == Kind::chunk_order) {
    const auto side = one_of(node.at("direction"), "direction", node.text("direction", "either"),
                             std::array{"either", "left", "right"});
    out.rule.direction = static_cast<Rule::Direction>(side.value_or(0));
    if (kind == Kind::chunk_order && out.rule.direction == Rule::Direction::either)
      node.complain(R"(the order of chunks needs a direction, "left" or "right")");
  }
  if (kind == Kind::size)
    out.rule.size = static_cast<Rule::Size>(
        one_of(node.at("of"), "size", node.text("of", "chunk"), std::array{"chunk", "whole"})
            .value_or(0));
  if (kind == Kind::tree)
    out.rule.tree = static_cast<Rule::Tree>(
        one_of(node.at("of"), "tree", node.text("of", "any"), std::array{"any", "free", "homework"})
            .value_or(0));
  if (kind == Kind::xor_partners) out.rule.any_order = node.flag("any_order", false);
  if (kind == Kind::once || kind == Kind::chain || kind == Kind::xor_partners)
    out.rule.pieces = node.flag("pieces", false);
}

void read_rule(TomlNode& node, CodingExercise& exercise) {
  CodingRule out;
  out.line = node.line();
  out.kind = node.required_text("kind");
  auto known = rule_kind_names();
  known.insert(known.begin(), kSeenOutside.begin(), kSeenOutside.end());
  const auto kind = one_of(node.at("kind"), "kind of rule", out.kind, known);
  if (!kind) return;
  if (*kind < kSeenOutside.size()) out.judge = static_cast<Judge>(*kind);
  else out.rule.kind = *parse_rule_kind(out.kind);
  read_limits(node, out);
  out.name = node.text("name", out.kind);
  out.says = node.required_text("says");
  out.points = node.number("points", 0);
  if (!(std::isfinite(out.points) && out.points >= 0)) {
    node.at("points").complain("'points' is a number that is not negative");
    out.points = 0;
  }
  out.where = node.text("where");
  out.worlds = wholes(node, "worlds", 1, kMostRanks);
  out.required = node.flag("required", false);
  out.remark = node.flag("remark", false);
  out.partial = node.flag("partial", true);
  out.bonus = node.flag("bonus", false);
  if (out.remark && (out.points > 0 || out.required))
    node.complain("a remark has no points, and is not required");
  if (out.bonus && (out.points == 0 || out.required))
    node.complain("a bonus has points, and is not required");
  node.finish();
  exercise.rules.push_back(std::move(out));
}

void read_rules(TomlNode& node, CodingExercise& exercise) {
  if (node.has("defining") && node.value("defining").is_string())
    exercise.defining = {node.text("defining")};
  else if (node.has("defining")) exercise.defining = node.texts("defining");
  for (TomlNode& one : node.at("rule").elements()) read_rule(one, exercise);
}

void read_closed_rules(TomlNode& node, std::string_view lesson, CodingExercise& exercise) {
  exercise.closed = true;
  auto source = std::make_shared<TomlSource>();
  source->name = node.file();
  source->root = parse_json_or_none(
      opened_text(node.text("rules"), fmt::format("{}/{}/rules", lesson, exercise.id))
          .value_or(""));
  Complaints faults;
  if (source->root.is_object()) {
    TomlNode inside(source, faults);
    read_rules(inside, exercise);
    inside.finish();
  }
  if (!faults.empty())
    node.at("rules").complain(
        "another version of rankscope wrote the exercise's rules: use the course's version");
  else if (exercise.rules.empty())
    node.at("rules").complain("the exercise's rules cannot be read: fetch the copy again");
}

Values values_of(const CodingNumbers& numbers) {
  const auto elements = static_cast<double>(numbers.count);
  const auto each = static_cast<double>(numbers.element_bytes);
  Values out{{"N", numbers.ranks}, {"M", elements}, {"E", each}, {"D", elements * each}};
  if (numbers.parameter > 0) out["K"] = numbers.parameter;
  if (numbers.buckets > 0) out["B"] = numbers.buckets;
  return out;
}

using Harness = CodingCall::Harness;

struct Form {
  std::optional<Collective> collective;
  std::string_view head, parameters, arguments;
};

constexpr std::string_view kTemplate = "template <class T>\n";
constexpr Form kForms[] = {
    {Collective::broadcast, kTemplate, "std::span<T> data, int src",
     "given.comm, given.data, given.src"},
    {Collective::allreduce, kTemplate, "std::span<T> data", "given.comm, given.data"},
    {Collective::allgather, kTemplate, "std::span<const T> mine, std::span<T> all",
     "given.comm, given.in, given.out"},
    {Collective::reduce_scatter, kTemplate, "std::span<const T> data, std::span<T> mine",
     "given.comm, given.in, given.out"},
    {Collective::alltoall, kTemplate,
     "rankscope::Tensor<const T> in, rankscope::Tensor<T> out, int scatter_dim, int gather_dim",
     "given.comm, given.tensor_in(), given.tensor_out(), given.scatter_dim, given.gather_dim"}};
constexpr Form kHello = {std::nullopt, "", "const std::string& name", "given.comm, given.name"};
constexpr Form kPassItOn = {std::nullopt, "", "std::int64_t value", "given.comm, given.value"};

const Form* form_of(const CodingCall& call) {
  if (call.harness == Harness::hello) return &kHello;
  if (call.harness == Harness::pass_it_on) return &kPassItOn;
  if (call.harness != Harness::function) return nullptr;
  if (!call.parameter.empty() || !call.tensors.empty()) return nullptr;
  for (const Form& form : kForms)
    if (form.collective == call.collective) return &form;
  return nullptr;
}

}  // namespace

std::string_view to_string(Harness harness) noexcept {
  return kHarnesses[static_cast<std::size_t>(harness)];
}

bool CodingExercise::defines(const CodingRule& rule) const noexcept {
  return !rule.remark && ranges::find(defining, rule.name) != defining.end();
}

void read_coding_rules(TomlNode& node, std::string_view lesson, CodingExercise& exercise) {
  exercise.file = node.text("file");
  if (exercise.file.find('/') != std::string::npos)
    node.at("file").complain("'file' is the name of a file, without folders");
  exercise.cpp_file = node.text("cpp_file");
  if (!exercise.cpp_file.empty() &&
      (!exercise.cpp_file.ends_with(".cpp") || exercise.cpp_file.find('/') != std::string::npos))
    node.at("cpp_file").complain("'cpp_file' is the name of a file, without folders: NAME.cpp");
  if (node.has("call")) read_call(node.at("call"), exercise.call);
  if (node.has("rules")) read_closed_rules(node, lesson, exercise);
  else read_rules(node, exercise);
}

std::vector<Count> shape_for(std::string_view text, int ranks) {
  std::vector<Count> shape;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const auto end = rest.find(" x ");
    more = end != std::string_view::npos;
    const double extent = evaluate(trimmed(rest.substr(0, end)), {{"N", ranks}});
    constexpr double kMost = 1 << 30;
    if (extent < 0 || extent > kMost || extent != std::floor(extent))
      throw UserError(fmt::format("'{}' is no shape for {} ranks: {} is no number of elements",
                                  text, ranks, extent));
    shape.push_back(static_cast<Count>(extent));
    if (more) rest.remove_prefix(end + 3);
  }
  return shape;
}

int buckets_of(const CodingCall& call, Count capacity) {
  int buckets = 0;
  Count room = 0;
  for (const std::string& text : call.tensors) {
    Count count = 1;
    for (const Count extent : shape_for(text, 1)) count *= extent;
    if (buckets == 0 || count > room) {
      ++buckets;
      room = capacity;
    }
    room = std::max<Count>(0, room - count);
  }
  return buckets;
}

bool dims_fit(const std::vector<Count>& shape, std::pair<int, int> dims, int ranks) {
  const int size = static_cast<int>(shape.size());
  for (int* dim : {&dims.first, &dims.second}) {
    if (*dim < -size || *dim >= size) return false;
    if (*dim < 0) *dim += size;
  }
  return shape[static_cast<std::size_t>(dims.first)] % ranks == 0;
}

std::vector<CodingNumbers> numbers_of(const CodingCall& call) {
  std::vector<CodingNumbers> out;
  const auto values =
      call.parameter_values.empty() ? std::vector<std::string>{"0"} : call.parameter_values;
  for (const int n : call.worlds) {
    if (call.shapes.empty()) out.push_back({n, 1, sizeof(double)});
    for (const std::string& text : call.shapes) {
      Count count = 1;
      for (const Count extent : shape_for(text, n)) count *= extent;
      for (const DType dtype : call.dtypes)
        for (const std::string& value : values) {
          const Count parameter = shape_for(value, n).front();
          out.push_back({n, count, dtype_size(dtype), static_cast<int>(parameter),
                         buckets_of(call, parameter)});
        }
    }
  }
  return out;
}

std::optional<Rule> rule_for(const CodingRule& rule, const CodingNumbers& numbers) {
  if (!rule.worlds.empty() && ranges::find(rule.worlds, numbers.ranks) == rule.worlds.end())
    return std::nullopt;
  const Values values = values_of(numbers);
  if (!rule.where.empty() && evaluate(rule.where, values) == 0) return std::nullopt;
  Rule out = rule.rule;
  if (!rule.exactly.empty()) out.exactly = evaluate(rule.exactly, values);
  if (!rule.at_most.empty()) out.at_most = evaluate(rule.at_most, values);
  if (!rule.at_least.empty()) out.at_least = evaluate(rule.at_least, values);
  return out;
}

bool is_cpp(std::string_view file) noexcept { return file.ends_with(".cpp"); }

std::optional<CppContract> cpp_contract(const CodingExercise& exercise) {
  const Form* const form = form_of(exercise.call);
  if (form == nullptr || !exercise.graded()) return std::nullopt;
  CppContract out;
  out.file = exercise.cpp_file;
  if (out.file.empty()) out.file = std::filesystem::path(exercise.file).stem().string() + ".cpp";
  out.signature = fmt::format("{}{} {}(rankscope::Communicator& comm, {})", form->head,
                              form == &kPassItOn ? "std::int64_t" : "void", exercise.call.function,
                              form->parameters);
  out.arguments = form->arguments;
  return out;
}

std::string cpp_words(const CodingExercise& exercise) {
  const auto contract = cpp_contract(exercise);
  if (!contract) return {};
  return fmt::format("Or in C++: {}, with #include <rankscope.hpp> and\n{}\n", contract->file,
                     contract->signature);
}

std::string cpp_starter(const CodingExercise& exercise) {
  const auto contract = cpp_contract(exercise);
  if (!contract) return {};
  return fmt::format(
      "#include <rankscope.hpp>\n\n#include <cstdint>\n#include <span>\n#include <stdexcept>\n"
      "#include <string>\n\n{} {{\n  throw std::logic_error(\"{} is not written yet\");\n}}\n",
      contract->signature, exercise.call.function);
}

std::string handed_in(const CodingExercise& exercise, const std::filesystem::path& folder) {
  std::error_code error;
  const auto there = [&](const std::string& file) {
    return std::filesystem::is_regular_file(folder / file, error);
  };
  if (there(exercise.file)) return exercise.file;
  const auto cpp = cpp_contract(exercise);
  return cpp && there(cpp->file) ? cpp->file : "";
}

}  // namespace rankscope
