// Writes the table of k*(N) as text, CSV, Markdown, LaTeX and JSON.
#include "cli/train/train_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/table.h"
#include "engine/core/base/json_text.h"

namespace rankscope::cli {
namespace {

using training::FinishedRun;
using training::SpeedupRow;
using training::Spread;

// "1260 ± 85 (1180 to 1390)"; a single value alone; nothing: a dash.
std::string text_of(const Spread& spread, int digits, std::string_view plus_minus) {
  if (spread.count == 0) return "-";
  if (spread.count == 1) return fmt::format("{:.{}f}", spread.mean, digits);
  return fmt::format("{:.{}f} {} {:.{}f} ({:.{}f} to {:.{}f})", spread.mean, digits, plus_minus,
                     spread.deviation, digits, spread.least, digits, spread.most, digits);
}

std::vector<std::string> cells_of(const SpeedupRow& row, std::string_view plus_minus) {
  const double total = row.computing_s + row.communicating_s;
  const auto seconds = [&](double value) {
    return row.reached == 0 ? "-" : fmt::format("{:.1f} s", value);
  };
  return {fmt::format("{}", row.ranks),
          text_of(row.iterations, 0, plus_minus),
          fmt::format("{} of {}", row.reached, row.runs),
          text_of(row.speedup, 2, plus_minus),
          seconds(row.computing_s),
          seconds(row.communicating_s),
          row.reached == 0 || total == 0
              ? "-"
              : fmt::format("{:.0f} %", 100 * row.communicating_s / total),
          seconds(row.testing_s)};
}

nlohmann::json json_of(const Spread& spread) {
  if (spread.count == 0) return nullptr;
  return {{"count", spread.count},
          {"mean", spread.mean},
          {"deviation", spread.deviation},
          {"least", spread.least},
          {"most", spread.most}};
}

double best_of(const FinishedRun& run) {
  double best = 0;
  for (const auto& one : run.log) best = std::max(best, one.accuracy());
  return best;
}

}  // namespace

std::string speedup_text(std::span<const SpeedupRow> rows, const Style& style) {
  Table table({{"N"},
               {"k*(N)"},
               {"reached by"},
               {"k*(1)/k*(N)"},
               {"computing"},
               {"communicating"},
               {"share"},
               {"testing"}});
  for (const SpeedupRow& row : rows) table.add_row(cells_of(row, style.utf8() ? "±" : "+-"));
  return table.to_string(style);
}

std::string runs_csv(std::span<const FinishedRun> runs, double accuracy) {
  std::string out = "ranks,seed,iterations,best_accuracy,computing_s,communicating_s,testing_s\n";
  for (const FinishedRun& run : runs) {
    const auto needed = training::iterations_to(run.log, accuracy);
    const training::TrainingMoment last =
        run.log.empty() ? training::TrainingMoment{} : run.log.back();
    out += fmt::format("{},{},{},{:.4f},{:.3f},{:.3f},{:.3f}\n", run.ranks, run.seed,
                       needed ? fmt::format("{}", *needed) : "", best_of(run), last.computing_s,
                       last.communicating_s, last.testing_s);
  }
  return out;
}

std::string speedup_markdown(std::span<const SpeedupRow> rows) {
  std::string out =
      "| N | k*(N) | reached by | k*(1)/k*(N) | computing | communicating | share | testing |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const SpeedupRow& row : rows)
    out += fmt::format("| {} |\n", fmt::join(cells_of(row, "±"), " | "));
  return out;
}

std::string speedup_latex(std::span<const SpeedupRow> rows) {
  std::string out =
      "\\begin{tabular}{rrrrrrrr}\n\\hline\n$N$ & $k^*(N)$ & reached by & $k^*(1)/k^*(N)$ & "
      "computing & "
      "communicating & share & testing \\\\\n\\hline\n";
  for (const SpeedupRow& row : rows) {
    auto cells = cells_of(row, "$\\pm$");
    for (std::string& cell : cells)
      if (cell.ends_with('%')) cell.replace(cell.size() - 1, 1, "\\%");
    out += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  return out + "\\hline\n\\end{tabular}\n";
}

std::string speedup_json(std::span<const SpeedupRow> rows, std::span<const FinishedRun> runs,
                         double accuracy) {
  nlohmann::json out{{"accuracy", accuracy},
                     {"table", nlohmann::json::array()},
                     {"runs", nlohmann::json::array()}};
  for (const SpeedupRow& row : rows)
    out["table"].push_back({{"ranks", row.ranks},
                            {"runs", row.runs},
                            {"reached", row.reached},
                            {"iterations", json_of(row.iterations)},
                            {"speedup", json_of(row.speedup)},
                            {"computing_s", row.computing_s},
                            {"communicating_s", row.communicating_s},
                            {"testing_s", row.testing_s}});
  for (const FinishedRun& run : runs) {
    const auto needed = training::iterations_to(run.log, accuracy);
    out["runs"].push_back(
        {{"ranks", run.ranks},
         {"seed", run.seed},
         {"iterations", needed ? nlohmann::json(*needed) : nlohmann::json(nullptr)},
         {"best_accuracy", best_of(run)}});
  }
  return dump_json(out, 2) + "\n";
}

}  // namespace rankscope::cli
