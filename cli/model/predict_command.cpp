// `rankscope predict`: the closed forms of several algorithms for one call, the fastest first.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/model/cost_options.h"
#include "cli/model/machine_file.h"
#include "cli/model/recorded_plan.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_table.h"
#include "engine/run/job/transports.h"
#include "lessons/handout/giveaways.h"

namespace rankscope::cli {
namespace {

struct PredictOptions : CostOptions {
  std::string machine;
  OptionHandle machine_option;
};

struct Prediction {
  const Algorithm* algorithm;
  const CostRow* row;
  CostTerm term;
  bool sum = false;  ///< The time is a sum, which holds on every network.
  double seconds = 0, bound = 0;
  std::optional<double> on_machine;  ///< Seconds on the calibrated machine.
  double share() const noexcept { return seconds > 0 ? bound / seconds : 1; }
};

/// Returns this machine's fit for the transport and ranks. Throws UserError if there is none.
FittedMachine fitted_machine(const PredictOptions& o) {
  const std::string transport = o.machine.empty() ? std::string(kDefaultTransport) : o.machine;
  for (const FittedMachine& one : read_machine_file(machine_file()))
    if (one.host == host_name() && one.transport == transport && one.ranks == o.ranks) return one;
  throw UserError(
      fmt::format("this machine has not been calibrated for {} over {}: run `rankscope calibrate "
                  "--np {} --transport {}`",
                  plural(o.ranks, "rank"), transport, o.ranks, transport));
}

void predict_on_machine(const PredictOptions& o, const CostSetting& setting,
                        std::vector<Prediction>& all) {
  const FittedMachine machine = fitted_machine(o);
  for (Prediction& one : all)
    one.on_machine =
        planned_time(machine.costs, recorded_plan(*one.algorithm, setting.in), machine.processors)
            .seconds;
  ranges::stable_sort(all, {}, &Prediction::on_machine);
}

constexpr double kLargestSize = 1ULL << 40;

std::vector<Prediction> predictions(const std::vector<const Algorithm*>& chosen,
                                    const CostSetting& setting) {
  std::vector<Prediction> out;
  for (const Algorithm* one : chosen) {
    const Cost cost = cost_of(*one, setting.in, setting.link);
    const auto closed = find_cost_row(*one)->closed(setting.in);
    out.push_back({one, find_cost_row(*one), cost.on(setting.link), closed && closed->is_sum(),
                   time(cost, setting.link), bound_times(one->collective, setting).largest(),
                   std::nullopt});
  }
  ranges::stable_sort(out, {}, &Prediction::seconds);
  return out;
}

/// Compares sizes from an element up to 1 TiB, or up to where a recurrence would keep the user waiting.
std::vector<FastestRange> fastest_by_size(const std::vector<const Algorithm*>& chosen,
                                          const CostSetting& setting) {
  if (chosen.size() < 2) return {};
  constexpr std::int64_t kQuick = 20'000;  // messages
  const auto quick = [&](const Algorithm& one, const CostSetting& at) {
    return find_cost_row(one)->closed(at.in) || at.in.n * one.rounds(at.in) <= kQuick;
  };
  std::vector<double> values;
  std::vector<std::vector<double>> times(chosen.size());
  for (const double value :
       axis_values(setting, CostAxis::bytes, static_cast<double>(dtype_size(setting.in.dtype)),
                   kLargestSize)) {
    const CostSetting at = with_value(setting, CostAxis::bytes, value);
    if (!ranges::all_of(chosen, [&](const Algorithm* one) { return quick(*one, at); })) break;
    values.push_back(value);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      times[k].push_back(time(cost_of(*chosen[k], at.in, at.link), at.link));
  }
  return fastest_ranges(chosen, setting, CostAxis::bytes, values, times);
}

std::string formula_text(const Prediction& one) {
  if (keeps_answers())
    return fmt::format("{}: the formula is an answer of your course, and is shown when it closes",
                       one.algorithm->name);
  const std::string holds = to_text(one.row->holds);
  return fmt::format("{}: {}{}", one.algorithm->name, one.row->formula,
                     holds.empty() ? "" : "  (" + holds + ")");
}

void print_table(const Console& console, const std::vector<Prediction>& all,
                 const CostSetting& setting, const std::vector<FastestRange>& fastest,
                 const std::vector<const Algorithm*>& chosen) {
  const LinkCosts& link = setting.link;
  const bool on_machine = !all.empty() && all.front().on_machine;
  std::vector<Table::Column> columns{
      {"algorithm", kLeft}, {"rounds"},     {"bytes"}, {"reduced"},     {"alpha part"},
      {"beta part"},        {"gamma part"}, {"time"},  {"lower bound"}, {"bound / time"}};
  if (on_machine) columns.push_back({"this machine"});
  Table table(std::move(columns));
  for (const Prediction& one : all) {
    std::vector<std::string> row{std::string(one.algorithm->name),
                                 fmt::format("{}", one.term.rounds),
                                 format_bytes(one.term.bytes),
                                 format_bytes(one.term.reduced),
                                 format_seconds(static_cast<double>(one.term.rounds) * link.alpha),
                                 format_seconds(static_cast<double>(one.term.bytes) * link.beta),
                                 format_seconds(static_cast<double>(one.term.reduced) * link.gamma),
                                 format_seconds(one.seconds),
                                 format_seconds(one.bound),
                                 fmt::format("{:.1f} %", 100 * one.share())};
    if (one.on_machine) row.push_back(format_seconds(*one.on_machine));
    table.add_row(std::move(row));
  }
  std::string text = setting_text(setting) + "\n\n" + table.to_string(console.out()) + "\n";
  if (const std::string words = fastest_text(fastest, chosen, CostAxis::bytes); !words.empty())
    text += fmt::format("By size: {}.\n\n", words);
  for (const Prediction& one : all) text += formula_text(one) + "\n";
  console.print(text);
  console.note(
      "Rounds, bytes and bytes reduced are those of the critical path, exact for this size and\n"
      "these ranks. In the formulas N is the number of ranks, n the bytes of a rank, K the number\n"
      "of segments, g the ranks of a group, k the radix, and A the blocks in a message.");
}

void print_json(const Console& console, const std::vector<Prediction>& all,
                const CostSetting& setting, const std::vector<FastestRange>& fastest,
                const std::vector<const Algorithm*>& chosen) {
  nlohmann::ordered_json json;
  json["ranks"] = setting.in.n;
  json["bytes"] = setting.in.shape.count() * static_cast<Count>(dtype_size(setting.in.dtype));
  json["alpha_s"] = setting.link.alpha;
  json["beta_s"] = setting.link.beta;
  json["gamma_s"] = setting.link.gamma;
  json["predictions"] = nlohmann::ordered_json::array();
  for (const Prediction& one : all)
    json["predictions"].push_back({{"algorithm", one.algorithm->name},
                                   {"rounds", one.term.rounds},
                                   {"bytes", one.term.bytes},
                                   {"reduced_bytes", one.term.reduced},
                                   {"time_s", one.seconds},
                                   {"lower_bound_s", one.bound},
                                   {"share_of_bound", one.share()},
                                   {"on_every_network", one.sum},
                                   {"formula", keeps_answers() ? "" : one.row->formula},
                                   {"formula_holds", to_text(one.row->holds)}});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].on_machine) json["predictions"][i]["machine_time_s"] = *all[i].on_machine;
  json["fastest_by_bytes"] = nlohmann::ordered_json::array();
  for (const FastestRange& range : fastest)
    json["fastest_by_bytes"].push_back(
        {{"algorithm", chosen[range.algorithm]->name}, {"from", range.from}, {"to", range.to}});
  console.print_raw(json.dump(2) + "\n");
}

