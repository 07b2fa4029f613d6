// The fields of an answer, as its form asks for them.
#include <algorithm>
#include <span>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/views/lesson/lesson_parts.h"
#include "lessons/kinds/diagram_answer.h"

namespace rankscope::gui {
namespace {

using nlohmann::json;
using Type = AnswerField::Type;

/// From this length on, a field's name needs the whole width.
constexpr std::size_t kLongLabel = 16;

std::string letters(const std::string& chosen) {
  return fmt::format("{}", fmt::join(chosen.begin(), chosen.end(), ", "));
}

/// One answer field after the other, for one question.
class AnswerPainter {
 public:
  AnswerPainter(LessonContext& lesson, QuestionMemory& memory, const Question& question,
                const QuestionState& question_state, bool open)
      : lesson_(lesson),
        memory_(memory),
        question_(question),
        question_state_(question_state),
        open_(open) {}

  bool draw() {
    const AnswerForm& form = question_state_.form;
    if (form.fields.empty()) return false;
    if (!open_) {
      given();
      return false;
    }
    if (form.rows) rows();
    else if (!has_parts(form)) single(form.fields.front());
    else if (form.fields.front().label.find(", ") != std::string::npos) grid();
    else in_a_row();
    if (has_parts(form) || form.fields.front().type == Type::order) as_text();
    else if (!form.how.empty() && form.fields.front().options.empty() &&
             form.fields.front().type != Type::long_text)
      how();
    return check_;
  }

 private:
  const Look& look() const { return lesson_.look(); }
  void answer(const std::string& text) {
    lesson_.context.commands.push(cmd::answer(question_.id, text));
  }
  void fill(const std::string& field, const std::string& text) {
    lesson_.context.commands.push(cmd::fill(question_.id, field, text));
  }
  // Letters of a field, which undo takes back at once.
  void type(Command command) {
    command.typed = true;
    lesson_.context.commands.push(std::move(command));
  }
  void type_all(const std::string& text) { type(cmd::answer(question_.id, text)); }
  std::string shown() const {
    try {
      return question_state_.draft.is_null() || blank(question_state_.draft)
                 ? ""
                 : question_.kind->show(question_, question_state_.draft);
    } catch (const std::exception&) {  // half of an answer
      return "";
    }
  }

  // A closed question: what was answered, as text.
  void given() {
    const AnswerField& field = question_state_.form.fields.front();
    if (field.type == Type::choice || field.type == Type::choices) return choices(field);
    const std::string text = shown();
    if (text.empty()) return;
    caption(look(), "Your answer");
    draw_words(look(), text, lesson_.width, {14});
  }

  void how() const {
    std::string text = "Answer: " + question_state_.form.how;
    if (!question_state_.form.example.empty())
      text += fmt::format("; for example {}", question_state_.form.example);
    vertical_gap(look(), 2);
    draw_words(look(), text, lesson_.width, {12, look().palette().muted});
  }

  void single(const AnswerField& field) {
    if (field.type == Type::choice || field.type == Type::choices) return choices(field);
    if (field.type == Type::order) return order(field);
    std::string text = field_text(question_state_.draft, "");
    bool entered = false;
    if (field.type == Type::long_text) {
      if (long_text_field(lesson_, "##answer", text, lesson_.width, entered)) type_all(text);
      const auto words = ranges::count_if(split_at(text, " \n\t"),
                                          [](std::string_view word) { return !word.empty(); });
      caption(look(), counted(static_cast<std::uint64_t>(words), "word") +
                          " · Ctrl+Enter keeps the answer");
      check_ = check_ || entered;
      return;
    }
    const bool number = field.type == Type::number;
    const float unit = field.unit.empty() ? 0 : look().px(60);
    const float width = number ? std::min(look().px(180), lesson_.width - unit) : lesson_.width;
    if (text_field(lesson_, "##answer", text, width, "", entered)) type_all(text);
    if (!field.unit.empty()) {
      ImGui::SameLine();
      ImGui::TextUnformatted(field.unit.c_str());
    }
    check_ = check_ || entered;
  }

