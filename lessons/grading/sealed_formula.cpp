// Seals what is said about formulas with their values at fixed points, and opens it for an answer.
#include "lessons/grading/sealed_formula.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "lessons/formula/formula_compare.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostGroups = 8, kMostBoxes = 64;
constexpr std::size_t kSaltBytes = 16;
/// Values are rounded to seven digits. Two ways to compute one formula differ by far less than this:
constexpr double kComputingError = 1e-12;
constexpr double kTiny = 1e-12;  // nothing but such an error is left

/// The points of a domain, and how their values are written for the hash.
class SealedPoints {
 public:
  SealedPoints(const json& domain, const json& condition, std::vector<std::size_t> skip)
      : skip_(std::move(skip)) {
    const auto all =
        FormulaDomain::of(domain, condition.is_string() ? condition.get<std::string>() : "");
    names_ = all.names();
    points_ = sample(all);
  }

  /// Returns these points without their condition, which may give half of the answer away: points that break it are
  /// skipped by number. Returns nothing if fewer points are left.
  std::optional<SealedPoints> by_number(const json& domain, const std::string& condition) const {
    SealedPoints out(domain, {}, {});
    const Formula holds(condition, out.names_);
    for (std::size_t i = 0; i < out.points_.size(); ++i)
      if (holds.at(out.points_[i]) == 0) out.skip_.push_back(i);
    if (out.points_.size() - out.skip_.size() < points_.size()) return std::nullopt;
    return out;
  }

  const std::vector<std::string>& names() const noexcept { return names_; }
  void skip_undefined(const Formula& right) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (ranges::find(skip_, i) == skip_.end() && !std::isfinite(right.at(points_[i])))
        skip_.push_back(i);
  }
  const std::vector<std::size_t>& skipped() const noexcept { return skip_; }
  bool empty() const noexcept { return skip_.size() >= points_.size(); }

  /// Returns the formula's values; in each point, `by` is added to the variable `shifted`.
  std::vector<double> values_of(const Formula& formula, const std::string& shifted = "",
                                int by = 0) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (ranges::find(skip_, i) != skip_.end()) continue;
      Values at = points_[i];
      if (const auto variable = at.find(shifted); variable != at.end()) variable->second += by;
      out.push_back(formula.at(at));
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Values> points_;
  std::vector<std::size_t> skip_;
};

/// Returns a scale from 1 to 10, by the salt, so that a value is on the border of two rounded ones only by chance.
double scale_of(std::string_view salt) {
  const std::string bytes = keyed_hash(salt, "scale");
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  constexpr double kStep = 0x1p-53;
  return 1 + 9 * (static_cast<double>(number >> 11) * kStep);
}

std::string rounded(double value, double scale) {
  if (!std::isfinite(value)) return "x";
  if (std::abs(value) < kTiny) return "0";
  return fmt::format("{:.6e}", value * scale);
}

std::string guess_text(const std::vector<double>& values, double scale) {
  std::string out;
  for (const double value : values) out += rounded(value, scale) + " ";
  return out;
}

bool rounds_safely(const std::vector<double>& values, double scale) {
  return ranges::all_of(values, [&](double value) {
    return rounded(value * (1 - kComputingError), scale) ==
           rounded(value * (1 + kComputingError), scale);
  });
}

/// A question that its lecturer has to grade.
struct CannotSeal {};

/// An answer that is known, before it is sealed.
struct KnownFormula {
  std::vector<double> values;
  json text;
};

class FormulaSealer {
 public:
  FormulaSealer(const Question& question, const SealCost& cost)
      : question_(question), cost_(cost) {}

  std::vector<SealedGroup> groups() {
    const json& data = question_.data;
    json right = {{"right", true}, {"why", question_.explanation}, {"let", question_.rules.let}};
    seal(data, data.at("answer"), right, true);
    for (const json& also : data.value("also", json::array())) {
      json other = right;
      other["says"] = also.value("says", "");
      json rule = data;
      for (const char* key : {"domain", "condition"})
        if (also.contains(key)) rule[key] = also[key];
      seal(rule, also.at("answer"), other, false);
    }
    return std::move(groups_);
  }

 private:
  std::vector<KnownFormula> mistakes(const SealedPoints& points, const Formula& right) const {
    std::vector<KnownFormula> out;
    for (const Misconception& one : question_.misconceptions) {
      if (!one.answer.is_string()) continue;
      try {
        const std::string text = expand(one.answer, {}).get<std::string>();
        out.push_back({points.values_of(Formula(text, points.names())),
                       {{"id", one.id},
                        {"says", one.says},
                        {"share", one.share},
                        {"let", question_.rules.let}}});
      } catch (const std::exception&) {
        continue;  // needs the student's numbers
      }
    }
    for (const auto& name : question_.data.value("shift", std::vector<std::string>{}))
      for (const int by : {1, -1})
        out.push_back({points.values_of(right, name, -by),
                       {{"share", question_.data.value("shift_share", 0.0)},
                        {"says", fmt::format("You are off by one in {0}: this would be right if "
                                             "{0} were counted from one {1}.",
                                             name, by > 0 ? "more" : "less")}}});
    return out;
  }

