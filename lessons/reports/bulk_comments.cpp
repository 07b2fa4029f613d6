// Adds comments for several students to the reports of those whom they are for.
#include "lessons/reports/bulk_comments.h"

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

void put_before(const std::string& comment, std::string& own) {
  own = own.empty() ? comment : comment + "\n" + own;
}

bool made_mistake(const ItemReport& item, const std::string& mistake) {
  if (item.entry->question != nullptr) return item.verdict.misconception == mistake;
  return ascii_lower(item.verdict.says).find(ascii_lower(mistake)) != std::string::npos;
}

/// Returns whether the comment applies. An item without points (ungraded, or waiting for a mark) is neither right nor
/// wrong.
bool is_for(const BulkComment& comment, const ItemReport& item) {
  if (item.later() || item.entry->item->key() != comment.key) return false;
  if (!comment.mistake.empty() && !made_mistake(item, comment.mistake)) return false;
  return !comment.not_right || (item.points && *item.points < item.most);
}

std::string shown(const BulkComment& comment) {
  if (!comment.mistake.empty())
    return fmt::format("{}, for the mistake '{}'", comment.key, comment.mistake);
  return comment.key + (comment.not_right ? ", for those who do not have all points" : "");
}

bool has_comment(const GradebookRow& row, const BulkComment& comment,
                 const std::vector<CourseEntry>& entries) {
  if (comment.key.empty()) return true;
  for (std::size_t i = 0; i < row.cells.size() && i < entries.size(); ++i)
    if (entries[i].lesson != nullptr && entries[i].item->key() == comment.key &&
        row.cells[i].comment.find(comment.comment) != std::string::npos)
      return true;
  return false;
}

}  // namespace

void add_bulk_comments(const std::vector<BulkComment>& comments, StudentReport& report) {
  // Backwards, because each comment is put before those that are there.
  for (auto one = comments.rbegin(); one != comments.rend(); ++one) {
    if (one->key.empty()) put_before(one->comment, report.comment);
    else
      for (ItemReport& item : report.items)
        if (is_for(*one, item)) put_before(one->comment, item.comment);
  }
}

std::vector<std::string> unused_bulk_comments(const Marks& marks,
                                              const std::vector<GradebookRow>& rows,
                                              const std::vector<CourseEntry>& entries) {
  std::vector<std::string> out;
  for (const BulkComment& comment : marks.bulk())
    if (ranges::none_of(
            rows, [&](const GradebookRow& row) { return has_comment(row, comment, entries); }))
      out.push_back(fmt::format("{}:{}: nobody gets the comment on {}", marks.name(), comment.line,
                                shown(comment)));
  return out;
}

std::string comments_text(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  std::string out = row.comment;
  for (std::size_t i = 0; i < row.cells.size() && i < entries.size(); ++i) {
    if (row.cells[i].comment.empty()) continue;
    if (!out.empty()) out += "\n";
    out +=
        fmt::format("{} {}: {}", entries[i].number, entries[i].item->key(), row.cells[i].comment);
  }
  return out;
}

}  // namespace rankscope
