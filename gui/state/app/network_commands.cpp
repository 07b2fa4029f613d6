// The commands of the view Network: topologies opened, changed by nodes and links, saved, and run on.
#include "gui/state/app/network_commands.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_layout.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/changed_topology.h"
#include "engine/run/job/job.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

bool can_undo(const AppState& s) { return s.network.draft && s.network.draft->undoable() > 0; }
bool can_redo(const AppState& s) { return s.network.draft && s.network.draft->redoable() > 0; }
bool has_network(const AppState& s) { return s.network.shown() != nullptr; }
bool can_run(const AppState& s) { return has_network(s) && s.has_trace(); }

/// Follows the title of a changed network.
constexpr std::string_view kChanged = ", changed";

/// Returns the number of "nth=2" among the words, or 1.
int nth_of(const Arguments& words) {
  for (const std::string& word : words.all())
    if (word.starts_with("nth=")) return number_of<int>(word.substr(4), "nth");
  return 1;
}

std::string option_of(const Arguments& words, std::string_view key) {
  for (const std::string& word : words.all())
    if (word.starts_with(key)) return word.substr(key.size());
  return {};
}

/// Returns the words without options.
std::vector<std::string> plain(const Arguments& words) {
  std::vector<std::string> out;
  for (const std::string& word : words.all())
    if (!word.starts_with("nth=") && !word.starts_with("back=")) out.push_back(word);
  return out;
}

/// Gives nodes without places those of the picture, from which they can be moved.
Topology with_places(Topology topology) {
  const TopologyLayout layout = topology_layout(topology);
  for (std::size_t i = 0; i < topology.nodes.size() && !layout.given; ++i) {
    topology.nodes[i].x = layout.at[i].x / layout.unit;
    topology.nodes[i].y = layout.at[i].y / layout.unit;
  }
  return topology;
}

/// Returns "0:1=cut,r2:r3=cut" if the second network is the first without some links; empty for any other difference.
std::string only_cuts(const Topology& before, const Topology& now) {
  if (before.nodes.size() != now.nodes.size() || before.links.size() <= now.links.size()) return {};
  const auto end_of = [&](int node) {
    const auto rank = ranges::find(before.rank_nodes, node) - before.rank_nodes.begin();
    return rank < before.ranks() ? fmt::format("{}", rank) : before.name_of(node);
  };
  std::string cuts;
  Topology rest = before;
  for (const TopologyLink& link : before.links) {
    if (!links_between(now, link.a, link.b).empty()) continue;
    cuts += fmt::format("{}{}:{}=cut", cuts.empty() ? "" : ",", end_of(link.a), end_of(link.b));
    std::erase(rest.links, link);
  }
  return carries_alike(rest, now) ? cuts : std::string();
}

/// Throws UserError.
void refuse_to_lose(const NetworkState& network) {
  if (network.draft && network.draft->changed())
    throw UserError(
        "the network has changes that are not saved: `network save FILE`, or `network close "
        "discard`");
}

}  // namespace

// ---- The commands ----

constexpr NameBox kTopologyBox{"Open a topology", "ring",
                               "A topology file, or one that comes with rankscope.", "open",
                               NameBox::Files::open_topology};
constexpr Row<> cmd::network(
    "network open NAME|close [discard]|link A B BANDWIDTH [LATENCY]|cut [A B]|move NODE X "
    "Y|undo|redo|"
    "save [FILE]|run|stop|select A B|mode move|link|loads step|run",
    "The network of the view Network: opens, changes, saves it, and runs again on it", "", 1, 6,
    Curtain::opens, does<&NetworkCommands::network>,
    menu(item(Menu::run, 3, "Run again on this network", "run", can_run),
         item(Menu::edit, 2, "Undo in the network", "undo", can_undo),
         item(Menu::edit, 2, "Redo in the network", "redo", can_redo)),
    kTopologyBox, also("topology, links, bandwidth, congestion"));
constexpr Row<Text> cmd::save_network(
    "save-network FILE", "Saves the network of the view Network as a topology file", "", 1, 1,
    Curtain::keeps, does<&NetworkCommands::save>,
    menu(item(Menu::file, 1, "Save the network …", "", has_network)),
    file_box(NameBox::Files::save_topology, "Save the network", "my-network.toml",
             "A topology file: rankscope sim --topology FILE runs on it."));

