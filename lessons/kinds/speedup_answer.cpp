// Reads a measured table of k*(N), judges its parts, and recognises usual misreadings.
#include "lessons/kinds/speedup_answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr int kMostRowRanks = 1024;
constexpr double kMostIterations = 1e9;

/// Mean and sample standard deviation of the logarithms.
struct Logarithms {
  double mean = 0, deviation = 0;
};
Logarithms logarithms_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Logarithms out;
  for (const double value : values) out.mean += std::log(value) / n;
  for (const double value : values)
    out.deviation += (std::log(value) - out.mean) * (std::log(value) - out.mean);
  out.deviation = values.size() < 2 ? 0 : std::sqrt(out.deviation / (n - 1));
  return out;
}

/// The 99.5 % quantile of Student's distribution, as tables have it.
double student_t(std::size_t freedom) {
  constexpr std::array kQuantiles{63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355,
                                  3.250,  3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
                                  2.898,  2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797,
                                  2.787,  2.779, 2.771, 2.763, 2.756, 2.750};
  return kQuantiles.at(std::min(freedom, kQuantiles.size()) - 1);
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view csv) : csv_(csv) {}

  std::vector<ReferenceRow> read() {
    for (const std::string_view line : split_at(csv_, "\n")) {
      ++line_;
      const std::string text(trimmed(line));
      if (text.empty() || text.starts_with('#')) continue;
      const auto parts = split_at(text, ",");
      if (columns_.empty()) head({parts.begin(), parts.end()});
      else run({parts.begin(), parts.end()});
    }
    if (rows_.empty())
      throw UserError(
          "the reference has no runs: it is the file runs.csv that `rankscope train` writes");
    std::vector<ReferenceRow> out;
    for (auto& [ranks, row] : rows_) {
      row.ranks = ranks;
      row.seconds /= row.runs;
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw UserError(fmt::format("line {} of the reference runs: {}", line_, what));
  }

  void head(const std::vector<std::string_view>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) columns_[std::string(trimmed(parts[i]))] = i;
    for (const char* const name : {"ranks", "iterations"})
      if (!columns_.contains(name)) fail(fmt::format("there is no column '{}'", name));
  }

  std::string_view cell(const std::vector<std::string_view>& parts, const char* name) const {
    const auto at = columns_.find(name);
    return at == columns_.end() || at->second >= parts.size() ? "" : trimmed(parts[at->second]);
  }

  double number(std::string_view text, double least, double most) const {
    const auto value = as_number<double>(text);
    if (!value || !(*value >= least && *value <= most))
      fail(fmt::format("'{}' is no number from {} to {}", text, least, most));
    return *value;
  }

  void run(const std::vector<std::string_view>& parts) {
    ReferenceRow& row = rows_[static_cast<int>(number(cell(parts, "ranks"), 1, kMostRowRanks))];
    ++row.runs;
    if (const auto text = cell(parts, "iterations"); !text.empty())
      row.iterations.push_back(number(text, 1, kMostIterations));
    for (const char* const name : {"computing_s", "communicating_s"})
      if (const auto text = cell(parts, name); !text.empty())
        row.seconds += number(text, 0, kMostIterations);
  }

  const std::string_view csv_;
  int line_ = 0;
  std::map<std::string, std::size_t> columns_;
  std::map<int, ReferenceRow> rows_;
};

// ---- Misreadings: tables that count something other than iterations ----

/// Returns whether all given k are in the range that `expected` makes of a world size and its range of iterations.
bool all_are(const SpeedupQuestion& question, const SpeedupAnswer& answer,
             const std::function<Range99(int ranks, const Range99& iterations)>& expected) {
  int seen = 0;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const auto range = question.reference[i].prediction(question.every);
    if (!answer.k[i] || !range) continue;
    ++seen;
    if (!expected(question.worlds[i], *range).holds(*answer.k[i])) return false;
  }
  return seen > 1;
}

/// An epoch is a pass through all pictures, by all workers together or by each; a started epoch may count as a whole one.
bool are_epochs(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  const auto in_epochs = [&](bool together) {
    return all_are(question, answer, [&, together](int ranks, const Range99& range) {
      const double iterations = question.pictures / question.batch / (together ? ranks : 1);
      return Range99{range.least / iterations, std::ceil(range.most / iterations)};
    });
  };
  return in_epochs(true) || in_epochs(false);
}

bool are_pictures(const SpeedupQuestion& question, const SpeedupAnswer& answer, bool of_all) {
  return all_are(question, answer, [&](int ranks, const Range99& range) {
    const double each = question.batch * (of_all ? ranks : 1);
    return Range99{range.least * each, range.most * each};
  });
}

