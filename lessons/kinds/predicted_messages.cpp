// Reads messages off answers and runs, and compares them step by step.
#include "lessons/kinds/predicted_messages.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

using nlohmann::json;

std::string typed_text(const json& answer, const std::string& field) {
  const json::json_pointer place(field);
  if (!answer.is_object() || !answer.contains(place)) return {};
  const json& value = answer.at(place);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return fmt::format("{}", value.get<long long>());
  if (value.is_boolean()) return value.get<bool>() ? "add" : "keep";
  return {};
}

std::optional<int> whole_number(std::string_view text) { return as_number<int>(trimmed(text)); }

// "2", "chunk 2", "c2", "2-3", "all", "elements 4-5".
void name_chunks(PredictedMessage& message, std::string_view text) {
  message.chunk = std::string(text);
  message.whole = text == "all" || text == "everything";
  for (const std::string_view word : {"chunks", "chunk", "c"})
    if (text.starts_with(word)) {
      text.remove_prefix(word.size());
      break;
    }
  const auto dash = text.find('-');
  const auto first = whole_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) return;
  message.first = *first;
  message.last = *last;
  message.chunk = *first == *last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last);
}

std::optional<PredictedMessage> message_in(const AnswerForm& form, const json& row, int step) {
  PredictedMessage out;
  const auto from = whole_number(typed_text(row, "/from")),
             to = whole_number(typed_text(row, "/to"));
  if (!from || !to) return std::nullopt;
  out.from = *from;
  out.to = *to;
  out.step = step;
  name_chunks(out, typed_text(row, "/chunk"));
  for (const AnswerField& field : form.fields)
    if (!field.options.empty()) out.receiver = typed_text(row, field.name);
  return out;
}

bool same_part(const PredictedMessage& a, const PredictedMessage& b) {
  if (a.chunk.empty() || b.chunk.empty() || (a.whole && b.whole)) return true;
  if (a.first >= 0 && b.first >= 0) return a.first == b.first && a.last == b.last;
  return a.chunk == b.chunk;
}
bool same_message(const PredictedMessage& a, const PredictedMessage& b) {
  return a.from == b.from && a.to == b.to && same_part(a, b);
}

// The messages of a step that are predicted and not in the run, and the other way round.
struct Unmatched {
  std::vector<const PredictedMessage*> predicted, run;
};
Unmatched unmatched(std::span<const PredictedMessage> predicted,
                    std::span<const PredictedMessage> run, int step) {
  Unmatched out;
  for (const auto& one : run)
    if (one.step == step) out.run.push_back(&one);
  for (const auto& one : predicted) {
    if (one.step != step) continue;
    const auto found =
        ranges::find_if(out.run, [&](const auto* real) { return same_message(one, *real); });
    if (found == out.run.end()) out.predicted.push_back(&one);
    else out.run.erase(found);
  }
  return out;
}

// The run's message in place of a wrong one, as the end of a sentence.
std::string instead(const PredictedMessage& guess,
                    const std::vector<const PredictedMessage*>& run) {
  const auto like = [&](auto&& fits) -> const PredictedMessage* {
    const auto found = ranges::find_if(run, [&](const auto* one) { return fits(*one); });
    return found == run.end() ? nullptr : *found;
  };
  if (const auto* one =
          like([&](const auto& m) { return m.from == guess.from && m.to == guess.to; }))
    return fmt::format("the run sends {}", what_is_sent(*one));
  if (const auto* one = like([&](const auto& m) { return m.from == guess.from; })) {
    if (same_part(guess, *one)) return fmt::format("the run sends it to rank {}", one->to);
    return fmt::format("the run sends {} to rank {}", what_is_sent(*one), one->to);
  }
  if (const auto* one = like([&](const auto& m) { return m.to == guess.to; }))
    return fmt::format("the run sends rank {} {} from rank {}", one->to, what_is_sent(*one),
                       one->from);
  return fmt::format("in the run rank {} sends nothing more in this step", guess.from);
}