  void choices(const AnswerField& field) {
    const bool one = field.type == Type::choice;
    const std::string chosen = letters_in(field_text(question_state_.draft, ""));
    const std::string right = letters_in(question_state_.solution);
    char letter = 'a';
    for (const std::string& option : field.options) {
      const bool on = chosen.find(letter) != std::string::npos;
      int mark = 0;
      if (!open_ && question_state_.solved && !right.empty()) {
        const bool is_right = right.find(letter) != std::string::npos;
        mark = is_right ? 1 : on ? -1 : 0;
      }
      const std::string id = fmt::format("##option-{}", letter);
      if (option_row(lesson_, id.c_str(), option, lesson_.width, {one, on, open_, mark})) {
        std::string now = one ? std::string(1, letter) : chosen;
        if (!one && on) std::erase(now, letter);
        else if (!one) now += letter;
        ranges::sort(now);
        answer(letters(now));
      }
      ++letter;
    }
  }

  // Each line has a letter, and buttons that move it; it can be dragged, too.
  void order(const AnswerField& field) {
    std::string now = letters_in(field_text(question_state_.draft, ""));
    for (std::size_t i = 0; i < field.options.size(); ++i)
      if (now.find(static_cast<char>('a' + i)) == std::string::npos)
        now += static_cast<char>('a' + i);
    now.resize(std::min(now.size(), field.options.size()));
    for (std::size_t i = 0; i < now.size(); ++i) {
      ImGui::PushID(now[i]);
      const ImVec2 at = ImGui::GetCursorPos();
      const ImVec2 low = ImGui::GetCursorScreenPos();
      const auto swap_with = [&](std::size_t other) {
        std::string moved = now;
        std::swap(moved[i], moved[other]);
        answer(letters(moved));
      };
      const bool up = i > 0, down = i + 1 < now.size();
      if (ring_button(lesson_, "↑", false, look().px(32), up) && up) swap_with(i - 1);
      ImGui::SameLine(0, look().px(4));
      if (ring_button(lesson_, "↓", false, look().px(32), down) && down) swap_with(i + 1);
      const float bottom = ImGui::GetCursorPosY(), left = look().px(78);
      ImGui::SetCursorPos({at.x + left, at.y + look().px(5)});
      const auto which = static_cast<std::size_t>(now[i] - 'a');
      ImGui::BeginGroup();
      lesson_.text(fmt::format("**{})** {}", now[i],
                               field.options[std::min(which, field.options.size() - 1)]),
                   lesson_.width - left);
      ImGui::EndGroup();
      const float below = std::max(bottom, ImGui::GetCursorPosY());
      ImGui::SetCursorPos({at.x + left, at.y});
      ImGui::InvisibleButton("drag", {lesson_.width - left, std::max(below - at.y, 1.0F)});
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
      const float mouse = ImGui::GetIO().MousePos.y;
      if (ImGui::IsItemActive() && mouse < low.y && up) swap_with(i - 1);
      else if (ImGui::IsItemActive() && mouse > low.y + below - at.y && down) swap_with(i + 1);
      ImGui::SetCursorPos({at.x, below});
      ImGui::PopID();
    }
    if (letters_in(field_text(question_state_.draft, "")) != now) answer(letters(now));
  }

  void cell(const AnswerField& field, const std::string& place, float width) {
    std::string text = field_text(question_state_.draft, place);
    ImGui::PushID(place.c_str());
    if (field.type == Type::choice && !field.options.empty()) {
      const auto now = ranges::find(field.options, text);
      const auto label = (now == field.options.end() ? std::string("–") : text) + "###choice";
      if (ring_button(lesson_, label.c_str(), false, width)) {
        const bool wrap = now == field.options.end() || now + 1 == field.options.end();
        fill(place, wrap ? field.options.front() : *(now + 1));
      }
    } else {
      bool entered = false;
      const bool several = field.type == Type::long_text;
      if (several ? long_text_field(lesson_, "##cell", text, width, entered)
                  : text_field(lesson_, "##cell", text, width, "", entered))
        type(cmd::fill(question_.id, place, text));
      check_ = check_ || entered;
    }
    ImGui::PopID();
  }

  // "from", "to", "chunk": beside each other; each list of values ("/k/0", "/k/1") has a row of its own.
  void in_a_row() {
    const auto& fields = question_state_.form.fields;
    const auto list_of = [](const AnswerField& field) {
      return field.name.substr(0, field.name.rfind('/'));
    };
    for (std::size_t from = 0, to = 0; from < fields.size(); from = to) {
      while (
          to < fields.size() && list_of(fields[to]) == list_of(fields[from]) &&
          (to == from || std::max(fields[to].label.size(), fields[from].label.size()) < kLongLabel))
        ++to;
      cells_beside(std::span(fields).subspan(from, to - from));
      vertical_gap(look(), 4);
    }
    if (question_.kind->name() != "predict") return;
    const bool none = question_state_.draft.is_string() && question_state_.draft == "none";
    if (option_row(lesson_, "##none", "Nothing more is sent", lesson_.width,
                   {false, none, true, 0})) {
      if (none) fill(fields.front().name, "");
      else answer("none");
    }
  }