Action define_predict(OptionList app) {
  const auto o = std::make_shared<PredictOptions>();
  app.add_option("algorithm", "ALGORITHM", o->algorithms,
                 "Algorithms, or a collective for all its algorithms")
      .required()
      .expected(1, 100);
  o->add_to(app);
  o->machine_option = app.add_option("--machine", "TRANSPORT", o->machine,
                                     "Also predict with this machine's calibration (`rankscope "
                                     "calibrate`), for a transport")
                          .expected(0, 1);
  return [o](const Console& console) {
    const CostSetting setting = o->setting();
    const auto chosen = o->chosen();
    auto all = predictions(chosen, setting);
    if (o->machine_option.count() > 0) predict_on_machine(*o, setting, all);
    const auto fastest = fastest_by_size(chosen, setting);
    if (console.json()) print_json(console, all, setting, fastest, chosen);
    else print_table(console, all, setting, fastest, chosen);
    return int{kOk};
  };
}

}  // namespace

constinit const CommandEntry kPredictCommand{
    .name = "predict",
    .group = kMeasuring,
    .summary = "predict costs from closed forms",
    .details =
        "Runs nothing. Rounds, bytes and bytes reduced on the critical path are exact, for parts "
        "that differ in length, every root and any number of ranks; times are alpha for each "
        "message, beta for each byte sent and gamma for each byte reduced. No two ranks share a "
        "link; a rank sends one message and receives one at a time. Beside the time stand the "
        "collective's lower bound and the formula; several algorithms are sorted, and compared "
        "over all sizes.",
    .examples =
        "rankscope predict allreduce.ring allreduce.bde --ranks 64 --bytes 1MiB  # and where they "
        "cross\n"
        "rankscope predict allreduce --alpha 5us --bandwidth 10GB/s --gamma 20GB/s  # all of them\n"
        "rankscope predict broadcast --bandwidth 400Gb/s --ranks 1000 --root 3  # 400 Gbit a "
        "second\n"
        "rankscope predict allreduce.ring_pipelined --segment 64KiB --json  # for a script",
    .define = define_predict,
};

}  // namespace rankscope::cli