void NetworkCommands::network(const Arguments& words) {
  using Self = NetworkCommands;
  using Part = CommandPart<NetworkCommands>;
  static constexpr std::array kParts = {Part{cmd::network_open.begins[0], &Self::open},
                                        Part{cmd::network_close.begins[0], &Self::close},
                                        Part{cmd::network_link.begins[0], &Self::link},
                                        Part{cmd::network_cut.begins[0], &Self::cut},
                                        Part{cmd::network_move.begins[0], &Self::move},
                                        Part{cmd::network_undo.begins[0], &Self::undo},
                                        Part{cmd::network_redo.begins[0], &Self::redo},
                                        Part{cmd::network_save.begins[0], &Self::save},
                                        Part{cmd::network_run.begins[0], &Self::run},
                                        Part{cmd::network_stop.begins[0], &Self::stop},
                                        Part{cmd::network_unselect.begins[0], &Self::select},
                                        Part{cmd::network_mode_toggle.begins[0], &Self::mode},
                                        Part{cmd::network_loads_toggle.begins[0], &Self::loads}};
  run_part(*this, cmd::network, kParts, words);
}

const Topology& NetworkCommands::shown() const {
  const Topology* const topology = state_.network.shown();
  if (topology == nullptr)
    throw UserError("there is no network: open one with `network open NAME`, such as ring");
  return *topology;
}

// Returns the draft; the first change makes a copy of the run's network.
TopologyEditor& NetworkCommands::draft() {
  auto& network = state_.network;
  if (!network.draft) {
    network.draft = TopologyEditor(with_places(shown()));
    network.file.clear();
  }
  return *network.draft;
}

void NetworkCommands::changed() {
  auto& network = state_.network;
  ++network.id;
  network.unreachable.clear();
  network.draft_carries_alike = false;
  if (!network.draft) return;
  const Topology& topology = network.draft->topology();
  network.unreachable = unreachable_text(topology);
  network.draft_carries_alike = network.of_run && network.of_run->topology &&
                                carries_alike(topology, *network.of_run->topology);
  if (network.link >= static_cast<int>(topology.links.size())) network.link = -1;
}

void NetworkCommands::open(const Arguments& words) {
  if (words.empty())
    throw UserError(
        fmt::format("network open FILE, or one of {}", fmt::join(topology_names(), ", ")));
  auto& network = state_.network;
  refuse_to_lose(network);
  network.draft = TopologyEditor(with_places(open_topology(words.rest(0))));
  network.file = words.rest(0);
  network.link = -1;
  changed();
  app_.group<ViewCommands>().bring_in("network", Slot::main);
  show_message(
      fmt::format("{}: {} ranks, {} links", network.file, shown().ranks(), shown().links.size()));
}

void NetworkCommands::close(const Arguments& words) {
  auto& network = state_.network;
  if (words[0] != "discard") refuse_to_lose(network);
  network.draft.reset();
  network.file.clear();
  network.link = -1;
  changed();
}

int NetworkCommands::link_of(const Arguments& words, std::size_t at) const {
  const Topology& topology = shown();
  const std::vector<std::string> names = plain(words);
  if (names.size() < at + 2) throw UserError("name the two nodes that the link joins");
  const int a = node_named(topology, names[at]), b = node_named(topology, names[at + 1]);
  const auto links = links_between(topology, a, b);
  const int nth = nth_of(words);
  if (links.empty())
    throw UserError(
        fmt::format("there is no link between {} and {}: `network link {} {} 10GB/s 1us` adds one",
                    topology.name_of(a), topology.name_of(b), names[at], names[at + 1]));
  if (nth < 1 || nth > static_cast<int>(links.size()))
    throw UserError(fmt::format("there are {} links between {} and {}: nth is 1 to {}",
                                links.size(), topology.name_of(a), topology.name_of(b),
                                links.size()));
  return links[static_cast<std::size_t>(nth) - 1];
}

