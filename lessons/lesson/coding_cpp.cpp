// Writes the C++ declaration that a code exercise asks for.
#include "lessons/lesson/coding_cpp.h"

#include <fmt/format.h>

namespace rankscope {
namespace {

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