bool are_of_all_workers(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  return all_are(question, answer, [](int ranks, const Range99& range) {
    return Range99{range.least * ranks, range.most * ranks};
  });
}

/// Returns whether some k has a fraction, as only a clock gives, or every k is within a factor of 10 of the reference's
/// seconds, and below a tenth of its iterations.
bool are_seconds(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  const bool broken =
      ranges::any_of(answer.k, [](const auto& k) { return k && *k != std::floor(*k); });
  if (broken) return true;
  constexpr double kOtherMachine = 10;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const ReferenceRow& row = question.reference[i];
    if (!answer.k[i]) continue;
    if (row.seconds <= 0 || *answer.k[i] > row.mean() / kOtherMachine ||
        std::abs(std::log(*answer.k[i] / row.seconds)) > std::log(kOtherMachine))
      return false;
  }
  return true;
}

bool is_divided_by_n(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  for (std::size_t i = 0; i < question.worlds.size(); ++i)
    if (!answer.k[i] || !answer.k.front() ||
        std::abs(*answer.k[i] - *answer.k.front() / question.worlds[i]) > 1 + 0.002 * *answer.k[i])
      return false;
  return true;
}

/// Returns whether all accuracies are multiples of 1 / batch, which those of a large test set are not.
bool is_of_batches(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  constexpr std::size_t kFewest = 6;   // fewer may be multiples by chance
  constexpr double kDigits = 0.00006;  // four behind the point
  std::size_t between = 0;
  for (const auto& look : answer.curve) {
    const double each = question.batch * look.ranks;
    const auto is_multiple = [&](double pictures) {
      return std::abs(look.accuracy - std::round(look.accuracy * pictures) / pictures) <= kDigits;
    };
    if (!is_multiple(question.batch) && !is_multiple(each)) return false;
    if (look.accuracy > 0 && look.accuracy < 1) ++between;
  }
  return between >= kFewest;
}

bool are_all_smaller(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  return all_are(question, answer, [](int, const Range99& range) {
    return Range99{0, range.least};
  });
}

/// Returns the misreading that explains the wrong k or the curve; empty when none is known.
std::string explain_iterations(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  if (answer.k.empty()) return {};
  if (is_of_batches(question, answer))
    return fmt::format(
        "These are accuracies on training batches: all of the curve's are multiples of 1/{:g}, as "
        "counts of a batch's pictures are. k* is by the accuracy on the test set.",
        question.batch);
  if (are_epochs(question, answer))
    return fmt::format(
        "These look like epochs. An iteration is one step with one batch of each worker; an epoch "
        "of {:g} pictures has {:g}/({:g} N) of them.",
        question.pictures, question.pictures, question.batch);
  if (are_seconds(question, answer))
    return "These look like seconds. k*(N) counts iterations, whatever a clock says: the time of a "
           "message is not in it.";
  if (is_divided_by_n(question, answer))
    return "k*(N) is exactly k*(1)/N: that assumes the linear speedup, which you should measure. "
           "Run each world size.";
  if (are_of_all_workers(question, answer))
    return "The steps of all workers are added up. In one iteration all N workers make a step at "
           "the same time: it counts once.";
  if (are_pictures(question, answer, true) || are_pictures(question, answer, false))
    return fmt::format(
        "These look like numbers of pictures: an iteration takes {:g} of each worker.",
        question.batch);
  if (are_all_smaller(question, answer))
    return fmt::format(
        "All are reached sooner than the spread of our runs explains. Is it the accuracy on "
        "training pictures that got to {:g}? k* is by the test set, which no step has seen.",
        question.until);
  return {};
}

// ---- Reading and judging ----

using nlohmann::json;
using Cells = std::vector<std::optional<double>>;

constexpr int kChance = 10;  // classes: an untrained network gets one in ten right

std::optional<double> cell_of(const json& cell) {
  if (blank(cell)) return std::nullopt;
  if (cell.is_string()) {
    const std::string_view text = trimmed(cell.get_ref<const std::string&>());
    if (text == "-" || text == "–" || text == "never") return std::nullopt;
  }
  const double value = answer_number(cell);
  if (!(std::isfinite(value) && value > 0))
    throw UserError(fmt::format(
        "a number larger than 0 is expected, or - where the accuracy was never reached, not {}",
        brief(cell)));
  return value;
}

