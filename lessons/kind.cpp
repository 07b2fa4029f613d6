#include "lessons/kind.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/error.h"

namespace rankscope {

std::span<const QuestionKind* const> question_kinds() {
  static const QuestionKind* const kKinds[] = {
      &number_kind(), &vector_kind(), &table_kind(),   &formula_kind(),
      &choice_kind(), &order_kind(),  &written_kind(),
  };
  return kKinds;
}

const QuestionKind* find_kind(std::string_view name) noexcept {
  const auto kinds = question_kinds();
  const auto found = std::ranges::find(kinds, name, [](auto* kind) { return kind->name(); });
  return found == kinds.end() ? nullptr : *found;
}

double answer_number(const nlohmann::json& answer) {
  if (answer.is_number()) return answer.get<double>();
  if (answer.is_string()) return evaluate(answer.get_ref<const std::string&>(), {});
  throw UserError(fmt::format("a number is expected, not {}", answer.dump()));
}

std::string answer_text(const nlohmann::json& answer) {
  if (answer.is_string()) return answer.get<std::string>();
  if (answer.is_number()) return number_text(answer.get<double>());
  throw UserError(fmt::format("a text is expected, not {}", answer.dump()));
}

bool close(double a, double b, double relative, double absolute) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= std::max(absolute, relative * std::max(std::abs(a), std::abs(b)));
}

}  // namespace rankscope
