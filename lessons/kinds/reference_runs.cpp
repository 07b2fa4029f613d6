// Reads runs.csv, and computes what a further run may need.
#include "lessons/kinds/reference_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
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

}  // namespace rankscope