/// `title`: of a cell.
Cells cells_of(const json& worlds, const json& answer, const char* name, std::string_view title) {
  const auto found = answer.find(name);
  if (found == answer.end() || blank(*found)) return {};
  const json list = found->is_array() ? *found : json::array({*found});
  if (list.size() != worlds.size())
    throw UserError(
        fmt::format("'{}' has {} values, one for each of the {} world sizes is asked for", name,
                    list.size(), worlds.size()));
  Cells out;
  for (std::size_t i = 0; i < list.size(); ++i) try {
      out.push_back(cell_of(list[i]));
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}({}): {}", title, worlds[i].dump(), error.what()));
    }
  return out;
}

/// Lines without a digit before the first row, and lines like them later, are the heads of CSV files.
std::vector<double> numbers_of_text(const std::string& text) {
  std::vector<double> out;
  std::vector<std::string_view> heads;
  for (const std::string_view line : split_at(text, "\n\r")) {
    std::vector<std::string_view> parts = split_at(line, ",; \t|");
    std::erase(parts, "");
    const auto has_digit = [](std::string_view part) {
      return part.find_first_of("0123456789") != std::string_view::npos;
    };
    const auto words = ranges::find_if(parts, has_digit) - parts.begin();
    if (words == std::ssize(parts) ? out.empty() || ranges::find(heads, line) != heads.end()
                                   : out.empty() && words % 3 == 0) {
      heads.push_back(line);
      parts.erase(parts.begin(), parts.begin() + words);
    }
    for (std::string_view part : parts) {
      if (out.size() > 3 * kMostParts) throw UserError("the curve has too many rows");
      const bool percent = part.ends_with('%');
      if (percent) part.remove_suffix(1);
      try {
        out.push_back(answer_number(std::string(part)) / (percent ? 100 : 1));
      } catch (const UserError&) {
        throw UserError(fmt::format("row {} of the curve: '{}' is not a number", out.size() / 3 + 1,
                                    shortened(std::string(part), 40)));
      }
    }
    if (out.size() % 3 != 0)
      throw UserError(fmt::format("row {} of the curve has {} of three: N, iteration, accuracy",
                                  out.size() / 3 + 1, counted(out.size() % 3, "number")));
  }
  if (out.empty()) throw UserError("the curve has no rows of N, iteration, accuracy");
  return out;
}

std::vector<SpeedupAnswer::Look> curve_of(const json& answer) {
  const auto found = answer.find("curve");
  if (found == answer.end() || blank(*found)) return {};
  std::vector<double> numbers;
  if (found->is_string()) {
    numbers = numbers_of_text(found->get_ref<const std::string&>());
  } else if (found->is_array()) {
    for (const json& one : *found) {
      if (!one.is_array() || one.size() != 3)
        throw UserError(
            fmt::format("a row of the curve is [N, iteration, accuracy], not {}", brief(one)));
      for (const json& number : one) numbers.push_back(answer_number(number));
    }
  } else {
    throw UserError("the curve is a text, or a list of rows [N, iteration, accuracy]");
  }
  std::vector<SpeedupAnswer::Look> out;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    out.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return out;
}

/// A part of the answer: its weight and share, and its mistake.
struct JudgedPart {
  double weight = 0, share = 0;
  std::string says = {};
};

JudgedPart judge_iterations(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  JudgedPart out{5};
  if (answer.k.empty()) return {5, 0, "k*(N) is missing."};
  std::vector<std::string> wrong;
  std::size_t right = 0;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const ReferenceRow& row = question.reference[i];
    const std::string name = fmt::format("k*({})", question.worlds[i]);
    const auto range = row.prediction(question.every);
    if (!answer.k[i]) {
      if (std::ssize(row.iterations) < row.runs) ++right;
      else
        wrong.push_back(
            fmt::format("{} is missing: all of our runs reached {:g}", name, question.until));
    } else if (!range) {
      wrong.push_back(fmt::format("{}: our runs did not reach {:g}", name, question.until));
    } else if (range->holds(*answer.k[i])) {
      ++right;
    } else {
      const bool low = *answer.k[i] < range->least;
      wrong.push_back(fmt::format("{} is {} than the spread of our {} runs explains", name,
                                  low ? "smaller" : "larger", row.iterations.size()));
    }
  }
  out.share = share_of(right, question.worlds.size());
  if (wrong.empty()) return out;
  out.says = explain_iterations(question, answer);
  if (out.says.empty()) out.says = fmt::format("{}.", fmt::join(wrong, "; "));
  return out;
}

