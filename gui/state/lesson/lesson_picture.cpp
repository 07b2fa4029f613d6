// Answers that are given in a picture: messages and slots put into them, and the runs that they make.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "gui/state/lesson/lesson_controller.h"

namespace rankscope::gui {
namespace {

using nlohmann::json;

bool has_field(const AnswerForm& form, std::string_view name) {
  return ranges::find(form.fields, name, &AnswerField::name) != form.fields.end();
}

std::string number_word(int number) { return fmt::format("{}", number); }

json row_with(const AnswerForm& form, const PredictedMessage& message) {
  json row = json::object();
  for (const AnswerField& field : form.fields) {
    std::string text;
    if (!field.options.empty()) {  // what the receiver does: adds, or keeps
      const bool known = ranges::find(field.options, message.receiver) != field.options.end();
      text = known ? message.receiver
                   : field.options[form.picture.adds ? 0 : field.options.size() - 1];
    }
    row[json::json_pointer(field.name)] = text;
  }
  row["from"] = number_word(message.from);
  row["to"] = number_word(message.to);
  row["chunk"] = message.chunk;
  if (has_field(form, "/step")) row["step"] = number_word(message.step);
  return row;
}

std::optional<int> number_in(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

void add_message(json& draft, const AnswerForm& form, const PredictedMessage& message) {
  if (form.picture.is != AnswerPicture::Is::messages)
    throw UserError("the answer to this question is no message between ranks: type it");
  if (!form.rows) {
    draft = row_with(form, message);
    return;
  }
  for (const PredictedMessage& there : predicted_messages(form, draft)) {
    if (there.step != message.step || there.from != message.from || there.to != message.to)
      continue;
    if (there.chunk == message.chunk)
      throw UserError(fmt::format("this message is drawn already in step {}", message.step));
    if (!there.chunk.empty()) continue;
    draft[static_cast<std::size_t>(there.row)]["chunk"] = message.chunk;
    return;
  }
  if (!draft.is_array()) draft = json::array();
  draft.push_back(row_with(form, message));
}

json before_step(const json& draft, int step) {
  if (!draft.is_array()) return draft;
  json out = json::array();
  for (const json& row : draft) {
    const auto number = number_in(field_text(row, "/step"));
    if (number && *number < step) out.push_back(row);
  }
  return out;
}

std::vector<int> ranks_in_cell(const std::string& cell, int ranks) {
  std::vector<int> out;
  std::string word;
  const auto take = [&] {
    const auto dash = word.find('-');
    const auto first = number_in(word.substr(0, dash)),
               last = dash == std::string::npos ? first : number_in(word.substr(dash + 1));
    if (word == "all")
      for (int r = 0; r < ranks; ++r) out.push_back(r);
    else if (first && last)
      for (int r = std::max(*first, 0); r <= std::min(*last, ranks - 1); ++r) out.push_back(r);
    word.clear();
  };
  for (const char c : cell) {
    if (std::string_view(" {}()[],+").find(c) == std::string_view::npos) word += c;
    else take();
  }
  take();
  ranges::sort(out);
  return out;
}

std::string with_rank_toggled(const std::string& cell, Rank rank, int ranks) {
  std::vector<int> all = ranks_in_cell(cell, ranks);
  if (std::erase(all, rank) == 0) all.insert(ranges::upper_bound(all, rank), rank);
  return fmt::format("{}", fmt::join(all, " "));
}

void LessonController::draw(const std::string& id, const PredictedMessage& message) {
  const Question& asked = question(id);
  QuestionState& drawn = ready_state(asked);
  if (state_.closed(asked)) throw UserError("this question is closed");
  add_message(drawn.draft, drawn.form, message);
  drawn.edited = true;
  drawn.problem.clear();
}

void LessonController::trial(const std::string& id, int step) {
  const Question& asked = question(id);
  const QuestionState& tried = ready_state(asked);
  const json moves = step == 0 ? tried.key : before_step(tried.draft, step);
  const Variant variant{state_.progress.seed, tried.values};
  later([this, opening = opened_, whole = state_.lesson, &asked, variant, moves,
         runs = runs_]() -> News {
    JobSpec job;
    if (!asked.kind->trial(asked, variant, moves, job)) return {};
    const auto run = runs->run_once(job);
    const DocumentPtr made = Document::make(run->trace(), "");
    return [this, opening, made, id = asked.id] {
      if (opening == opened_ && state_.asked.question == id) trial_ = made;
    };
  });
}

}  // namespace rankscope::gui
