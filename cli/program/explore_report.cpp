// Formats the results of `--explore` and `--replay` as text and JSON, and stores the failing run.
#include "cli/program/explore_report.h"

#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "lessons/coding/kept_runs.h"

namespace rankscope::cli {
namespace {

using explore::Exploration;
using explore::FailingOrder;
using explore::Outcome;
using explore::Replay;
using nlohmann::json;

constexpr std::int64_t kMostOrders = 1'000'000;
constexpr std::size_t kShownSeeds = 8;

std::uint64_t seed_of(const std::string& text, const char* option) {
  return static_cast<std::uint64_t>(
      parse_integer(text, option, 0, std::numeric_limits<std::int64_t>::max() / 2));
}

class Explorations {
 public:
  Explorations(const Console& console, const Explored& explored, explore::ExploreSettings settings,
               const explore::RunInOrder& run)
      : console_(console), explored_(explored), settings_(std::move(settings)), run_(run) {}

  int explore() {
    ProgressLine progress(console_);
    settings_.on_progress = [&](int done, int all, int failed) {
      progress.show(all > 0 ? fmt::format("order {} of {}, {} failed", done + 1, all, failed)
                            : fmt::format("shortening: {} tried", done));
    };
    const Exploration all = explore::explore(settings_, run_);
    progress.clear();
    if (all.interrupted) return kInterrupted;
    const std::string file = all.shortest ? keep(all.shortest->outcome) : std::string();
    if (console_.json()) console_.print_raw(json_text(json_of(all, file)));
    else console_.print(text_of(all, file));
    return all.failed == 0 ? kOk : kFailed;
  }

  int replay(const std::string& what) {
    const bool is_seed = what.find_first_not_of("0123456789") == std::string::npos;
    explore::Interleaving interleaving;
    if (is_seed)
      interleaving.which = explore::case_of_seed(seed_of(what, "--replay"), settings_.ranks);
    else interleaving = explore::parse_interleaving(what);
    if (interleaving.which >= settings_.ranks.size())
      throw UserError(fmt::format("this schedule is of case {}, and there are only {} (from 0)",
                                  interleaving.which, settings_.ranks.size()));
    const Replay one = is_seed ? explore::replay_seed(seed_of(what, "--replay"), settings_, run_)
                               : explore::replay_interleaving(interleaving, settings_, run_);
    if (one.outcome.interrupted) return kInterrupted;
    const std::string file = keep(one.outcome);
    if (console_.json()) {
      console_.print_raw(json_text({{"failure", one.outcome.failure.text()},
                                    {"says", one.outcome.failure.words},
                                    {"words", one.words},
                                    {"moves", one.moves},
                                    {"digest", fmt::format("{:016x}", one.digest)},
                                    {"exact", one.left_behind < 0},
                                    {"trace", file}}));
    } else {
      std::string out =
          one.outcome.fails()
              ? fmt::format("Fails{}: {}\n", case_words(interleaving.which),
                            escaped(one.outcome.failure.words))
              : fmt::format(
                    "{}{}.\n",
                    explored_.praise && explored_.praise() != "Right" ? "Ends well" : "Right",
                    case_words(interleaving.which));
      for (const std::string& words : one.words) out += fmt::format("  {}\n", escaped(words));
      out += fmt::format("{}, in the order {:016x}{}.\n", counted(one.moves, "move"), one.digest,
                         one.left_behind < 0 ? "" : " as far as it could be kept");
      if (!file.empty()) out += fmt::format("Look at the run: rankscope-gui {}\n", escaped(file));
      console_.print(out);
    }
    return one.outcome.fails() ? kFailed : kOk;
  }

 private:
  std::string case_words(std::uint32_t which) const {
    return explored_.name_of ? " with " + explored_.name_of(which) : std::string();
  }

  // Writes the failing run's trace; returns its file, or empty.
  std::string keep(const Outcome& outcome) const {
    if (explored_.file.empty() || !outcome.trace) return {};
    std::error_code error;
    const std::filesystem::path file(explored_.file);
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    write_run(file, outcome.events, outcome.meta);
    return explored_.file;
  }

