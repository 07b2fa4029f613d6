// Answers in progress, as JSON field by field.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/lesson/lesson_controller.h"
#include "gui/state/lesson/lesson_state.h"

namespace rankscope::gui {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRows = 400;

const json* at(const json& draft, const std::string& field) {
  try {
    const json::json_pointer place(field);
    return draft.contains(place) ? &draft.at(place) : nullptr;
  } catch (const json::exception&) {
    return nullptr;
  }
}

// Splits "/3/from" into the row's number 3 and "/from".
std::pair<std::size_t, std::string> row_of_field(const std::string& field) {
  std::size_t row = kMostRows;
  const char* const end = field.data() + field.size();
  if (field.starts_with('/')) {
    const auto [next, error] = std::from_chars(field.data() + 1, end, row);
    if (error == std::errc() && row < kMostRows) return {row, std::string(next, end)};
  }
  throw UserError(fmt::format("\"{}\" is no field of this answer: rows are /0, /1 ...", field));
}

json blank_row(const AnswerForm& form) {
  json row = json::object();
  for (const AnswerField& field : form.fields) row[json::json_pointer(field.name)] = "";
  return row;
}

bool known(const AnswerForm& form, const std::string& name) {
  return ranges::find(form.fields, name, &AnswerField::name) != form.fields.end();
}

// A diagram's local copy and a schedule's operation are stored differently from how they are typed.
json row_as_typed(json row, const AnswerForm& form) {
  for (const AnswerField& field : form.fields) {
    const json::json_pointer place(field.name);
    if (field.options.size() == 2 && row.is_object() && row.contains(place) &&
        row.at(place).is_boolean())
      row[place] = field.options[row.at(place).get<bool>() ? 0 : 1];
  }
  if (!row.is_object() || !row.contains("copy") || !known(form, "/slot")) return row;
  const json rank = row["copy"];
  row.erase("copy");
  row["slot"] = "copy";
  row["from"] = rank;
  return row;
}

}  // namespace

std::string reveal_name(int page, std::size_t block) {
  return fmt::format("open-{}-{}", page + 1, block + 1);
}

bool has_parts(const AnswerForm& form) noexcept {
  return form.rows || (!form.fields.empty() && !form.fields.front().name.empty());
}

json empty_draft(const AnswerForm& form) {
  if (form.rows) return json::array();
  if (!form.fields.empty() && form.fields.front().type == AnswerField::Type::order) {
    std::string letters;  // as they stand there
    for (std::size_t i = 0; i < form.fields.front().options.size(); ++i)
      letters += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<char>('a' + i));
    return letters;
  }
  if (!has_parts(form)) return "";
  json draft;
  for (const AnswerField& field : form.fields) draft[json::json_pointer(field.name)] = "";
  return draft;
}

std::string field_text(const json& draft, const std::string& field) {
  const json* value = at(draft, field);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number()) return number_text(value->get<double>());
  if (!value->is_array()) return value->dump();
  std::string out;  // letters of a choice, ranks of a cell
  for (const json& one : *value) out += (out.empty() ? "" : ", ") + field_text(one, "");
  return out;
}

std::size_t draft_rows(const json& draft) noexcept { return draft.is_array() ? draft.size() : 0; }

void fill_field(json& draft, const AnswerForm& form, const std::string& field,
                const std::string& text) {
  if (!form.rows) {
    if (!known(form, field))
      throw UserError(fmt::format("\"{}\" is no field of this answer", field));
    if (has_parts(form) && !draft.is_structured()) draft = empty_draft(form);
    draft[json::json_pointer(field)] = text;
    return;
  }
  const auto [row, rest] = row_of_field(field);
  if (!draft.is_array()) draft = json::array();
  if (rest.empty() && text.empty()) {
    if (row < draft.size()) draft.erase(row);
    return;
  }
  if (!known(form, rest))
    throw UserError(fmt::format("\"{}\" is no field of a row of this answer", rest));
  while (draft.size() <= row) draft.push_back(blank_row(form));
  draft[row][json::json_pointer(rest)] = text;
}

json as_draft(const json& answer, const AnswerForm& form) {
  if (answer.is_null()) return empty_draft(form);
  if (form.rows) {
    if (!answer.is_array()) return answer;  // a text: it stands in the text field
    json out = json::array();
    for (const json& row : answer) out.push_back(row_as_typed(row, form));
    return out;
  }
  if (!has_parts(form)) {
    const std::string text = field_text(answer, "");
    const bool order = !form.fields.empty() &&
                       form.fields.front().type == AnswerField::Type::order &&
                       text.find_first_of(", ") == std::string::npos;  // kept as "bac"
    return order ? fmt::format("{}", fmt::join(text.begin(), text.end(), ", ")) : text;
  }
  if (!answer.is_structured()) return answer;
  json out = empty_draft(form);
  for (const AnswerField& field : form.fields)
    out[json::json_pointer(field.name)] = field_text(answer, field.name);
  return out;
}

