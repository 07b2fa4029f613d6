// Prints a lecture: a page for each stop of its scenes, with the question that stands there, and notes.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/catalogue.h"
#include "lessons/slides/lecture_file.h"
#include "lessons/slides/slide_frame.h"
#include "lessons/slides/slides.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

using Is = SceneMoment::Is;

/// A place at which the clicker stops: how many rounds are over, and whether elements are shown.
struct PrintedStop {
  int round = 0;
  bool values = false;
};

void look_at(const std::vector<std::string>& commands, PrintedStop& stop) {
  for (const std::string& line : commands)
    if (line.starts_with("values ")) stop.values = line.ends_with(" on");
}

class LecturePrinter {
 public:
  LecturePrinter(const Lecture& lecture, LessonRuns& runs, const Ruler& ruler)
      : lecture_(lecture), runs_(runs), frame_(ruler) {}

  std::vector<Slide> all() {
    for (const LectureScene& one : lecture_.scenes) scene(one);
    return frame_.take(lecture_.title);
  }

 private:
  void scene(const LectureScene& scene) {
    std::unique_ptr<const TraceAnalysis> traced;
    const TraceAnalysis* const run = run_of(scene.run, traced);
    const DiagramKind* const kind = find_diagram(scene.view);
    const DiagramKind* const drawn = kind != nullptr && kind->draw != nullptr && scene.race.empty()
                                         ? kind
                                         : find_diagram("stage");
    if (run == nullptr) return words(scene, "Its program runs when the lecture is given.");
    if (drawn == nullptr || run->large()) return words(scene, "Its run is shown in the window.");
    bool first = true;
    for (const PrintedStop& stop : stops(scene, *run)) {
      const bool fits = page(scene, *drawn, *run, stop);
      if (!fits && first) return words(scene, "Its picture has more detail than a page can show.");
      if (fits && std::exchange(first, false)) frame_.note(markdown_plain(scene.notes));
    }
  }

  /// Null for a program: only `rankscope exec` runs those.
  const TraceAnalysis* run_of(const SceneRun& run, std::unique_ptr<const TraceAnalysis>& traced) {
    if (run.is == SceneRun::Is::program) return nullptr;
    if (run.is == SceneRun::Is::job) return &runs_.run(run.job);
    traced = std::make_unique<const TraceAnalysis>(TraceReader::open(run.file.string()));
    return traced.get();
  }

  static int round_of(const SceneMoment& moment, const TraceAnalysis& run) {
    const int rounds = run.rounds().count;
    if (moment.is == Is::end) return rounds;
    return moment.is == Is::round ? std::min(static_cast<int>(moment.value), rounds) : 0;
  }

  static std::vector<PrintedStop> stops(const LectureScene& scene, const TraceAnalysis& run) {
    PrintedStop now{round_of(scene.at, run), false};
    look_at(scene.commands, now);
    std::vector<PrintedStop> out{now};
    for (const SceneStop& stop : scene.stops) {
      now.round = std::max(now.round, round_of(stop.at, run));
      look_at(stop.commands, now);
      out.push_back(now);
    }
    for (int round = now.round + 1; scene.stops.empty() && round <= run.rounds().count; ++round)
      out.push_back({round, now.values});
    return out;
  }

  /// Returns whether the question stands here: it asks for the next round, or for what comes before the next stop.
  static bool asks_at(const LectureScene& scene, const TraceAnalysis& run, int round) {
    if (!scene.question) return false;
    const int asked = round_of(scene.question->before, run);
    int last = round_of(scene.at, run);
    for (const SceneStop& stop : scene.stops)
      if (const int at = round_of(stop.at, run); at < asked) last = std::max(last, at);
    return round == (scene.stops.empty() ? std::max(last, asked - 1) : last);
  }

  bool page(const LectureScene& scene, const DiagramKind& kind, const TraceAnalysis& run,
            const PrintedStop& stop) {
    std::string caption = stop.round == 0
                              ? "before the first step"
                              : fmt::format("after step {} of {}", stop.round, run.rounds().count);
    if (asks_at(scene, run, stop.round)) {
      const SceneQuestion& asked = *scene.question;
      caption = asked.text;
      if (!asked.options.empty()) caption += fmt::format(" ({})", fmt::join(asked.options, ", "));
    }
    return frame_.picture(scene.title, {}, caption, [&](double width, double height) {
      DiagramRequest request;
      request.width = width;
      request.height = height;
      request.heading = false;
      request.values = stop.values;
      if (kind.draw_between != nullptr)
        return kind.draw_between(run, request, stop.round, stop.round, 1).front();
      if (kind.takes("round")) request.round = stop.round;
      return kind.draw(run, request);
    }) > 0;
  }

  void words(const LectureScene& scene, const std::string& why) {
    std::vector<SlidePart> parts;
    if (scene.question) add_markdown(scene.question->text, true, parts);
    add_markdown(why, true, parts);
    frame_.text("", scene.title, parts, markdown_plain(scene.notes));
  }

  const Lecture& lecture_;
  LessonRuns& runs_;
  SlideFrame frame_;
};

}  // namespace

std::vector<Slide> slides_of(const Lecture& lecture, LessonRuns& runs, const Ruler& ruler) {
  return LecturePrinter(lecture, runs, ruler).all();
}

}  // namespace rankscope