  void seal(const json& rule, const json& answer, const json& text, bool with_mistakes) {
    json condition = rule.value("condition", json());
    SealedPoints points(rule.at("domain"), condition, {});
    if (condition.is_string())
      if (auto same = points.by_number(rule.at("domain"), condition.get<std::string>())) {
        points = *std::move(same);
        condition = nullptr;
      }
    const Formula right(answer.get<std::string>(), points.names());
    points.skip_undefined(right);
    if (points.empty()) throw CannotSeal{};
    std::vector<KnownFormula> known = {{points.values_of(right), text}};
    if (with_mistakes)
      for (KnownFormula& one : mistakes(points, right)) known.push_back(std::move(one));
    SealedGroup group;
    group.domain = rule.at("domain");
    group.condition = std::move(condition);
    group.skip = points.skipped();
    group.salt = safe_salt(known);
    const double scale = scale_of(group.salt);
    std::set<std::string> seen;
    for (const KnownFormula& one : known) {
      const std::string guess = guess_text(one.values, scale);
      if (!seen.insert(guess).second) continue;  // the right one, or an earlier mistake
      group.texts.push_back({slow_key(guess, group.salt, cost_), dump_json(one.text)});
    }
    ranges::sort(group.texts, {}, &SealedGroup::Text::key);  // says nothing of which is right
    groups_.push_back(std::move(group));
  }

  /// Returns a random salt with which no known value is on the border of two rounded ones; it reveals nothing else.
  static std::string safe_salt(const std::vector<KnownFormula>& known) {
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      std::string salt = random_bytes(kSaltBytes);
      const double scale = scale_of(salt);
      if (ranges::all_of(known, [&](const auto& one) { return rounds_safely(one.values, scale); }))
        return salt;
    }
    throw CannotSeal{};
  }

  const Question& question_;
  SealCost cost_;
  std::vector<SealedGroup> groups_;
};

std::string bytes_at(const json& table, const char* key) {
  const auto bytes = bytes_of_base64(table.at(key).get<std::string>());
  if (!bytes) throw UserError("this copy of the lesson is damaged: get it again");
  return *bytes;
}

/// Opens a group's box with the answer; null if none opens.
json opened(const json& group, const std::string& text) {
  const json& cost = group.at("cost");
  const SealedPoints points(group.at("domain"), group.value("condition", json()),
                            group.value("skip", std::vector<std::size_t>{}));
  const std::string salt = bytes_at(group, "salt");
  const std::string guess =
      guess_text(points.values_of(Formula(text, points.names())), scale_of(salt));
  std::string key = slow_key(
      guess, salt,
      {cost.at(0).get<unsigned>(), cost.at(1).get<unsigned>(), cost.at(2).get<unsigned>()});
  key = keyed_hash(key, bytes_at(group, "own"));
  std::size_t boxes = 0;
  for (const json& box : group.at("boxes")) {
    if (++boxes > kMostBoxes) break;
    if (const auto says = unsealed(box.get<std::string>(), key)) return json::parse(*says);
  }
  return {};
}

/// Fills in the numbers of the student's copy, and what the sealed text computes from them.
std::string filled(const Question& question, const Variant& variant, const json& said,
                   const char* key) {
  const std::string text = said.value(key, "");
  if (text.empty()) return text;
  VariableRules rules = question.rules;
  rules.let = said.value("let", json::object());
  try {
    Question whole = question;
    whole.rules = std::move(rules);
    return fill_in(text, variant_of(whole, variant.seed).values);
  } catch (const std::exception&) {
    return fill_in(text, variant.values);
  }
}

}  // namespace

std::vector<SealedGroup> seal_formula(const Question& question, const SealCost& cost) {
  if (question.kind != &formula_kind()) return {};
  try {
    return FormulaSealer(question, cost).groups();
  } catch (const CannotSeal&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

json sealed_json(const std::vector<SealedGroup>& groups, const SealCost& cost,
                 std::string_view own) {
  json out = json::array();
  for (const SealedGroup& group : groups) {
    json one = {{"domain", group.domain},
                {"salt", base64(group.salt)},
                {"own", base64(own)},
                {"cost", {cost.log2_n, cost.r, cost.p}},
                {"boxes", json::array()}};
    if (!group.condition.is_null()) one["condition"] = group.condition;
    if (!group.skip.empty()) one["skip"] = group.skip;
    for (const SealedGroup::Text& text : group.texts)
      one["boxes"].push_back(sealed(text.text, keyed_hash(text.key, own)));
    out.push_back(std::move(one));
  }
  return out;
}

bool has_seals(const Question& question) {
  return question.student_copy && question.kind == &formula_kind() &&
         question.data.contains("sealed") && question.data["sealed"].is_array() &&
         !question.data["sealed"].empty();
}

bool is_judged_here(const Question& question) {
  if (question.kind == nullptr || question.kind->marked_by_hand()) return false;
  return !question.student_copy || has_seals(question);
}

Verdict judge_sealed(const Question& question, const Variant& variant, const json& answer) {
  Verdict verdict;
  verdict.most = question.points;
  verdict.state = Verdict::State::wrong;
  const std::string text = answer_text(answer);
  std::size_t groups = 0;
  try {
    for (const json& group : question.data.at("sealed")) {
      if (++groups > kMostGroups) break;
      const json said = opened(group, text);
      if (said.is_null()) continue;
      const bool right = said.value("right", false);
      const double share = right ? 1 : std::clamp(said.value("share", 0.0), 0.0, 1.0);
      verdict.points = share * question.points;
      verdict.state = right       ? Verdict::State::right
                      : share > 0 ? Verdict::State::partly
                                  : Verdict::State::wrong;
      verdict.says = filled(question, variant, said, "says");
      verdict.why = filled(question, variant, said, "why");
      verdict.misconception = said.value("id", "");
      if (right) break;
    }
  } catch (const json::exception&) {
    throw UserError("this copy of the lesson is damaged: get it again");
  }
  return verdict;
}

}  // namespace rankscope