json read_draft(const Question& question, const Variant& variant, const AnswerForm& form,
                const std::string& text) {
  if (blank(json(text))) return empty_draft(form);
  return has_parts(form) ? as_draft(question.kind->parse(question, variant, text), form)
                         : json(text);
}

const Question* LessonState::in_picture(AnswerPicture::Is is) const {
  if (!lesson || !asked.in_picture) return nullptr;
  const QuestionState* const state = question_state(asked.question);
  return state != nullptr && state->ready && state->form.picture.is == is
             ? lesson->find_question(asked.question)
             : nullptr;
}

std::string unlocked_name(std::string_view question) { return fmt::format("run of {}", question); }

Lock LessonState::lock(const Question& question) const {
  if (!lecture || question.student_copy) return lock_of(question, progress.of(question.id));
  const bool open = revealed.contains(question.id) || revealed.contains(unlocked_name(question.id));
  return open ? Lock::open : Lock::closed;
}

std::vector<const Question*> LessonState::locking(const Block& block) const {
  return locked_by(*lesson, block, [this](const Question& one) { return lock(one) == Lock::open; });
}

std::vector<const Question*> LessonState::locking_run(std::string_view run) const {
  return run_locked_by(*lesson, run,
                       [this](const Question& one) { return lock(one) == Lock::open; });
}

const Step* LessonState::page_shown(int ahead) const noexcept {
  const int at = page() + ahead;
  return at < 0 || at >= pages() ? nullptr : &lesson->steps[static_cast<std::size_t>(at)];
}

std::span<const Block> LessonState::blocks() const noexcept {
  const Step* const step = page_shown();
  return step == nullptr ? std::span<const Block>() : step->blocks;
}

bool LessonState::is_open_figure(const Block& block) const {
  return block.kind == Block::Kind::figure && lesson->find_figure(block.id) != nullptr &&
         locking(block).empty();
}

const LessonFigure* LessonState::enlarged_figure() const {
  const auto found = ranges::find_if(
      blocks(), [&](const Block& block) { return block.id == enlarged && is_open_figure(block); });
  return found == blocks().end() ? nullptr : lesson->find_figure(found->id);
}

const LessonFigure* LessonState::figure_here() const {
  const Block* last = nullptr;
  for (const Block& block : blocks()) {
    if (is_exercise(block) && block.id == in_view)
      return last == nullptr || block.kind == Block::Kind::coding ? nullptr
                                                                  : lesson->find_figure(last->id);
    const bool heads =
        block.kind == Block::Kind::text &&
        (block.text.starts_with("## ") || block.text.find("\n## ") != std::string::npos);
    if (heads) last = nullptr;  // of another topic
    if (is_open_figure(block)) last = &block;
  }
  return nullptr;
}

bool LessonState::was_opened(std::string_view run) const {
  const auto waits = [&](const Block& block) {
    return !block.after.empty() && run_shown_by(*lesson, block) == run;
  };
  return ranges::any_of(lesson->steps,
                        [&](const Step& step) { return ranges::any_of(step.blocks, waits); }) &&
         locking_run(run).empty();
}

bool LessonState::keeps_end() const {
  if (!lesson || (lecture && !lesson->student_copy)) return false;
  const Question* const question = lesson->find_question(asked.question);
  const QuestionState* const state = question_state(asked.question);
  return question != nullptr && state != nullptr &&
         state->form.picture.is != AnswerPicture::Is::line && lock(*question) != Lock::open;
}

bool LessonState::asks() const {
  if (blocks().empty() || was_opened(shown_run)) return false;
  return ranges::any_of(blocks(), [&](const Block& block) {
    const auto* const question =
        block.kind == Block::Kind::question ? lesson->find_question(block.id) : nullptr;
    return question != nullptr && progress.of(question->id).attempts == 0 && !closed(*question);
  });
}

namespace {

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
  if (known(form, "/step")) row["step"] = number_word(message.step);
  return row;
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
    const auto number = as_number<int>(field_text(row, "/step"));
    if (number && *number < step) out.push_back(row);
  }
  return out;
}

std::vector<int> ranks_in_cell(const std::string& cell, int ranks) {
  std::vector<int> out;
  std::string word;
  const auto take = [&] {
    const auto dash = word.find('-');
    const auto first = as_number<int>(word.substr(0, dash)),
               last = dash == std::string::npos ? first : as_number<int>(word.substr(dash + 1));
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

void LessonController::bring_back(const std::string& id, const json& draft) {
  const auto found = state_.question_states.find(id);
  const Question* const asked = state_.lesson ? state_.lesson->find_question(id) : nullptr;
  if (found == state_.question_states.end() || asked == nullptr || state_.closed(*asked)) return;
  if (!found->second.ready || found->second.draft == draft) return;
  found->second.draft = draft;
  edited(found->second);
}

void LessonController::draw(const std::string& id, const PredictedMessage& message) {
  const Question& asked = question(id);
  QuestionState& drawn = ready_state(asked);
  if (state_.closed(asked)) throw UserError("this question is closed");
  add_message(drawn.draft, drawn.form, message);
  edited(drawn);
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