void NetworkCommands::link(const Arguments& all) {
  const std::vector<std::string> words = plain(all);
  if (words.size() < 2 || words.size() > 4)
    throw UserError("network link A B BANDWIDTH [LATENCY], such as 0 1 10GB/s 1us");
  const Topology& topology = shown();
  const int a = node_named(topology, words[0]), b = node_named(topology, words[1]);
  const auto links = links_between(topology, a, b);
  const bool add = links.empty() || option_of(all, "nth=") == "new";
  const int link = add ? -1 : link_of(all, 0);
  LinkTerms terms = usual_terms(topology, a);
  if (!add) {
    const TopologyLink& now = topology.links[static_cast<std::size_t>(link)];
    terms = {now.bandwidth, now.back, now.latency};
  }
  if (words.size() > 2) terms.bandwidth = terms.back = parse_bandwidth(words[2], "the bandwidth");
  if (const auto back = option_of(all, "back="); !back.empty())
    terms.back = parse_bandwidth(back, "back");
  if (words.size() > 3) terms.latency = parse_seconds(words[3], "the latency");
  TopologyEditor& editor = draft();
  if (add) editor.add_link(a, b, terms);
  else editor.change_link(link, terms);
  const int now = add ? static_cast<int>(editor.topology().links.size()) - 1 : link;
  state_.network.link = now;
  changed();
  show_message(fmt::format("{} {}: {}, {}", add ? "added" : "changed",
                           editor.topology().link_name(now), bandwidth_text(terms.bandwidth, 4),
                           exact_seconds_text(terms.latency)));
}

void NetworkCommands::cut(const Arguments& words) {
  auto& network = state_.network;
  if (words.empty() && network.link < 0)
    throw UserError("select the link to cut with a click, or say `network cut A B`");
  const int link = words.empty() ? network.link : link_of(words, 0);
  const std::string name = shown().link_name(link);
  draft().cut(link);
  network.link = -1;
  changed();
  if (network.unreachable.empty()) show_message(fmt::format("cut {}", name));
  else show_message(fmt::format("cut {}: {}", name, network.unreachable), true);
}

void NetworkCommands::move(const Arguments& words) {
  if (words.size() != 3) throw UserError("network move NODE X Y: neighbours are about 1 apart");
  const int node = node_named(shown(), words[0]);
  const auto x = words.number<double>(1, "x"), y = words.number<double>(2, "y");
  draft().move(node, x, y);
  changed();
}

void NetworkCommands::undo(const Arguments&) {
  if (!state_.network.draft || !state_.network.draft->undo())
    throw UserError("there is nothing to undo in the network");
  state_.network.link = -1;
  changed();
}

void NetworkCommands::redo(const Arguments&) {
  if (!state_.network.draft || !state_.network.draft->redo())
    throw UserError("there is nothing to redo in the network");
  state_.network.link = -1;
  changed();
}

void NetworkCommands::save(const Arguments& words) {
  auto& network = state_.network;
  const auto names = topology_names();
  std::string file = words.rest(0);
  if (file.empty()) file = network.file;
  const bool shipped = ranges::find(names, file) != names.end();
  if (file.empty() || shipped)
    throw UserError(
        "say the file: network save my-network.toml (those that come with rankscope stay as they "
        "are)");
  if (!file.ends_with(".toml")) file += ".toml";
  const std::string text = to_toml(shown());
  refuse_pipe(file);
  write_whole(file, text);
  network.file = file;
  draft().saved();
  changed();
  show_message(fmt::format("saved: rankscope sim --topology {}", file));
}

void NetworkCommands::select(const Arguments& words) {
  auto& network = state_.network;
  network.link = words.empty() || words[0] == "none" ? -1 : link_of(words, 0);
  ++network.id;
}

void NetworkCommands::mode(const Arguments& words) {
  const auto linking =
      switched(state_.network.linking, words.empty() ? "toggle" : words[0], "link", "move");
  if (!linking) throw UserError(fmt::format("network mode move or link, not \"{}\"", words[0]));
  state_.network.linking = *linking;
}

void NetworkCommands::loads(const Arguments& words) {
  const auto whole =
      switched(state_.network.whole, words.empty() ? "toggle" : words[0], "run", "step");
  if (!whole) throw UserError(fmt::format("network loads step or run, not \"{}\"", words[0]));
  state_.network.whole = *whole;
  ++state_.network.id;
}

