// The named values of the state that scripts print and wait for.
#include "gui/state/model/state_values.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/core/trace/streamed_trace.h"
#include "gui/state/files/settings.h"
#include "gui/state/lesson/lesson_state.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/model/state_chip.h"
#include "gui/state/run/large_run.h"

namespace rankscope::gui {
namespace {

struct Value {
  std::string_view key;
  std::string (*of)(const AppState& state);
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
/// "right", "wrong" or "none"; the cell at which a wrong one shows is in the verdict.
std::string schedule_of(const AppState& s) {
  if (!s.schedule.editor || !s.schedule.facts) return "none";
  return s.schedule.facts->is_right() ? "right" : "wrong";
}

/// "simulating", "reading", "none", "run" (as the trace has it), "draft", or "changed" (not saved).
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
    Value{"state", [](const AppState& s) { return state_chip(s).text; }},
    Value{"moment", [](const AppState& s) { return fmt::format("{:.3f}", s.playback.moment); }},
    Value{"end",
          [](const AppState& s) {
            return s.document ? fmt::format("{:.3f}", s.document->end(s.playback.clock)) : "0";
          }},
    Value{"offers",
          [](const AppState& s) {
            std::vector<std::string> all;
            for (const LiveOffer& one : live_marks(s).offers)
              all.push_back(fmt::format("{}>{}", one.from, one.to));
            return fmt::format("{}", fmt::join(all, " "));
          }},
    Value{"who-can-move",
          [](const AppState& s) {
            return std::string(s.moves.checked ? "checked" : s.moves.asked ? "open" : "none");
          }},
    Value{"moves",
          [](const AppState& s) { return fmt::format("{}", fmt::join(s.moves.chosen, " ")); }},
    Value{"clock", [](const AppState& s) { return std::string(to_string(s.playback.clock)); }},
    Value{"playing", [](const AppState& s) { return yes_or_no(s.playback.playing); }},
    Value{"speed", [](const AppState& s) { return fmt::format("{:.3g}", s.playback.speed); }},
    Value{"ranks",
          [](const AppState& s) { return number(s.document ? s.document->world_size() : 0); }},
    Value{"events",
          [](const AppState& s) {
            if (s.document && s.document->run()) return number(s.document->run()->events());
            return number(s.document ? s.document->trace().size() : 0);
          }},
    // The time whose events are in memory, for a run too large to be held whole.
    Value{"held",
          [](const AppState& s) {
            if (!s.document || !s.document->run()) return std::string("all");
            const auto part = s.document->part();
            return fmt::format("{:.3f} {:.3f}", part.begin, part.end);
          }},
    // Whether the picture of such a run shows estimated or counted messages.
    Value{"sums",
          [](const AppState& s) {
            const auto run = s.document ? best_counted(*s.document, s.counted) : nullptr;
            return std::string(run && run->is_estimated() ? "estimated" : "counted");
          }},
    Value{"messages",
          [](const AppState& s) {
            return number(s.document ? s.document->rounds().messages.size() : 0);
          }},
    Value{"rounds",
          [](const AppState& s) { return number(s.document ? s.document->rounds().count : 0); }},
    Value{"algorithm",
          [](const AppState& s) { return s.document ? s.document->trace().meta().algorithm : ""; }},
    Value{"other",
          [](const AppState& s) { return s.other ? s.other->trace().meta().algorithm : ""; }},
    Value{"undo", [](const AppState& s) { return number(s.undoable); }},
    Value{"problems", [](const AppState& s) { return number(s.problems.size()); }},
    Value{"problem",
          [](const AppState& s) { return s.problems.empty() ? "" : s.problems.front().what; }},
    Value{"consequences",
          [](const AppState& s) {
            std::size_t count = 0;
            for (const Problem& one : s.problems) count += one.follows.size();
            return number(count);
          }},
    Value{"race",
          [](const AppState& s) -> std::string {
            return s.race.running ? "running" : s.race.runs.empty() ? "off" : "done";
          }},
    Value{"race.runs", [](const AppState& s) { return number(s.race.runs.size()); }},
    Value{"race.verdict", [](const AppState& s) { return s.race.verdict; }},
    Value{"race.difference", [](const AppState& s) { return s.race.difference; }},
    Value{"first-page", [](const AppState& s) { return open_or_closed(s.first_page()); }},
    Value{"what-if", [](const AppState& s) { return s.what_if.now; }},
    Value{"what-if.outcome",
          [](const AppState& s) {
            const auto* shown = s.what_if.shown();
            return shown != nullptr ? shown->outcome : "";
          }},
    Value{"message", [](const AppState& s) { return s.message; }},
    Value{"selected-message", [](const AppState& s) { return number(s.selection.message); }},
    Value{"selected-rank", [](const AppState& s) { return number(s.selection.rank); }},
    Value{"selected-event", [](const AppState& s) { return number(s.selection.event); }},
    Value{"selected-chunk", [](const AppState& s) { return number(s.selection.chunk); }},
    Value{"selected-line",
          [](const AppState& s) -> std::string {
            if (!s.document || s.selection.event < 0) return "";
            return s.document->line_name(static_cast<std::uint64_t>(s.selection.event));
          }},
    Value{"bookmarks", [](const AppState& s) { return number(s.bookmarks.size()); }},
    Value{"breakpoints", [](const AppState& s) { return number(s.breakpoints.size()); }},
    Value{"curtain", [](const AppState& s) { return std::string(s.curtain() ? "down" : "up"); }},
    Value{"labels", [](const AppState& s) { return s.settings.labels; }},
    Value{"theme", [](const AppState& s) { return std::string(to_string(s.settings.theme)); }},
    Value{"scale", [](const AppState& s) { return fmt::format("{:.2f}", s.settings.ui_scale); }},
    Value{"job.ranks", [](const AppState& s) { return number(s.settings.job.world_size); }},
    Value{"job.algorithm", [](const AppState& s) { return s.settings.job.algorithm; }},
    Value{"filter", [](const AppState& s) { return s.event_filter; }},
    Value{"typing", [](const AppState& s) { return yes_or_no(s.typing); }},
    Value{"palette", [](const AppState& s) { return open_or_closed(s.show_palette); }},
    Value{"shortcuts", [](const AppState& s) { return open_or_closed(s.show_shortcuts); }},
    Value{"layouts",
          [](const AppState& s) {
            std::vector<std::string> names;
            for (const auto& one : layouts_of(s.settings)) names.push_back(one.name);
            return fmt::format("{}", fmt::join(names, " "));
          }},
    Value{"panels",
          [](const AppState& s) {
            std::string open;
            for (const auto& panel : kPanels)
              if (s.settings.layout.*panel.open) open += std::string(panel.name) + " ";
            return open;
          }},
    Value{"maximized",
          [](const AppState& s) {
            const auto& maximized = s.settings.layout.maximized;
            return maximized ? std::string(to_string(*maximized)) : "";
          }},
    Value{"lesson", [](const AppState& s) { return s.lesson.lesson ? s.lesson.lesson->slug : ""; }},
    Value{"lesson.page", [](const AppState& s) { return number(s.lesson.page() + 1); }},
    Value{"lesson.pages", [](const AppState& s) { return number(s.lesson.pages()); }},
    Value{"lesson.points", [](const AppState& s) { return number(s.lesson.progress.points()); }},
    Value{"lesson.done",
          [](const AppState& s) {
            return number(s.lesson.lesson ? s.lesson.progress.done(*s.lesson.lesson) : 0);
          }},
    Value{"lesson.run", [](const AppState& s) { return s.lesson.shown_run; }},
    Value{"lesson.locked",
          [](const AppState& s) {
            std::vector<std::string> closed;
            const auto& lesson = s.lesson;
            if (lesson.lesson && lesson.page() < lesson.pages())
              for (const Block& block :
                   lesson.lesson->steps[static_cast<std::size_t>(lesson.page())].blocks)
                if (!lesson.locking(block).empty()) closed.push_back(block.id);
            return fmt::format("{}", fmt::join(closed, " "));
          }},
    Value{"horizon",
          [](const AppState& s) {
            return s.lesson.horizon ? number(*s.lesson.horizon) : std::string();
          }},
    Value{"lesson.asked",
          [](const AppState& s) {
            return s.lesson.asked.in_picture ? s.lesson.asked.question : std::string();
          }},
    Value{"lesson.asked-step", [](const AppState& s) { return number(s.lesson.asked.step); }},
    Value{"parting",
          [](const AppState& s) {
            const auto& parting = s.lesson.prediction.parting;
            return parting ? parting->says : std::string();
          }},
    Value{"lessons", [](const AppState& s) { return number(s.lesson.cards.size()); }},
    Value{"lesson.browser", [](const AppState& s) { return open_or_closed(s.lesson.browser); }},
    Value{"lesson.busy", [](const AppState& s) { return yes_or_no(s.lesson.busy); }},
    Value{"training", [](const AppState& s) { return std::string(to_string(s.training.state)); }},
    Value{"training.done",
          [](const AppState& s) {
            return number(s.training.results ? s.training.results->finished().size() : 0);
          }},
    Value{"training.looks",
          [](const AppState& s) {
            std::size_t count = 0;
            if (s.training.results)
              for (const auto& run : s.training.results->runs) count += run.log.size();
            return number(count);
          }},
    Value{"training.folder",
          [](const AppState& s) { return s.training.results ? s.training.results->folder : ""; }},
    Value{"training.unread",
          [](const AppState& s) {
            return number(s.training.results ? s.training.results->unread.size() : 0);
          }},
    Value{"training.problem", [](const AppState& s) { return s.training.problem; }},
    Value{"training.progress", [](const AppState& s) { return s.training.progress.words; }},
    Value{"overlap", [](const AppState& s) { return std::string(to_string(s.overlap.state)); }},
    Value{"overlap.bucket",
          [](const AppState& s) { return overlap_text(kOverlapFields[0], s.overlap.values[0]); }},
    Value{"overlap.exposed",
          [](const AppState& s) { return time_text(s.overlap.shown().times.exposed); }},
    Value{"overlap.step",
          [](const AppState& s) { return time_text(s.overlap.shown().times.total); }},
    Value{"overlap.apart",
          [](const AppState& s) { return time_text(s.overlap.shown().times_apart.total); }},
    Value{"overlap.shown",
          [](const AppState& s) -> std::string {
            return s.overlap.shows_measured ? "measured" : "closed-form";
          }},
    Value{"overlap.problem", [](const AppState& s) { return s.overlap.problem; }},
    Value{"network", network_of},
    Value{"network.links",
          [](const AppState& s) {
            const Topology* topology = s.network.shown();
            return number(topology == nullptr ? 0 : topology->links.size());
          }},
    Value{"network.link",
          [](const AppState& s) {
            const Topology* topology = s.network.shown();
            return topology == nullptr || s.network.link < 0 ? std::string()
                                                             : topology->link_name(s.network.link);
          }},
    Value{"network.busiest",
          [](const AppState& s) {
            const NetworkTraffic* traffic = s.network.traffic_shown();
            return traffic == nullptr || traffic->busiest.empty()
                       ? std::string()
                       : traffic->topology->link_name(traffic->busiest.front());
          }},
    Value{"network.unreachable", [](const AppState& s) { return s.network.unreachable; }},
    Value{"network.undo",
          [](const AppState& s) {
            return number(s.network.draft ? s.network.draft->undoable() : 0);
          }},
    Value{"schedule", schedule_of},
    Value{"schedule.moves",
          [](const AppState& s) {
            return number(s.schedule.editor ? s.schedule.editor->drawn().moves.size() : 0);
          }},
    Value{"schedule.size",
          [](const AppState& s) -> std::string {
            if (!s.schedule.editor) return "";
            const DrawnSchedule& drawn = s.schedule.editor->drawn();
            return fmt::format("{} {} {}", to_string(drawn.collective), drawn.ranks, drawn.chunks);
          }},
    Value{"schedule.move",
          [](const AppState& s) {
            return s.schedule.editor && s.schedule.selected >= 0
                       ? to_text(s.schedule.editor->drawn()
                                     .moves[static_cast<std::size_t>(s.schedule.selected)])
                       : std::string();
          }},
    Value{"schedule.verdict",
          [](const AppState& s) {
            return s.schedule.facts ? verdict_text(*s.schedule.facts) : std::string();
          }},
    Value{"schedule.times",
          [](const AppState& s) -> std::string {
            return s.schedule.times_are_current() ? "known" : "unknown";
          }},
    Value{"schedule.undo",
          [](const AppState& s) {
            return number(s.schedule.editor ? s.schedule.editor->undoable() : 0);
          }},
    Value{"student", [](const AppState& s) { return s.lesson.student; }},
    Value{"lecture",
          [](const AppState& s) -> std::string { return s.lesson.lecture ? "on" : "off"; }},
    Value{"presenter", [](const AppState& s) { return open_or_closed(s.lecture.presenter); }},
    Value{"blank", [](const AppState& s) { return yes_or_no(s.lecture.blank); }},
    Value{"spotlight", [](const AppState& s) { return yes_or_no(s.lecture.spotlight); }},
    Value{"pen", [](const AppState& s) { return yes_or_no(s.lecture.pen); }},
    Value{"pen.lines", [](const AppState& s) { return number(s.lecture.strokes.size()); }},
    Value{"timer", [](const AppState& s) { return number(s.lecture.timer_s); }},
    Value{"countdown",
          [](const AppState& s) {
            return s.lecture.countdown ? number(s.lecture.countdown->left_s) : "";
          }},
    Value{"view.main", view_at<Slot::main>},
    Value{"view.lower", view_at<Slot::lower>},
    Value{"view.side", view_at<Slot::side>},
    Value{"view.side_lower", view_at<Slot::side_lower>},
};

}  // namespace

std::string value_of(const AppState& state, const std::string& key) {
  if (const auto dot = key.find('.'); dot != std::string::npos)
    if (const auto value = question_value(state.lesson, key.substr(0, dot), key.substr(dot + 1)))
      return *value;
  const auto found = ranges::find(kValues, key, &Value::key);
  if (found != kValues.end()) return found->of(state);
  std::vector<std::string> keys;
  for (const auto& value : kValues) keys.emplace_back(value.key);
  const auto guess = did_you_mean(key, nearest(key, keys));
  throw UserError(
      fmt::format("there is no value \"{}\"{}{}", key, guess.empty() ? "" : ": ", guess));
}

bool meets(const AppState& state, const std::vector<std::string>& words) {
  const std::string value = value_of(state, words[0]);
  const std::string wanted = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  // "*word*": contains it.
  const bool part = wanted.size() > 2 && wanted.front() == '*' && wanted.back() == '*';
  return part ? value.find(wanted.substr(1, wanted.size() - 2)) != std::string::npos
              : value == wanted;
}

namespace {

/// "grading.EXERCISE": none, running, stopped, failed or graded; "grade.EXERCISE": "4.5 of 6"; "fault.EXERCISE":
/// what breaks the first rule that is broken, or why there is no grade.
std::string grade_of(const LessonState& l, const std::string& exercise) {
  const CodeState* code_state = l.program(exercise);
  if (code_state == nullptr || code_state->state != CodeState::State::graded) return "";
  return fmt::format("{} of {}", code_state->points, code_state->most);
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

/// "verdict.QUESTION" ...: of a question of the open lesson, whether it was answered or not.
struct QuestionValue {
  std::string_view key;
  std::string (*of)(const LessonState& lesson, const std::string& question);
};
constexpr std::array kQuestionValues{
    QuestionValue{"verdict",
                  [](const LessonState& l, const std::string& q) {
                    return std::string(to_string(l.progress.of(q).state));
                  }},
    QuestionValue{"says",
                  [](const LessonState& l, const std::string& q) { return l.progress.of(q).says; }},
    QuestionValue{"points",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).points);
                  }},
    QuestionValue{"program",
                  [](const LessonState& l, const std::string& e) {
                    const CodeState* code_state = l.program(e);
                    return code_state == nullptr ? std::string() : code_state->file;
                  }},
    QuestionValue{"grading",
                  [](const LessonState& l, const std::string& e) {
                    const CodeState* code_state = l.program(e);
                    return std::string(to_string(code_state == nullptr ? CodeState::State::none
                                                                       : code_state->state));
                  }},
    QuestionValue{"grade", grade_of},
    QuestionValue{"fault", fault_of},
    QuestionValue{"hints",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).hints);
                  }},
    QuestionValue{"attempts",
                  [](const LessonState& l, const std::string& q) {
                    return fmt::to_string(l.progress.of(q).attempts);
                  }},
    QuestionValue{"draft",
                  [](const LessonState& l, const std::string& q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string()
                           : question_state->draft.is_string()
                               ? question_state->draft.get<std::string>()
                               : dump_json(question_state->draft);
                  }},
    QuestionValue{"solution",
                  [](const LessonState& l, const std::string& q) {
                    const auto* question_state = l.question_state(q);
                    return question_state == nullptr ? std::string() : question_state->solution;
                  }},
};

}  // namespace

std::optional<std::string> question_value(const LessonState& lesson, std::string_view key,
                                          const std::string& question) {
  const auto found = ranges::find(kQuestionValues, key, &QuestionValue::key);
  if (found == kQuestionValues.end()) return std::nullopt;
  return found->of(lesson, question);
}

}  // namespace rankscope::gui
