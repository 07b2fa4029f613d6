// Makes the request for a diagram from the window's state, and writes exports in a thread.
#include "gui/state/model/export_job.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "gui/state/command/view_infos.h"

namespace rankscope::gui {
namespace {

// Returns the round at the cursor; -1 for the end, or all rounds.
int round_of(const AppState& state, const DiagramKind& kind) {
  const auto& document = *state.document;
  const auto& play = state.playback;
  const int count = document.rounds().count;
  const int done = document.rounds_done(play.clock, play.moment);
  if (count == 0 || document.large()) return -1;
  const bool is_network = kind.view == "network";
  if (is_network && (state.network.whole || play.clock == ClockBase::measured)) return -1;
  if (kind.name != "graph" && !is_network) return done >= count ? -1 : done;
  // The round that goes on.
  const int going =
      play.clock == ClockBase::rounds ? static_cast<int>(std::ceil(play.moment - 1e-9)) : done + 1;
  return std::clamp(going, 1, count);
}

std::string no_diagram(const std::string& name, const std::string& output) {
  std::vector<std::string> names;
  for (const DiagramKind& kind : diagrams()) names.emplace_back(kind.name);
  return fmt::format(
      "there is no diagram \"{}\"{}. `export {}` alone writes what the main pane shows; or name "
      "one: {}",
      name, nearest_hint(name, names), output, fmt::join(names, ", "));
}

}  // namespace

DiagramRequest request_of(const AppState& state, const DiagramKind& kind, bool whole) {
  const auto& settings = state.settings;
  DiagramRequest request;
  if (kind.shows("time")) request.measured = state.playback.clock == ClockBase::measured;
  if (kind.shows("portrait")) request.portrait = settings.portrait;
  if (kind.shows("critical-path")) request.critical_path = settings.critical_path;
  if (kind.shows("values")) request.values = settings.values;
  if (kind.shows("round") && !whole) request.round = round_of(state, kind);
  if (kind.shows("with") && state.other) request.other = &state.other->analysis();
  return request;
}

TraceExport export_of(const AppState& state, const std::string& output, const std::string& view,
                      std::vector<std::string> sources) {
  TraceExport what;
  what.output = output;
  what.sources = std::move(sources);
  what.format = format_of_file(output);
  if (what.format == nullptr)
    throw UserError(fmt::format("'{}' does not name a format: end it in {}, or in {}", output,
                                endings(true), endings(false)));
  if (!what.format->picture()) return what;
  what.kind = find_diagram(view);
  if (what.kind == nullptr && !is_view(view)) throw UserError(no_diagram(view, output));
  if (what.kind == nullptr)
    throw UserError(
        fmt::format("what the view \"{}\" shows is no diagram, so it cannot be exported: "
                    "`copy-picture` and F12 make a picture of it; or name one: export {} spacetime",
                    view, output));
  if (what.kind->view == "network" && state.network.draft && !state.network.draft_carries_alike)
    throw UserError(
        "the view Network shows another network than the run's: `network run` runs on it, then "
        "export; or `network close` shows the run's own");
  what.request = request_of(state, *what.kind, what.format->moves);
  if (view == "table") what.request.values = true;
  if (what.kind->takes("with") && what.request.other == nullptr)
    throw UserError(
        "there is no second run to compare with: `compare keep` or `compare FILE`, then export");
  if (what.format->name != "pdf")  // a PDF is for paper
    what.theme = state.settings.theme == ThemeKind::light ? Theme::Kind::light : Theme::Kind::dark;
  return what;
}

ExportJob::ExportJob(const AppState& state, TraceExport what, std::function<void()> changed)
    : output_(what.output) {
  const bool other_colours = state.settings.theme == ThemeKind::contrast && what.theme.has_value();
  outcome_ = std::async(
      std::launch::async,
      [document = state.document, other = state.other, what = std::move(what),
       changed = std::move(changed), other_colours, shared = shared_]() -> Outcome {
        Outcome outcome;
        try {
          const auto count = [&](std::size_t done, std::size_t all) {
            shared->done = done;
            shared->all = all;
            changed();
          };
          // The analysis of a large run must not stay in memory until the window closes.
          const TraceAnalysis run =
              document->large() ? TraceAnalysis(document->trace()) : document->analysis();
          const auto result =
              export_trace(run, what, {count, [&] { return shared->stopped.load(); }});
          outcome.message =
              result.stopped
                  ? fmt::format("stopped: {} was not written", what.output)
                  : fmt::format("written: {}{}", what.output,
                                other_colours ? " (dark: files have no contrast theme)" : "");
        } catch (const std::exception& error) {  // one export that fails must not end a lecture
          outcome = {true, error.what()};
        }
        changed();
        return outcome;
      });
}

ExportJob::~ExportJob() {
  stop();
  if (outcome_.valid()) outcome_.wait();
}

std::string ExportJob::progress() const {
  const std::size_t all = shared_->all;
  return all == 0 ? fmt::format("writing {} …", output_)
                  : fmt::format("writing {}: frame {} of {}", output_, shared_->done.load(), all);
}

}  // namespace rankscope::gui
