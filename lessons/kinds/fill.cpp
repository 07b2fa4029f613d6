// The buffers of all ranks at a moment of a run:
//   run = "ring"              one of the lesson's runs
//   after = 2                 the number of rounds that are done; by default all
//   buffer = "data"           which buffer; a rank that has none has an empty row
//   show = "values"           the elements, or "contributions": for each chunk the ranks whose data is in it
//   partial = true            a share for each right cell; otherwise all or nothing
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/foreign_text.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kMostCells = 2048;
constexpr int kMostTimes = 1000;

bool by_contributions(const Question& question) {
  return question.data.value("show", "values") == "contributions";
}

bool has_buffer(const RunRecord& run, Rank rank, const std::string& name) {
  return ranges::any_of(
      run.trace().definitions(Definition::Kind::buffer),
      [&](const Definition& one) { return one.id != 0 && one.rank == rank && one.name == name; });
}

// The ranks in a cell, repeated if counted twice: "0 1", "0+1", "{0, 1}", "0-3", 2, [0, 1], "none".
std::vector<int> ranks_of(const json& cell, int ranks) {
  std::vector<int> out;
  if (cell.is_array()) {
    if (cell.size() > kMostCells) throw UserError("a cell has too many ranks");
    for (const json& one : cell) out.push_back(answer_whole(one, "a rank", 0, ranks - 1));
    ranges::sort(out);
    return out;
  }
  if (blank(cell)) return out;
  const std::string text = answer_text(cell);
  if (text.size() > kMostCells) throw UserError("a cell has too many ranks");
  for (const std::string_view word : split_at(text, " {}()[],+\t\r\n")) {
    if (word.empty() || word == "none") continue;
    if (word == "all") {
      for (Rank r = 0; r < ranks; ++r) out.push_back(r);
      continue;
    }
    const auto dash = word.find('-', 1);
    const int first = answer_whole(json(word.substr(0, dash)), "a rank", 0, ranks - 1);
    const int last = dash == std::string_view::npos
                         ? first
                         : answer_whole(json(word.substr(dash + 1)), "a rank", first, ranks - 1);
    for (Rank r = first; r <= last; ++r) out.push_back(r);
  }
  ranges::sort(out);
  return out;
}

std::string ranks_text(const std::vector<int>& times) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < times.size(); ++r)
    out.insert(out.end(), static_cast<std::size_t>(std::clamp(times[r], 0, kMostTimes)), r);
  return fmt::format("{}", fmt::join(out, " "));
}

constexpr KindKey kFillKeys[] = {
    {.name = "run", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "after", .students = true},
    {.name = "buffer", .is = KindKey::Is::text, .students = true},
    {.name = "show", .is = KindKey::Is::text, .students = true},
    {.name = "partial", .is = KindKey::Is::flag},
    {.name = "tolerance", .is = KindKey::Is::number},
};
constexpr KindRow kFillRow{
    .name = "fill",
    .title = "the buffers after a step",
    .answer = R"(a list of rows, a row a list of cells (of contributions: "0 1" or [0, 1]))",
    .keys = kFillKeys,
    .lines = 3,
    .seen_in_run = true,
    .said_in_text = true};

class FillKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kFillRow; }

  void check_further(TomlNode& question) const override {
    const std::string show = question.text("show", "values");
    if (show != "values" && show != "contributions")
      question.at("show").complain(R"('show' is "values" or "contributions")");
    if (question.number("tolerance", 0) < 0)
      question.at("tolerance").complain("must not be negative");
  }

  // [[1, 2], [3, 4]] by rank; null: not known. Contributions: [["0 1", ""], …] by rank and chunk.
  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    const RunRecord& run = runs.run(question.data.at("run").get<std::string>(), variant.values);
    const std::string buffer = question.data.value("buffer", "data");
    const int after = after_of(question, variant, runs, run.rounds().count);
    json out = json::array();
    std::size_t cells = 0;
    for (Rank rank = 0; rank < run.job.world.size; ++rank) {
      json row = json::array();
      if (has_buffer(run, rank, buffer)) row = row_of(question, run, rank, buffer, after);
      cells += row.size();
      if (cells > kMostCells)
        throw UserError(fmt::format("these are more than {} cells to fill in", kMostCells));
      out.push_back(std::move(row));
    }
    if (cells == 0) throw UserError(fmt::format("no rank has a buffer '{}' with elements", buffer));
    return out;
  }

  AnswerForm form(const Question& question, const Variant& variant,
                  LessonRuns& runs) const override {
    const bool contributions = by_contributions(question);
    AnswerForm form;
    form.how = contributions
                   ? "rank by rank and chunk by chunk, which ranks' data is in it: chunks with "
                     "commas between them, ranks with semicolons"
                   : "rank by rank the values, with commas between them; semicolons between ranks";
    form.example = contributions ? "0 1, 1; 0, 0 1" : "1, 2; 3, 4";
    if (contributions && question.data.value("buffer", "data") == "data")
      form.picture = {AnswerPicture::Is::contributions, question.data.at("run").get<std::string>(),
                      after_of(question, variant, runs)};
    const json cells = find_key(question, variant, runs);
    for (std::size_t r = 0; r < cells.size(); ++r)
      for (std::size_t i = 0; i < cells[r].size(); ++i)
        form.fields.push_back(
            {fmt::format("/{}/{}", r, i),
             fmt::format("rank {}, {} {}", r, contributions ? "chunk" : "element", i),
             contributions ? AnswerField::Type::text : AnswerField::Type::number});
    return form;
  }

  Judgement judge(const Question& question, const Variant&, const json& key, const json& answer,
                  LessonRuns&) const override {
    const json right = grid(question, key);
    json given = grid(question, answer);
    while (given.size() > right.size() && blank(given.back())) given.erase(given.size() - 1);
    if (given.size() != right.size())
      throw UserError(fmt::format("a row for each of {} is expected, not {}",
                                  counted(right.size(), "rank"), given.size()));
    std::size_t fits = 0, all = 0;
    std::string first;
    std::vector<std::size_t> whole;  // ranks with all cells right
    for (std::size_t r = 0; r < right.size(); ++r) {
      const json &row = given[r], &wanted = right[r];
      if (row.size() > wanted.size())
        throw UserError(
            fmt::format("rank {} has {}, not {}", r, counted(wanted.size(), "cell"), row.size()));
      const std::size_t before = all - fits;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].is_null()) continue;  // not known
        ++all;
        const std::string wrong = compare(question, right, r, i, i < row.size() ? row[i] : json());
        if (wrong.empty()) ++fits;
        else if (first.empty()) first = wrong;
      }
      if (all - fits == before) whole.push_back(r);
    }
    if (fits == all) return {1, ""};
    if (all - fits > 1) first += fmt::format(" {} cells are wrong in all.", all - fits);
    if (!whole.empty())
      first += fmt::format(" Right so far: rank{} {}.", whole.size() == 1 ? "" : "s",
                           first_few(whole, kMostNamed));
    const bool partial = question.data.value("partial", false);
    return {partial ? share_of(fits, all) : 0.0, first};
  }

  void require_form(const Question& question, const Variant&, const json& answer) const override {
    const json rows = grid(question, answer);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t i = 0; i < rows[r].size(); ++i) try {
          if (by_contributions(question)) ranks_of(rows[r][i], static_cast<int>(rows.size()));
          else if (!blank(rows[r][i])) answer_number(rows[r][i]);
        } catch (const UserError& error) {
          throw UserError(fmt::format("rank {}, {} {}: {}", r,
                                      by_contributions(question) ? "chunk" : "element", i,
                                      error.what()));
        }
  }

  // "1, 2; 3, 4", "[[1, 2], [3, 4]]", or a line for each rank; "rank 0:" in front is understood.
  json parse(const Question& question, const Variant&, std::string_view typed) const override {
    return grid(question, std::string(typed));
  }

  std::string show(const Question& question, const json& answer) const override {
    return joined(grid(question, answer), "; ",
                  [](const json& row) { return joined(row, ", ", cell_text); });
  }

 private:
  static json row_of(const Question& question, const RunRecord& run, Rank rank,
                     const std::string& buffer, int after) {
    json row = json::array();
    if (by_contributions(question)) {
      for (const auto& times : run.contributions(rank, buffer, after))
        row.push_back(ranks_text(times));
      return row;
    }
    const std::vector<double> values = run.values(rank, buffer, after);
    if (values.size() > kMostCells)
      throw UserError(fmt::format("these are more than {} cells to fill in", kMostCells));
    for (const double value : values) row.push_back(value == value ? json(value) : json());
    return row;
  }

  // The number of rounds that are done; -1 for all.
  static int after_of(const Question& question, const Variant& variant, LessonRuns& runs,
                      int most = 1 << 30) {
    if (!question.data.contains("after")) return -1;
    return answer_whole(expand(question.data["after"], variant.values, &runs), "'after'", 0, most);
  }

  // The complaint about a cell; empty for a right one.
  static std::string compare(const Question& question, const json& key, std::size_t rank,
                             std::size_t place, const json& given) {
    if (!by_contributions(question)) {
      const double tolerance = question.data.value("tolerance", 1e-6);
      if (!blank(given) && close(answer_number(given), answer_number(key[rank][place]), tolerance))
        return "";
      return key[rank].size() == 1 ? fmt::format("Rank {} is not right.", rank)
                                   : fmt::format("Rank {}, element {} is not right.", rank, place);
    }
    const int ranks = static_cast<int>(key.size());
    const auto right = ranks_of(key[rank][place], ranks), has = ranks_of(given, ranks);
    if (right == has) return "";
    const std::string at = fmt::format("Rank {}, chunk {} is not right: ", rank, place);
    for (Rank r = 0; r < ranks; ++r) {
      const auto want = ranges::count(right, r), got = ranges::count(has, r);
      if (want == got) continue;
      if (got == 0) return at + fmt::format("rank {}'s data is in it.", r);
      if (want == 0) return at + fmt::format("rank {}'s data is not in it.", r);
      return at + fmt::format("rank {}'s data is in it {}.", r,
                              want == 1 ? "once" : fmt::format("{} times", want));
    }
    return "";
  }

  static std::string cell_text(const json& cell) {
    if (cell.is_null()) return "";
    return cell.is_array() ? joined(cell, " ", answer_text) : answer_text(cell);
  }

  static json bracketed(const std::string& text) {
    try {
      return parse_shallow_json(text);
    } catch (const json::exception&) {
      throw UserError("the brackets do not match");
    }
  }

  // The answer as rows of cells, from any accepted form.
  static json grid(const Question& question, const json& answer) {
    json rows = answer;
    if (answer.is_string()) {
      const std::string text(trimmed(answer.get<std::string>()));
      rows = text.starts_with("[[") ? bracketed(text) : json::array();
      if (rows.empty())
        for (const std::string_view line : split_at(text, ";\n")) rows.push_back(line);
    }
    if (!rows.is_array() || rows.size() > kMostParts)
      throw UserError("a row of cells for each rank is expected");
    for (json& row : rows) row = cells_of(question, row);
    return rows;
  }

  static json cells_of(const Question& question, const json& row) {
    if (row.is_array()) return row;
    json out = json::array();
    if (row.is_null()) return out;
    std::string text(trimmed(answer_text(row)));
    if (text.starts_with("rank"))
      if (const auto colon = text.find(':'); colon != std::string::npos) text.erase(0, colon + 1);
    text = trimmed(text);
    if (text.starts_with("[") && text.ends_with("]"))
      text = trimmed(text.substr(1, text.size() - 2));
    if (text.empty()) return out;
    // Blanks may separate values; those between ranks belong to a cell.
    const bool commas = by_contributions(question) || text.find(',') != std::string::npos;
    for (const std::string_view cell : split_at(text, commas ? "," : " \t"))
      if (commas || !cell.empty()) out.emplace_back(trimmed(cell));
    if (out.size() > kMostParts) throw UserError("a row has too many cells");
    return out;
  }
};

}  // namespace

const QuestionKind& fill_kind() { return only_kind<FillKind>(); }

}  // namespace rankscope