// Simulates the same job and shows it in place of the run, which is kept for comparison.
void NetworkCommands::run(const Arguments&) {
  require_trace("there is no run to make again: start one, or open a trace");
  if (simulated_.running())
    throw UserError("a job is being simulated: wait for its end, or `network stop`");
  const Topology& topology = shown();
  if (!state_.network.unreachable.empty())
    throw UserError(fmt::format("{}: add a link first", state_.network.unreachable));
  const std::string file = written_draft();
  const JobSpec job = job_simulated_on(*state_.document, topology, file);
  RunCommands::require(job);
  state_.network.simulating = true;
  simulated_.start(job, app_.options().changed);
  show_message("simulating");
}

JobSpec NetworkCommands::as_it_stands(JobSpec job) {
  const auto& network = state_.network;
  if (!network.draft || network.draft->undoable() == 0 || !job.is_simulated() ||
      job.network.topology.empty() || !network.of_run || !network.of_run->topology)
    return job;
  const Topology& drawn = network.draft->topology();
  const Topology of_job = topology_of(job);
  // A change of another network than the job's says nothing about it.
  if (carries_alike(drawn, of_job) || !carries_alike(of_job, *network.of_run->topology)) return job;
  if (!network.unreachable.empty())
    throw UserError(fmt::format("{}: add a link first", network.unreachable));
  const std::string cuts = only_cuts(of_job, drawn);
  if (!cuts.empty()) {
    job.network.links += (job.network.links.empty() ? "" : ",") + cuts;
    return job;
  }
  return job_simulated_on(*state_.document, drawn, written_draft());
}

// Returns the file of the network as it is drawn.
std::string NetworkCommands::written_draft() {
  const std::string file = simulated_.next_file("network", ".toml");
  Topology named = shown();
  const bool is_changed = state_.network.draft && state_.network.draft->undoable() > 0;
  if (is_changed && !named.title.ends_with(kChanged)) named.title += kChanged;
  write_whole(file, to_toml(named));
  return file;
}

void NetworkCommands::stop(const Arguments&) {
  if (!simulated_.running()) throw UserError("no job is being simulated");
  simulated_.stop();
}

// Keeps the run before for comparison, unless another run was put there.
void NetworkCommands::take_simulated(bool& news) {
  if (!simulated_.ready() || !state_.loading.empty()) return;
  news = true;
  state_.network.simulating = false;
  const std::string problem = simulated_.take();
  if (!problem.empty()) return app_.report(problem);
  if (!state_.other || state_.other == kept_) state_.other = kept_ = state_.document;
  app_.group<FileCommands>().load(simulated_.trace(), false);
}

// Follows the messages of a growing run.
void NetworkCommands::follow_run() {
  auto& network = state_.network;
  if (reading_.valid()) return;
  if (!state_.has_trace()) {
    if (!network.of_run) return;
    network.of_run.reset();
    read_ = 0;
    return changed();
  }
  if (read_ == state_.document->id()) return;
  read_ = state_.document->id();
  reading_ = made_behind(app_.options().changed,
                         [document = state_.document] { return network_traffic(*document); });
}

void NetworkCommands::take_traffic(bool& news) {
  if (!is_ready(reading_)) return;
  auto& network = state_.network;
  network.of_run = std::make_shared<const NetworkTraffic>(reading_.get());
  news = true;
  // An unchanged draft gives way to the run's own network.
  if (network.draft && !network.draft->changed() && network.of_run->topology &&
      network.draft->undoable() == 0) {
    network.draft.reset();
    network.file.clear();
  }
  if (!network.draft) network.link = -1;
  changed();
  if (state_.has_trace() && state_.document->id() == network.of_run->document &&
      simulated_.has_made(state_.document->path()) && state_.other)
    show_message(fmt::format("simulated on this network: {}; before {} (the view Compare has both)",
                             microseconds_text(state_.document->end(ClockBase::measured)),
                             microseconds_text(state_.other->end(ClockBase::measured))));
}

void NetworkCommands::update(double /*seconds*/, bool& news) {
  take_simulated(news);
  take_traffic(news);
  follow_run();
}

}  // namespace rankscope::gui