  // "rank 2, x": a row for each rank, a column for each x.
  void grid() {
    std::vector<std::string> row_names, column_names;
    const auto place = [](std::vector<std::string>& names, const std::string& name) {
      const auto at = ranges::find(names, name);
      if (at != names.end()) return at - names.begin();
      names.push_back(name);
      return static_cast<std::ptrdiff_t>(names.size()) - 1;
    };
    struct Place {
      const AnswerField* field;
      std::ptrdiff_t row, column;
    };
    std::vector<Place> places;
    for (const AnswerField& field : question_state_.form.fields) {
      const auto comma = field.label.find(", ");
      const auto row = place(row_names, field.label.substr(0, comma));
      places.push_back(
          {&field, row,
           place(column_names, comma == std::string::npos ? "" : field.label.substr(comma + 2))});
    }
    const float left = look().px(64), gap = look().px(4), least = look().px(46);
    const auto columns = static_cast<float>(column_names.size());
    // Heads are wrapped between their words, which are whole.
    look().push(12);
    float word = least, head = look().px(20);
    for (const std::string& name : column_names) {
      std::istringstream words(name);
      for (std::string one; words >> one;)
        word = std::max(word, ImGui::CalcTextSize(one.c_str()).x);
    }
    const float width =
        std::clamp((lesson_.width - left) / columns - gap, word, std::max(word, look().px(110)));
    for (const std::string& name : column_names)
      head =
          std::max(head, look().px(6) + ImGui::CalcTextSize(name.c_str(), nullptr, false, width).y);
    Look::pop();
    const float high = ImGui::GetFrameHeight() + look().px(4);
    const float whole = head + high * static_cast<float>(row_names.size());
    const bool scrolls = left + columns * (width + gap) > lesson_.width + 1;
    compat::begin_child("grid", {lesson_.width, whole + (scrolls ? look().px(16) : look().px(4))},
                        ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav |
                            ImGuiWindowFlags_NoScrollWithMouse);
    const ImVec2 at{ImGui::GetCursorPosX() + look().px(3), ImGui::GetCursorPosY()};
    for (std::size_t c = 0; c < column_names.size(); ++c) {
      ImGui::SetCursorPos({at.x + left + static_cast<float>(c) * (width + gap), at.y});
      draw_words(look(), column_names[c], width, {12, look().palette().muted});
    }
    for (std::size_t r = 0; r < row_names.size(); ++r) {
      ImGui::SetCursorPos({at.x, at.y + head + static_cast<float>(r) * high + look().px(5)});
      caption(look(), row_names[r], look().palette().text, true);
    }
    for (const Place& one : places) {
      ImGui::SetCursorPos({at.x + left + static_cast<float>(one.column) * (width + gap),
                           at.y + head + static_cast<float>(one.row) * high});
      cell(*one.field, one.field->name, width);
    }
    ImGui::EndChild();
  }

  void cells_beside(std::span<const AnswerField> fields) {
    const float gap = look().px(8), room = lesson_.width / static_cast<float>(fields.size()) - gap;
    const bool alone = fields.size() == 1 && fields.front().label.size() >= kLongLabel;
    const float width = alone ? lesson_.width : std::min(room, look().px(110));
    const ImVec2 at = ImGui::GetCursorPos();
    float bottom = at.y;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ImGui::SetCursorPos({at.x + static_cast<float>(i) * (width + gap), at.y});
      ImGui::BeginGroup();
      draw_words(look(), fields[i].label, width, {12, look().palette().muted});
      cell(fields[i], fields[i].name, width);
      ImGui::EndGroup();
      bottom = std::max(bottom, ImGui::GetCursorPosY());
    }
    ImGui::SetCursorPos({at.x, bottom});
  }