JudgedPart judge_speedups(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  JudgedPart out{2};
  if (answer.speedup.empty() || answer.k.empty()) return {2, 0, "The speedups are missing."};
  std::size_t right = 0;
  bool inverted = true, linear = true;
  std::vector<int> wrong;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const auto &one = answer.k.front(), &k = answer.k[i], &have = answer.speedup[i];
    constexpr double kRounding = 0.01, kDigits = 0.0051;  // two digits behind the point
    if (!one || !k) {
      have ? wrong.push_back(question.worlds[i]) : void(++right);
      continue;
    }
    if (have && close(*have, *one / *k, kRounding, kDigits)) {
      ++right;
      continue;
    }
    wrong.push_back(question.worlds[i]);
    inverted = inverted && have && close(*have, *k / *one, kRounding, kDigits);
    linear = linear && have && close(*have, question.worlds[i], kRounding);
  }
  out.share = share_of(right, question.worlds.size());
  if (wrong.empty()) return out;
  if (inverted) out.says = "The speedup is upside down: it is k*(1)/k*(N), not k*(N)/k*(1).";
  else if (linear)
    out.says =
        "N is the speedup that one would wish for. The measured one is k*(1)/k*(N), with your k*.";
  else
    out.says = fmt::format("The speedup for N = {} is not k*(1)/k*(N) with your own k*.",
                           fmt::join(wrong, ", "));
  return out;
}

/// The complaint about the curve of one world size; empty when it fits.
std::string curve_fault(const SpeedupQuestion& question, const SpeedupAnswer& answer,
                        std::size_t i) {
  std::vector<SpeedupAnswer::Look> looks;
  for (const auto& look : answer.curve)
    if (look.ranks == question.worlds[i]) looks.push_back(look);
  const std::string name = fmt::format("N = {}", question.worlds[i]);
  constexpr std::size_t kFewest = 2;
  if (looks.size() < kFewest)
    return fmt::format("{} has {}", name, looks.empty() ? "no curve" : "a single point");
  if (std::ranges::adjacent_find(looks, std::ranges::greater_equal{},
                                 &SpeedupAnswer::Look::iteration) != looks.end())
    return fmt::format("the iterations of {} do not ascend", name);
  if (ranges::any_of(looks,
                     [](const auto& look) { return !(look.accuracy >= 0 && look.accuracy <= 1); }))
    return fmt::format("an accuracy of {} is not from 0 to 1", name);
  const auto reached = ranges::find_if(
      looks, [&](const auto& look) { return look.accuracy >= question.until - 1e-12; });
  const double k = answer.k.empty() ? 0 : answer.k[i].value_or(0);  // 0: none was given
  if (reached == looks.end())
    return k > 0 ? fmt::format("the curve of {} never reaches {:g}, and k* is {:g}", name,
                               question.until, k)
                 : "";
  if (std::abs(reached->iteration - k) > 0.5)
    return fmt::format("the curve of {} first reaches {:g} at iteration {:g}, and k* is {}", name,
                       question.until, reached->iteration,
                       k > 0 ? fmt::format("{:g}", k) : "missing");
  return {};
}

JudgedPart judge_curve(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  JudgedPart out{2};
  if (answer.curve.empty())
    return {2, 0, "The plot's data are missing: rows of N, iteration, accuracy."};
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < question.worlds.size(); ++i)
    if (auto fault = curve_fault(question, answer, i); !fault.empty())
      wrong.push_back(std::move(fault));
  out.share = share_of(question.worlds.size() - wrong.size(), question.worlds.size());
  if (!wrong.empty()) out.says = fmt::format("The plot's data: {}.", fmt::join(wrong, "; "));
  return out;
}

bool is_linear(const SpeedupQuestion& question) {
  const auto speedup = reference_speedup(question.reference.front(), question.reference.back());
  return speedup && speedup->mean + speedup->off >= question.worlds.back();
}

JudgedPart judge_linear(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  if (answer.linear.empty()) return {1, 0, "Is the speedup linear? That is missing."};
  const bool linear = is_linear(question);
  if ((answer.linear == "yes") == linear) return {1, 1};
  return {
      1, 0,
      linear
          ? "The speedup is linear within the spread of the runs."
          : fmt::format(
                "It is not linear: {} workers would have to need a {}th of the iterations of one.",
                question.worlds.back(), question.worlds.back())};
}

}  // namespace

double ReferenceRow::mean() const noexcept {
  double sum = 0;
  for (const double value : iterations) sum += value;
  return iterations.empty() ? 0 : sum / static_cast<double>(iterations.size());
}