  std::string text_of(const Exploration& all, const std::string& file) const {
    std::string out;
    if (all.failed == 0) {
      const std::string praise = explored_.praise ? explored_.praise() : "Right";
      out = fmt::format(
          "{} in all {}, from seed {} on.{}\n", praise,
          counted(static_cast<std::uint64_t>(all.orders), "order"), settings_.seed,
          praise == "Right" ? "" : " Whether the result is right, name the collective with --as.");
    } else {
      std::vector<std::string> kinds;
      for (const auto& [kind, times] : all.kinds)
        kinds.push_back(fmt::format("{}: {}", kind.text(), times));
      std::vector<std::uint64_t> seeds = all.failing_seeds;
      const bool more = seeds.size() > kShownSeeds;
      if (more) seeds.resize(kShownSeeds);
      out = fmt::format("Fails in {} of {} ({}); seed{} {}{}.\n", all.failed,
                        counted(static_cast<std::uint64_t>(all.orders), "order"),
                        fmt::join(kinds, ", "), seeds.size() == 1 ? "" : "s",
                        fmt::join(seeds, ", "), more ? " ..." : "");
    }
    if (all.inexact > 0)
      out += fmt::format(
          "In {} a rank computed for more than {:g} s; the others went on without it.\n",
          counted(static_cast<std::uint64_t>(all.inexact), "order"),
          std::chrono::duration<double>(settings_.order.compute_limit).count());
    if (all.shortest) out += text_of(*all.shortest, file);
    return out;
  }

  std::string text_of(const FailingOrder& one, const std::string& file) const {
    std::string out;
    const std::size_t few = one.interleaving.deviations.size();
    const std::string again = explored_.again("--replay " + to_text(one.interleaving));
    if (few == 0) {
      out += fmt::format("It needs no particular order{}: the usual one fails, too.\n",
                         case_words(one.interleaving.which));
    } else {
      out += fmt::format("The shortest{} needs {} to happen otherwise{}:\n",
                         case_words(one.interleaving.which),
                         few == 1 ? "one thing" : fmt::format("{} things", few),
                         one.minimal ? "" : " (perhaps fewer: there was no time to see)");
      for (const std::string& words : one.words) out += fmt::format("  {}\n", escaped(words));
    }
    out += fmt::format("Then: {}\n", escaped(one.outcome.failure.words));
    if (one.left_behind >= 0)
      out += fmt::format(
          "Rank {} computed for so long that the others went on without it: a replay may differ.\n",
          one.left_behind);
    else if (one.same_again == one.replays)
      out += fmt::format("Replayed {} times: the same each time.\n", one.replays);
    else
      out += fmt::format(
          "Replayed {} times, it failed {} times and went the same way {} times: the program "
          "itself depends on chance or time.\n",
          one.replays, one.failed_again, one.same_again);
    out += fmt::format("Again: {}\n", escaped(again));
    if (!file.empty()) out += fmt::format("Look at the run: rankscope-gui {}\n", escaped(file));
    return out;
  }

  static json json_of(const Exploration& all, const std::string& file) {
    json out{{"orders", all.orders},
             {"failed", all.failed},
             {"seeds", all.failing_seeds},
             {"inexact", all.inexact}};
    out["kinds"] = json::object();
    for (const auto& [kind, times] : all.kinds) out["kinds"][kind.text()] = times;
    if (!all.shortest) return out;
    const FailingOrder& one = *all.shortest;
    out["shortest"] = {{"seed", one.seed.value_or(0)},
                       {"schedule", to_text(one.interleaving)},
                       {"deviations", one.interleaving.deviations.size()},
                       {"deviations_before", one.deviations_before},
                       {"minimal", one.minimal},
                       {"failure", one.outcome.failure.text()},
                       {"says", one.outcome.failure.words},
                       {"words", one.words},
                       {"replays", one.replays},
                       {"failed_again", one.failed_again},
                       {"same_again", one.same_again},
                       {"exact", one.left_behind < 0},
                       {"trace", file}};
    return out;
  }

  const Console& console_;
  const Explored& explored_;
  explore::ExploreSettings settings_;
  const explore::RunInOrder& run_;
};

}  // namespace

int run_exploration(const Console& console, const ExploreOptions& options, const Explored& explored,
                    explore::ExploreSettings settings, const explore::RunInOrder& run) {
  if (!options.explore.empty() && !options.replay.empty())
    throw UserError("--explore looks for failing orders, --replay repeats one: give one of them");
  if (!options.seed.empty()) settings.seed = seed_of(options.seed, "--seed");
  if (!options.explore.empty())
    settings.orders = static_cast<int>(parse_integer(options.explore, "--explore", 1, kMostOrders));
  Explorations explorations(console, explored, std::move(settings), run);
  return options.replay.empty() ? explorations.explore() : explorations.replay(options.replay);
}

}  // namespace rankscope::cli