std::string who_sent(const PredictedMessage& message) {
  return fmt::format("{} from rank {} to rank {}", what_is_sent(message), message.from, message.to);
}

}  // namespace

std::vector<PredictedMessage> predicted_messages(const AnswerForm& form, const json& answer) {
  std::vector<PredictedMessage> out;
  if (form.picture.is != AnswerPicture::Is::messages) return out;
  if (!form.rows) {
    if (auto one = message_in(form, answer, form.picture.after + 1)) out.push_back(*one);
    return out;
  }
  for (std::size_t row = 0; answer.is_array() && row < answer.size(); ++row) {
    const auto step = whole_number(typed_text(answer[row], "/step"));
    if (!step) continue;
    auto one = message_in(form, answer[row], *step);
    if (!one) continue;
    one->row = static_cast<int>(row);
    out.push_back(*one);
  }
  return out;
}

std::vector<PredictedMessage> messages_of_run(const TraceAnalysis& run) {
  std::vector<PredictedMessage> out;
  const Rounds& rounds = run.rounds();
  const bool regroups = run.trace().meta().collective == Collective::alltoall;
  for (std::size_t m = 0; m < rounds.messages.size(); ++m) {
    const MessageRecord& message = rounds.messages[m];
    if (message.sync || message.bytes == 0) continue;
    PredictedMessage one;
    one.step = rounds.round[m];
    one.from = message.from;
    one.to = message.to;
    // An all-to-all's message has another place at its sender than at its receiver; its ranks say enough.
    const Piece piece = regroups ? Piece() : run.pieces().of(message);
    one.whole = piece.whole;
    if (piece.exact || piece.whole) {
      one.first = piece.first_chunk;
      one.last = piece.last_chunk;
    }
    if (piece.whole) one.chunk = "all";
    else if (one.first >= 0)
      one.chunk = one.first == one.last ? fmt::format("{}", one.first)
                                        : fmt::format("{}-{}", one.first, one.last);
    else if (piece.elements.offset >= 0)
      one.chunk = fmt::format("elements {}-{}", piece.elements.offset, piece.elements.end() - 1);
    out.push_back(std::move(one));
  }
  ranges::stable_sort(out, {}, &PredictedMessage::step);
  return out;
}

std::string what_is_sent(const PredictedMessage& message) {
  if (message.whole) return "all of the data";
  if (message.first >= 0)
    return message.first == message.last ? fmt::format("chunk {}", message.first)
                                         : fmt::format("chunks {}–{}", message.first, message.last);
  return message.chunk.empty() ? "a message" : message.chunk;
}

std::optional<Parting> first_difference(std::span<const PredictedMessage> predicted,
                                        std::span<const PredictedMessage> run, bool all) {
  std::set<int> steps;
  for (const auto& one : predicted) steps.insert(one.step);
  if (all)
    for (const auto& one : run) steps.insert(one.step);
  for (const int step : steps) {
    const Unmatched left = unmatched(predicted, run, step);
    if (!left.predicted.empty()) {
      const PredictedMessage& guess = *left.predicted.front();
      const bool over = ranges::none_of(run, [&](const auto& one) { return one.step >= step; });
      return Parting{
          step, guess.row,
          fmt::format("Parts at step {}: you sent {}, {}.", step, who_sent(guess),
                      over ? "the run sends nothing any more" : instead(guess, left.run)),
          fmt::format("Parts at step {}: you sent {}, the run does not.", step, who_sent(guess))};
    }
    if (all && !left.run.empty())
      return Parting{
          step, -1,
          fmt::format("Parts at step {}: the run sends {}, which you left out.", step,
                      who_sent(*left.run.front())),
          fmt::format("Parts at step {}: the run sends a message that you left out.", step)};
  }
  return std::nullopt;
}

}  // namespace rankscope
