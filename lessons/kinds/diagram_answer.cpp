// Parses and prints the arrows of a diagram answer.
#include "lessons/kinds/diagram_answer.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/answer_scanner.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::string_view kExampleArrow = "1: 0 -> 1 (0>1), or copy 0";
constexpr int kMostSlot = 1000;
// Ranks that do not exist are mistakes to report, not errors.
constexpr int kMostRank = 999;

// "0>1", "(0→1)", "0,1".
void scan_label(AnswerScanner& in, DiagramArrow& arrow) {
  const bool bracket = in.take("(");
  in.take("chunk");
  arrow.source = in.number("the chunk's source", 0, kMostRank);
  if (!in.take_arrow() && !in.take(",")) in.fail("'>' is missing between source and destination");
  arrow.destination = in.number("the chunk's destination", 0, kMostRank);
  if (bracket && !in.take(")")) in.fail("')' is missing");
}

DiagramArrow local_copy(Rank rank) { return {true, 0, rank, rank, rank, rank}; }

DiagramArrow scan_arrow(std::string_view text) {
  AnswerScanner in(text, kExampleArrow);
  DiagramArrow out;
  if (in.take("copy")) {
    in.take("rank");
    out = local_copy(in.number("the rank", 0, kMostRank));
    // "copy 0 (0>0)" says the same.
    DiagramArrow label;
    if (!in.at_end()) scan_label(in, label);
  } else {
    out.slot = in.number("the time slot", 1, kMostSlot);
    if (!in.take(":")) in.fail("':' is missing after the time slot");
    out.from = in.number("the sending rank", 0, kMostRank);
    if (!in.take_arrow()) in.fail("'->' is missing");
    out.to = in.number("the receiving rank", 0, kMostRank);
    if (!in.at_end()) scan_label(in, out);
  }
  if (!in.at_end()) in.fail("there is something after it");
  return out;
}

DiagramArrow arrow_of(const json& row) {
  if (row.is_string()) return scan_arrow(row.get_ref<const std::string&>());
  if (!row.is_object())
    throw UserError(fmt::format("{} is no arrow; write it like {}", brief(row), kExampleArrow));
  if (const json* copy = filled_in(row, "copy"); copy != nullptr && !copy->is_boolean())
    return local_copy(answer_whole(*copy, "the rank that copies", 0, kMostRank));
  for (const char* key : {"slot", "from"})
    if (filled_in(row, key) == nullptr)
      throw UserError(fmt::format("an arrow lacks its '{}'; write it like {}", key, kExampleArrow));
  const Rank from = answer_whole(row["from"], "the sending rank", 0, kMostRank);
  if (row["slot"] == "copy" || row.value("copy", json()) == true) return local_copy(from);
  if (filled_in(row, "to") == nullptr) throw UserError("an arrow lacks its 'to'");
  DiagramArrow out;
  out.slot = answer_whole(row["slot"], "the time slot", 1, kMostSlot);
  out.from = from;
  out.to = answer_whole(row["to"], "the receiving rank", 0, kMostRank);
  const json* chunk = filled_in(row, "chunk");
  if (chunk == nullptr) return out;
  const std::string label = answer_text(*chunk);
  AnswerScanner in(label, "0>1");
  scan_label(in, out);
  if (!in.at_end()) in.fail("there is something after the chunk");
  return out;
}

}  // namespace

std::vector<DiagramArrow> parse_arrows(std::string_view text) {
  std::vector<DiagramArrow> out;
  for (const std::string_view part : split_at(text, ";\n")) {
    if (trimmed(part).empty()) continue;
    if (out.size() >= kMostArrows)
      throw UserError(fmt::format("a diagram has at most {} arrows here", kMostArrows));
    out.push_back(scan_arrow(part));
  }
  return out;
}

std::vector<DiagramArrow> arrows_of(const json& answer) {
  if (answer.is_string()) return parse_arrows(answer.get_ref<const std::string&>());
  if (!answer.is_array())
    throw UserError(
        fmt::format("arrows are expected, such as {}, not {}", kExampleArrow, brief(answer)));
  std::vector<DiagramArrow> out;
  for (const json& row : answer) {
    if (blank(row)) continue;  // an empty row of the form
    if (out.size() >= kMostArrows)
      throw UserError(fmt::format("a diagram has at most {} arrows here", kMostArrows));
    out.push_back(arrow_of(row));
  }
  return out;
}

std::string to_text(const DiagramArrow& arrow) {
  if (arrow.copy) return fmt::format("copy {}", arrow.from);
  const std::string where = fmt::format("{}: {} -> {}", arrow.slot, arrow.from, arrow.to);
  return arrow.source < 0 ? where
                          : fmt::format("{} ({}>{})", where, arrow.source, arrow.destination);
}

json row_of(const DiagramArrow& arrow) {
  if (arrow.copy) return {{"copy", arrow.from}};
  json out = {{"slot", arrow.slot}, {"from", arrow.from}, {"to", arrow.to}};
  if (arrow.source >= 0) out["chunk"] = fmt::format("{}>{}", arrow.source, arrow.destination);
  return out;
}

}  // namespace rankscope
