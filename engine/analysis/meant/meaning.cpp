// Reads the argument of --as, and gives it in words.
#include "engine/analysis/meant/meaning.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope::meant {
namespace {

bool moves_data(const CollectiveTraits& row) {
  return row.in != Extent::nothing && row.collective != Collective::p2p &&
         row.collective != Collective::p2p_message && row.collective != Collective::p2p_shift;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const CollectiveTraits& row : collectives())
    if (moves_data(row)) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const ReduceOp op : kAllReduceOps) names.push_back(operator_name(op));
  return names;
}

Collective collective_in(const std::string& whole, std::string_view word,
                         std::string_view asked_by) {
  const std::string name = letters(word) == "bcast" ? "broadcast" : letters(word);
  for (const CollectiveTraits& row : collectives())
    if (moves_data(row) && letters(row.name) == name) return row.collective;
  if (const auto* row = find_collective(name); row != nullptr && row->in == Extent::nothing)
    throw UserError(fmt::format("{1} {0}: a {0} moves no data, so there is no result to compare",
                                row->name, asked_by));
  throw UserError(fmt::format("{} {}: there is no collective '{}'{}; it is one of {}", asked_by,
                              whole, word, nearest_hint(word, collective_names()),
                              fmt::join(collective_names(), ", ")));
}

std::optional<ReduceOp> operator_in(std::string_view word) {
  const std::string name = letters(word);
  if (name == "mean" || name == "average") return ReduceOp::avg;
  if (name == "prod") return ReduceOp::product;
  for (const ReduceOp op : kAllReduceOps)
    if (letters(to_string(op)) == name || letters(operator_name(op)) == name) return op;
  return std::nullopt;
}

}  // namespace

std::string operator_name(ReduceOp op) {
  if (op == ReduceOp::avg) return "mean";
  return letters(to_string(op));
}

std::string operator_noun(ReduceOp op) {
  return op == ReduceOp::max ? "maximum" : op == ReduceOp::min ? "minimum" : operator_name(op);
}

std::string Meaning::words() const {
  std::string text(to_string(collective));
  if (reduces(collective)) text += fmt::format(" ({})", operator_name(op));
  if (root && has_root(collective)) {
    const bool from = collective == Collective::broadcast || collective == Collective::scatter;
    text += fmt::format(" {} rank {}", from ? "from" : "to", *root);
  }
  return text;
}

Meaning parse_meaning(const std::string& text, std::string_view asked_by) {
  const auto words = split_at(text, ":");
  Meaning out;
  out.collective = collective_in(text, words.front(), asked_by);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const auto root = as_number<Rank>(words[i]); root && *root >= 0) {
      if (!has_root(out.collective))
        throw UserError(
            fmt::format("{} {}: {} has no root", asked_by, text, to_string(out.collective)));
      out.root = *root;
    } else if (!reduces(out.collective)) {
      throw UserError(fmt::format("{} {}: {} has no operator{}", asked_by, text,
                                  to_string(out.collective),
                                  has_root(out.collective) ? "; its root is a number" : ""));
    } else if (const auto op = operator_in(words[i])) {
      out.op = *op;
    } else {
      throw UserError(fmt::format("{} {}: there is no operator '{}'; it is one of {}", asked_by,
                                  text, words[i], fmt::join(operator_names(), ", ")));
    }
  }
  return out;
}

}  // namespace rankscope::meant