std::optional<Range99> ReferenceRow::prediction(double every) const {
  if (iterations.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(iterations.size());
  const Logarithms logs = logarithms_of(iterations);
  const double half = student_t(iterations.size() - 1) * logs.deviation * std::sqrt(1 + 1 / n);
  return Range99{std::exp(logs.mean - half) - every, std::exp(logs.mean + half) + every};
}

std::vector<ReferenceRow> read_reference_runs(std::string_view csv) {
  return CsvReader(csv).read();
}

std::optional<ReferenceSpeedup> reference_speedup(const ReferenceRow& one,
                                                  const ReferenceRow& row) {
  if (one.iterations.size() < 2 || row.iterations.size() < 2) return std::nullopt;
  const Logarithms a = logarithms_of(one.iterations), b = logarithms_of(row.iterations);
  const auto n = static_cast<double>(one.iterations.size()),
             m = static_cast<double>(row.iterations.size());
  const double error = std::sqrt(a.deviation * a.deviation / n + b.deviation * b.deviation / m);
  const double mean = std::exp(a.mean - b.mean);
  const std::size_t freedom = std::min(one.iterations.size(), row.iterations.size()) - 1;
  return ReferenceSpeedup{mean, mean * std::expm1(student_t(freedom) * error)};
}

SpeedupQuestion speedup_question(const json& data) {
  SpeedupQuestion out;
  out.until = data.at("until").get<double>();
  out.every = data.value("every", 1.0);
  out.batch = data.at("batch").get<double>();
  out.pictures = data.at("pictures").get<double>();
  out.asks_curve = data.value("curve", false);
  out.asks_linear = data.value("linear", false);
  const auto rows = read_reference_runs(data.at("reference").get_ref<const std::string&>());
  for (const json& ranks : data.at("worlds")) {
    out.worlds.push_back(ranks.get<int>());
    const auto row = ranges::find(rows, out.worlds.back(), &ReferenceRow::ranks);
    constexpr int kFewest = 3;
    if (row == rows.end() || row->runs < kFewest)
      throw UserError(
          fmt::format("the reference has fewer than {} runs for N = {}: `rankscope train lenet "
                      "--seeds 5` makes more",
                      kFewest, out.worlds.back()));
    out.reference.push_back(*row);
  }
  return out;
}

SpeedupAnswer speedup_answer(const json& data, const json& answer) {
  if (!answer.is_object())
    throw UserError(fmt::format("k*(N) and the speedups are expected, not {}", brief(answer)));
  for (const auto& [name, part] : answer.items())
    if (name != "k" && name != "speedup" && name != "linear" && name != "curve")
      throw UserError(fmt::format("there is no part '{}': they are k, speedup, linear and curve",
                                  shortened(name, 40)));
  const json& worlds = data.at("worlds");
  SpeedupAnswer out{.k = cells_of(worlds, answer, "k", "k*"),
                    .speedup = cells_of(worlds, answer, "speedup", "k*(1)/k*")};
  if (const json* linear = filled_in(answer, "linear")) {
    out.linear = ascii_lower(trimmed(answer_text(*linear)));
    if (out.linear != "yes" && out.linear != "no")
      throw UserError(fmt::format("'linear' is yes or no, not {}", brief(*linear)));
  }
  out.curve = curve_of(answer);
  return out;
}

json reference_answer(const SpeedupQuestion& question) {
  json out{{"k", json::array()}, {"speedup", json::array()}};
  std::vector<std::string> curve;
  const double one = std::round(question.reference.front().mean());
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const double k = std::round(question.reference[i].mean());
    const bool reached = question.reference[i].prediction(question.every).has_value();
    out["k"].push_back(reached ? json(k) : json("-"));
    out["speedup"].push_back(reached && one > 0 ? json(std::round(100 * one / k) / 100)
                                                : json("-"));
    curve.push_back(fmt::format("{} 0 {:g}", question.worlds[i], 1.0 / kChance));
    curve.push_back(fmt::format("{} {:g} {:g}", question.worlds[i], reached ? k : 1,
                                reached ? question.until : 1.0 / kChance));
  }
  if (question.asks_curve) out["curve"] = fmt::format("{}", fmt::join(curve, ", "));
  if (question.asks_linear) out["linear"] = is_linear(question) ? "yes" : "no";
  return out;
}

Judgement judge_speedup(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  std::vector<JudgedPart> parts{judge_iterations(question, answer),
                                judge_speedups(question, answer)};
  if (question.asks_curve) parts.push_back(judge_curve(question, answer));
  if (question.asks_linear) parts.push_back(judge_linear(question, answer));
  double have = 0, most = 0;
  std::vector<std::string> says;
  for (const JudgedPart& part : parts) {
    have += part.weight * part.share;
    most += part.weight;
    if (!part.says.empty()) says.push_back(part.says);
  }
  return {have == most ? 1 : have / most, fmt::format("{}", fmt::join(says, " "))};
}

}  // namespace rankscope