  // The rows of the draft, and an empty one.
  void rows() {
    const auto& fields = question_state_.form.fields;
    const std::size_t count = draft_rows(question_state_.draft);
    const float gap = look().px(4), last = look().px(34);
    const float width =
        std::min((lesson_.width - last) / static_cast<float>(fields.size()) - gap, look().px(96));
    const ImVec2 at = ImGui::GetCursorPos();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      ImGui::SetCursorPos({at.x + static_cast<float>(f) * (width + gap), at.y});
      caption(look(), fields[f].label);
    }
    for (std::size_t r = 0; r <= count; ++r) {
      const ImVec2 row = {at.x, ImGui::GetCursorPosY()};
      for (std::size_t f = 0; f < fields.size(); ++f) {
        ImGui::SetCursorPos({row.x + static_cast<float>(f) * (width + gap), row.y});
        cell(fields[f], fmt::format("/{}{}", r, fields[f].name), width);
      }
      if (r == count) continue;
      ImGui::SetCursorPos({row.x + static_cast<float>(fields.size()) * (width + gap), row.y});
      ImGui::PushID(static_cast<int>(r));
      if (ring_button(lesson_, "×", false, look().px(30))) fill(fmt::format("/{}", r), "");
      hover_text("Removes this row");
      ImGui::PopID();
    }
    if (question_state_.form.arrows && count > 0) drawing();
  }

  int ranks() const {
    const json rule = question_.data.value("ranks", json(4));
    try {
      const json value = expand(rule, question_state_.values);
      return value.is_number() ? static_cast<int>(value.get<double>()) : 4;
    } catch (const UserError&) {
      return 4;
    }
  }

  // The diagram as far as it is drawn.
  void drawing() {
    auto& cache = memory_.drawings[question_.id];
    if (!cache) cache = std::make_unique<SceneCache>();
    const auto arrows = [&]() -> std::vector<DiagramArrow> {
      std::vector<DiagramArrow> all;
      for (const json& row : question_state_.draft) {
        try {
          ranges::copy(arrows_of(json::array({row})), std::back_inserter(all));
        } catch (const std::exception&) {  // half of a row
        }
      }
      return all;
    }();
    const MadeScene* made = cache->get(
        0, dump_json(question_state_.draft),
        [arrows, count = ranks()] { return diagram_picture(arrows, count, "", system_ruler()); });
    if (made == nullptr || !made->error.empty() || made->scene.width <= 0) return;
    vertical_gap(look(), 6);
    const double zoom = std::min(static_cast<double>(lesson_.width) / made->scene.width,
                                 static_cast<double>(look().scale()));
    const ImVec2 low = ImGui::GetCursorScreenPos();
    paint(*ImGui::GetWindowDrawList(), made->scene, look(), {low, zoom}, {});
    ImGui::Dummy({lesson_.width, static_cast<float>(made->scene.height * zoom)});
  }

  // The same answer in one text: the fields follow what can be read, and the text what is changed in them.
  void as_text() {
    const bool follows = has_parts(question_state_.form);
    const auto typing = memory_.typed.find(question_.id);
    const bool was_typing = typing != memory_.typed.end();
    std::string text = was_typing                      ? typing->second
                       : question_state_.typed.empty() ? shown()
                                                       : question_state_.typed;
    const bool several = ranges::any_of(question_state_.form.fields, [](const auto& one) {
      return one.type == AnswerField::Type::long_text;
    });
    const std::string& example = question_state_.form.example;
    draw_words(look(), several ? "or as text, for example " + example : "or as text", lesson_.width,
               {12, look().palette().muted});
    bool entered = false;
    const bool changed =
        several ? long_text_field(lesson_, "##text", text, lesson_.width, entered)
                : text_field(lesson_, "##text", text, lesson_.width, example.c_str(), entered);
    const bool left = entered || (was_typing && !ImGui::IsItemActive());
    if (ImGui::IsItemActive()) memory_.typed[question_.id] = text;
    else memory_.typed.erase(question_.id);
    const bool is_read = (changed || left) && follows && can_be_read(text);
    if (changed && is_read) type_all(text);
    else if (left && !is_read && text != question_state_.typed && text != shown()) answer(text);
    check_ = check_ || entered;
    hover_text(question_state_.form.how);
  }

  bool can_be_read(const std::string& text) const {
    try {
      (void)read_draft(question_, {lesson_.lesson().progress.seed, question_state_.values},
                       question_state_.form, text);
      return true;
    } catch (const std::exception&) {  // half of a text
      return false;
    }
  }

  LessonContext& lesson_;
  QuestionMemory& memory_;
  const Question& question_;
  const QuestionState& question_state_;
  bool open_ = true, check_ = false;
};

}  // namespace

std::string letters_in(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c >= 'a' && c <= 'z' && out.find(c) == std::string::npos) out += c;
  return out;
}

bool draw_answer(LessonContext& lesson, QuestionMemory& memory, const Question& question,
                 const QuestionState& question_state, bool open) {
  return AnswerPainter(lesson, memory, question, question_state, open).draw();
}

}  // namespace rankscope::gui
