// The named values of the state that scripts print and wait for.
#include "gui/state/model/state_values.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/streamed_trace.h"
#include "gui/state/files/settings.h"
#include "gui/state/lesson/lesson_state.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/model/state_chip.h"
#include "gui/state/run/large_run.h"
#include "lessons/lesson/expand.h"

namespace rankscope::gui {
namespace {

using State = const AppState&;

struct Value {
  std::string_view key;
  std::string (*of)(State state);
};

std::string status_of(const AppState& s) {
  if (s.live.running || s.race.running) return "running";
  if (!s.result && !s.race.runs.empty()) return "ok";  // a race ends only with runs that are right
  return s.result ? std::string(to_string(s.result->status)) : "idle";
}

template <typename T>
std::string number(T value) {
  return fmt::format("{}", value);
}
/// "right", "wrong" or "none".
std::string schedule_of(const AppState& s) {
  if (!s.schedule.editor || !s.schedule.facts) return "none";
  return s.schedule.facts->is_right() ? "right" : "wrong";
}

/// "simulating", "reading", "none", "run" (the trace's own), "draft", or "changed" (an unsaved draft).
std::string network_of(const AppState& s) {
  if (s.network.simulating) return "simulating";
  if (!s.loading.empty()) return "reading";
  if (s.has_trace() && (!s.network.of_run || s.network.of_run->document != s.document->id()))
    return "reading";
  if (s.network.draft) return s.network.draft->changed() ? "changed" : "draft";
  return s.network.shown() != nullptr ? "run" : "none";
}
std::string open_or_closed(bool is) { return is ? "open" : "closed"; }
std::string yes_or_no(bool is) { return is ? "yes" : "no"; }

template <Slot slot>
std::string view_at(const AppState& s) {
  return s.settings.layout.at(slot);
}

constexpr std::array kValues{
    Value{"status", status_of},
    Value{"state", [](State s) { return state_chip(s).text; }},
    Value{"moment", [](State s) { return fmt::format("{:.3f}", s.playback.moment); }},
    Value{"end",
          [](State s) {
            return s.document ? fmt::format("{:.3f}", s.document->end(s.playback.clock)) : "0";
          }},
    Value{"offers",
          [](State s) {
            std::vector<std::string> all;
            for (const LiveOffer& one : live_marks(s).offers)
              all.push_back(fmt::format("{}>{}", one.from, one.to));
            return fmt::format("{}", fmt::join(all, " "));
          }},
    Value{"who-can-move",
          [](State s) {
            return std::string(s.moves.checked ? "checked" : s.moves.asked ? "open" : "none");
          }},
    Value{"moves", [](State s) { return fmt::format("{}", fmt::join(s.moves.chosen, " ")); }},
    Value{"clock", [](State s) { return std::string(to_string(s.playback.clock)); }},
    Value{"playing", [](State s) { return yes_or_no(s.playback.playing); }},
    Value{"speed", [](State s) { return fmt::format("{:.3g}", s.playback.speed); }},
    Value{"ranks", [](State s) { return number(s.document ? s.document->world_size() : 0); }},
    Value{"events",
          [](State s) {
            if (s.document && s.document->run()) return number(s.document->run()->events());
            return number(s.document ? s.document->trace().size() : 0);
          }},
    // The time whose events are in memory, for a run too large to be held whole.
    Value{"held",
          [](State s) {
            if (!s.document || !s.document->run()) return std::string("all");
            const auto part = s.document->part();
            return fmt::format("{:.3f} {:.3f}", part.begin, part.end);
          }},
    Value{"sums",
          [](State s) {
            const auto run = s.document ? best_counted(*s.document, s.counted) : nullptr;
            return std::string(run && run->is_estimated() ? "estimated" : "counted");
          }},
    Value{"messages",
          [](State s) { return number(s.document ? s.document->rounds().messages.size() : 0); }},
    Value{"rounds", [](State s) { return number(s.document ? s.document->rounds().count : 0); }},
    Value{"algorithm",
          [](State s) { return s.document ? s.document->trace().meta().algorithm : ""; }},
    Value{"other", [](State s) { return s.other ? s.other->trace().meta().algorithm : ""; }},
    Value{"undo", [](State s) { return number(s.undoable); }},
    Value{"problems", [](State s) { return number(s.problems.size()); }},
    Value{"problem", [](State s) { return s.problems.empty() ? "" : s.problems.front().what; }},
    Value{"consequences",
          [](State s) {
            std::size_t count = 0;
            for (const Problem& one : s.problems) count += one.follows.size();
            return number(count);
          }},
    Value{"race",
          [](State s) -> std::string {
            return s.race.running ? "running" : s.race.runs.empty() ? "off" : "done";
          }},
    Value{"race.runs", [](State s) { return number(s.race.runs.size()); }},
    Value{"race.verdict", [](State s) { return s.race.verdict; }},
    Value{"race.difference", [](State s) { return s.race.difference; }},
    Value{"first-page", [](State s) { return open_or_closed(s.first_page()); }},
    Value{"what-if", [](State s) { return s.what_if.now; }},
    Value{"what-if.outcome",
          [](State s) {
            const auto* shown = s.what_if.shown();
            return shown != nullptr ? shown->outcome : "";
          }},
    Value{"message", [](State s) { return s.message; }},
    Value{"selected-message", [](State s) { return number(s.selection.message); }},
    Value{"selected-rank", [](State s) { return number(s.selection.rank); }},
    Value{"selected-event", [](State s) { return number(s.selection.event); }},
    Value{"selected-chunk", [](State s) { return number(s.selection.chunk); }},
    Value{"selected-line",
          [](State s) -> std::string {
            if (!s.document || s.selection.event < 0) return "";
            return s.document->line_name(static_cast<std::uint64_t>(s.selection.event));
          }},
    Value{"bookmarks", [](State s) { return number(s.bookmarks.size()); }},
    Value{"breakpoints", [](State s) { return number(s.breakpoints.size()); }},
    Value{"curtain", [](State s) { return std::string(s.curtain() ? "down" : "up"); }},
    Value{"labels", [](State s) { return s.settings.labels; }},
    Value{"theme", [](State s) { return std::string(to_string(s.settings.theme)); }},
    Value{"scale", [](State s) { return fmt::format("{:.2f}", s.settings.ui_scale); }},
    Value{"answer",
          [](State s) { return s.asked.answer.empty() ? s.asked.model : s.asked.answer; }},
    Value{"exec", [](State s) { return s.program.name(); }},
    Value{"exec.state", [](State s) { return std::string(to_string(s.program.state)); }},
    Value{"exec.ranks", [](State s) { return number(s.program.choice.ranks); }},
    Value{"exec.runs", [](State s) { return number(s.program.runs); }},
    Value{"exec.says", [](State s) { return s.program.says; }},
    Value{"exec.output", [](State s) { return s.program.output; }},
    Value{"exec.problem", [](State s) { return s.program.problem; }},
    Value{"answer.waits", [](State s) { return yes_or_no(s.asked.waits); }},
    Value{"changes",
          [](State s) {
            std::string all;
            if (s.asked.any)
              for (const JobChange& one : changes_between(s.asked.base, s.asked.job))
                all += (all.empty() ? "" : "; ") + one.label;
            return all;
          }},
    Value{"job.ranks", [](State s) { return number(s.settings.job.world.size); }},
    Value{"job.algorithm", [](State s) { return s.settings.job.call.algorithm; }},
    Value{"filter", [](State s) { return s.event_filter; }},
    Value{"typing", [](State s) { return yes_or_no(s.typing); }},
    Value{"palette", [](State s) { return open_or_closed(s.show_palette); }},
    Value{"shortcuts", [](State s) { return open_or_closed(s.show_shortcuts); }},
    Value{"layouts",
          [](State s) {
            std::vector<std::string> names;
            for (const auto& one : layouts_of(s.settings)) names.push_back(one.name);
            return fmt::format("{}", fmt::join(names, " "));
          }},
    Value{"panels",
          [](State s) {
            std::string open;
            for (const auto& panel : kPanels)
              if (s.settings.layout.*panel.open) open += std::string(panel.name) + " ";
            return open;
          }},
    Value{"maximized",
          [](State s) {
            const auto& maximized = s.settings.layout.maximized;
            return maximized ? std::string(to_string(*maximized)) : "";
          }},
    Value{"lesson", [](State s) { return s.lesson.lesson ? s.lesson.lesson->slug : ""; }},
    Value{"lesson.page", [](State s) { return number(s.lesson.page() + 1); }},
    Value{"lesson.pages", [](State s) { return number(s.lesson.pages()); }},
    Value{"lesson.points", [](State s) { return number(s.lesson.progress.points()); }},
    Value{"lesson.done",
          [](State s) {
            return number(s.lesson.lesson ? s.lesson.progress.done(*s.lesson.lesson) : 0);
          }},
    Value{
        "scene",
        [](State s) { return number(s.lecture.scenes.open() ? s.lecture.scenes.place() + 1 : 0); }},
    Value{"scene.title",
          [](State s) {
            return s.lecture.scenes.open() ? s.lecture.scenes.scene()->title : std::string();
          }},
    Value{"scene.arriving", [](State s) { return yes_or_no(s.lecture.scenes.arriving); }},
    Value{"prediction", [](State s) { return s.lecture.prediction.text; }},
    Value{"prediction.choices",
          [](State s) { return fmt::format("{}", fmt::join(s.lecture.prediction.options, "|")); }},
    Value{"prediction.hands",
          [](State s) { return fmt::format("{}", fmt::join(s.lecture.prediction.hands, " ")); }},
    Value{"prediction.says", [](State s) { return s.lecture.prediction.says; }},
    Value{"scene.asks", [](State s) { return yes_or_no(s.lecture.scenes.asks); }},
    Value{"lesson.run", [](State s) { return s.lesson.shown_run; }},
    Value{"lesson.locked",
          [](State s) {
            std::vector<std::string> closed;
            for (const Block& block : s.lesson.blocks())
              if (!s.lesson.locking(block).empty()) closed.push_back(block.id);
            return fmt::format("{}", fmt::join(closed, " "));
          }},
    Value{"horizon",
          [](State s) { return s.lesson.horizon ? number(*s.lesson.horizon) : std::string(); }},
    Value{"lesson.asked",
          [](State s) {
            return s.lesson.asked.in_picture ? s.lesson.asked.question : std::string();
          }},
    Value{"lesson.asked-step", [](State s) { return number(s.lesson.asked.step); }},
    Value{"parting",
          [](State s) {
            const auto& parting = s.lesson.prediction.parting;
            return parting ? parting->says : std::string();
          }},
    Value{"course", [](State s) { return s.lesson.chosen_course; }},
    Value{"course.points",
          [](State s) { return s.lesson.course() ? number(s.lesson.course()->reached()) : ""; }},
    Value{"course.item",
          [](State s) {
            const auto* const item = s.lesson.item_here();
            return item != nullptr
                       ? fmt::format("{}/{}: {}", item->lesson, item->id, to_string(item->standing))
                       : "";
          }},
    Value{"check-list", [](State s) { return open_or_closed(s.lesson.list_open); }},
    Value{"hand-in",
          [](State s) -> std::string {
            const HandInState& now = s.lesson.hand_in;
            if (now.busy) return "busy";
            if (!now.problem.empty()) return now.problem;
            return now.receipt ? now.receipt->checksum : now.open ? "open" : "";
          }},
    Value{"lesson.stopped", [](State s) { return s.lesson.stopped.slug; }},
    Value{"lessons", [](State s) { return number(s.lesson.cards.size()); }},
    Value{"lesson.browser", [](State s) { return open_or_closed(s.lesson.browser); }},
    Value{"lesson.busy", [](State s) { return yes_or_no(s.lesson.busy); }},
    Value{"training", [](State s) { return std::string(to_string(s.training.state)); }},
    Value{"training.done",
          [](State s) {
            return number(s.training.results ? s.training.results->finished().size() : 0);
          }},
    Value{"training.looks",
          [](State s) {
            std::size_t count = 0;
            if (s.training.results)
              for (const auto& run : s.training.results->runs) count += run.log.size();
            return number(count);
          }},
    Value{"training.folder",
          [](State s) { return s.training.results ? s.training.results->folder : ""; }},
    Value{
        "training.unread",
        [](State s) { return number(s.training.results ? s.training.results->unread.size() : 0); }},
    Value{"training.problem", [](State s) { return s.training.problem; }},
    Value{"training.progress", [](State s) { return s.training.progress.words; }},
    Value{"overlap", [](State s) { return std::string(to_string(s.overlap.state)); }},
    Value{"overlap.bucket",
          [](State s) { return overlap_text(kOverlapFields[0], s.overlap.values[0]); }},
    Value{"overlap.exposed", [](State s) { return time_text(s.overlap.shown().times.exposed); }},
    Value{"overlap.step", [](State s) { return time_text(s.overlap.shown().times.total); }},
    Value{"overlap.apart", [](State s) { return time_text(s.overlap.shown().times_apart.total); }},
    Value{"overlap.shown",
          [](State s) -> std::string {
            return s.overlap.shows_measured ? "measured" : "closed-form";
          }},
    Value{"overlap.problem", [](State s) { return s.overlap.problem; }},
    Value{"network", network_of},
    Value{"network.links",
          [](State s) {
            const Topology* topology = s.network.shown();
            return number(topology == nullptr ? 0 : topology->links.size());
          }},
    Value{"network.link",
          [](State s) {
            const Topology* topology = s.network.shown();
            return topology == nullptr || s.network.link < 0 ? std::string()
                                                             : topology->link_name(s.network.link);
          }},
    Value{"network.busiest",
          [](State s) {
            const NetworkTraffic* traffic = s.network.traffic_shown();
            return traffic == nullptr || traffic->busiest.empty()
                       ? std::string()
                       : traffic->topology->link_name(traffic->busiest.front());
          }},
    Value{"network.unreachable", [](State s) { return s.network.unreachable; }},
    Value{"network.undo",
          [](State s) { return number(s.network.draft ? s.network.draft->undoable() : 0); }},
    Value{"schedule", schedule_of},
    Value{"schedule.moves",
          [](State s) {
            return number(s.schedule.editor ? s.schedule.editor->drawn().moves.size() : 0);
          }},
    Value{"schedule.size",
          [](State s) -> std::string {
            if (!s.schedule.editor) return "";
            const DrawnSchedule& drawn = s.schedule.editor->drawn();
            return fmt::format("{} {} {}", to_string(drawn.collective), drawn.ranks, drawn.chunks);
          }},
    Value{"schedule.move",
          [](State s) {
            return s.schedule.editor && s.schedule.selected >= 0
                       ? to_text(s.schedule.editor->drawn()
                                     .moves[static_cast<std::size_t>(s.schedule.selected)])
                       : std::string();
          }},
    Value{
        "schedule.verdict",
        [](State s) { return s.schedule.facts ? verdict_text(*s.schedule.facts) : std::string(); }},
    Value{"schedule.times",
          [](State s) -> std::string {
            return s.schedule.times_are_current() ? "known" : "unknown";
          }},
    Value{"schedule.undo",
          [](State s) { return number(s.schedule.editor ? s.schedule.editor->undoable() : 0); }},
    Value{"student", [](State s) { return s.lesson.student; }},
    Value{"lecture", [](State s) -> std::string { return s.lesson.lecture ? "on" : "off"; }},
    Value{"presenting", [](State s) { return yes_or_no(s.presenting); }},
    Value{"error", [](State s) { return s.error; }},
    Value{"presenter", [](State s) { return open_or_closed(s.lecture.presenter); }},
    Value{"blank", [](State s) { return yes_or_no(s.lecture.blank); }},
    Value{"spotlight", [](State s) { return yes_or_no(s.lecture.spotlight); }},
    Value{"pen", [](State s) { return yes_or_no(s.lecture.pen); }},
    Value{"pen.lines", [](State s) { return number(s.lecture.strokes.size()); }},
    Value{"timer", [](State s) { return number(s.lecture.timer_s); }},
    Value{"countdown",
          [](State s) { return s.lecture.countdown ? number(s.lecture.countdown->left_s) : ""; }},
    Value{"view.main", view_at<Slot::main>},
    Value{"view.lower", view_at<Slot::lower>},
    Value{"view.side", view_at<Slot::side>},
    Value{"view.side_lower", view_at<Slot::side_lower>},
};

/// "grading.EXERCISE": none, running, stopped, failed or graded; "grade.EXERCISE": "4.5 of 6"; "fault.EXERCISE":
/// what breaks the first rule that is broken, or why there is no grade.
std::string grade_of(const LessonState& l, const std::string& exercise) {
  const CodeState* code_state = l.program(exercise);
  if (code_state == nullptr || code_state->state != CodeState::State::graded) return "";
  const double scale = l.course_scale(exercise, code_state->most);
  return fmt::format("{} of {}", number_text(code_state->points * scale),
                     number_text(code_state->most * scale));
}
std::string fault_of(const LessonState& l, const std::string& exercise) {
  const CodeState* code_state = l.program(exercise);
  if (code_state == nullptr) return "";
  if (code_state->state == CodeState::State::failed) return code_state->problem;
  if (!code_state->capped.empty()) return code_state->capped;
  for (const auto& rule : code_state->rules)
    if (!rule.says.empty()) return rule.says;
  return "";
}

using Answers = const LessonState&;
using Id = const std::string&;

/// "verdict.QUESTION" ...: of a question of the open lesson, whether it was answered or not.
struct QuestionValue {
  std::string_view key;
  std::string (*of)(Answers lesson, Id question);
};
constexpr std::array kQuestionValues{
    QuestionValue{"verdict",
                  [](Answers l, Id q) { return std::string(to_string(l.progress.of(q).state)); }},
    QuestionValue{"says", [](Answers l, Id q) { return l.progress.of(q).says; }},
    QuestionValue{"points",
                  [](Answers l, Id q) {
                    const Question* const asked = l.lesson ? l.lesson->find_question(q) : nullptr;
                    const double scale = asked ? l.course_scale(q, asked->points) : 1;
                    return number_text(l.progress.of(q).points * scale);
                  }},
    QuestionValue{"program",
                  [](Answers l, Id e) {
                    const CodeState* code_state = l.program(e);
                    return code_state == nullptr ? std::string() : code_state->file;
                  }},
    QuestionValue{"grading",
                  [](Answers l, Id e) {
                    const CodeState* code_state = l.program(e);
                    return std::string(to_string(code_state == nullptr ? CodeState::State::none
                                                                       : code_state->state));
                  }},
    QuestionValue{"grade", grade_of},
    QuestionValue{"fault", fault_of},
    QuestionValue{"hints", [](Answers l, Id q) { return fmt::to_string(l.progress.of(q).hints); }},
    QuestionValue{"attempts",
                  [](Answers l, Id q) { return fmt::to_string(l.progress.of(q).attempts); }},
    QuestionValue{"draft",
                  [](Answers l, Id q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string()
                           : question_state->draft.is_string()
                               ? question_state->draft.get<std::string>()
                               : dump_json(question_state->draft);
                  }},
    QuestionValue{"solution",
                  [](Answers l, Id q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string() : question_state->solution;
                  }},
};

/// Returns "verdict", "points", "grade" ... of a question, whether it was answered or not; nothing for an unknown key.
std::optional<std::string> question_value(const LessonState& lesson, std::string_view key,
                                          const std::string& question) {
  const auto found = ranges::find(kQuestionValues, key, &QuestionValue::key);
  if (found == kQuestionValues.end()) return std::nullopt;
  return found->of(lesson, question);
}

}  // namespace

std::string value_of(const AppState& state, const std::string& key) {
  if (const auto dot = key.find('.'); dot != std::string::npos)
    if (const auto value = question_value(state.lesson, key.substr(0, dot), key.substr(dot + 1)))
      return *value;
  const auto found = ranges::find(kValues, key, &Value::key);
  if (found != kValues.end()) return found->of(state);
  std::vector<std::string> keys;
  for (const auto& value : kValues) keys.emplace_back(value.key);
  throw UserError(fmt::format("there is no value \"{}\"{}", key, nearest_hint(key, keys)));
}

bool meets(const AppState& state, const std::vector<std::string>& words) {
  const std::string value = value_of(state, words[0]);
  const std::string wanted = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  // "*word*" asks whether the value contains the word.
  const bool part = wanted.size() > 2 && wanted.front() == '*' && wanted.back() == '*';
  return part ? value.find(wanted.substr(1, wanted.size() - 2)) != std::string::npos
              : value == wanted;
}

}  // namespace rankscope::gui
