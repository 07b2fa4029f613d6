// The network: loads of its links at the cursor, the selected message's route, and what somebody changes of it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/network/files/topology_file.h"
#include "gui/state/run/shown_step.h"
#include "gui/views/scene/load_rows.h"
#include "gui/views/scene/network_drag.h"
#include "gui/views/scene/network_form.h"
#include "gui/views/scene/scene_view.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
namespace {

constexpr double kLeastPictureAbove = 200;  ///< Rows of loads leave it so much,
constexpr double kRowsShare = 0.34;         ///< and take so much of the pane at most.

/// A name of a file without its folders.
std::string short_file(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

/// With letters that are still legible where the picture is made smaller than it is.
Scene legible_picture(const Topology& topology, TopologyPictureOptions options, double width,
                      double height) {
  constexpr double kMostLetters = 2.5;
  const auto shrunk = [&](const Scene& scene) {
    return std::max(scene.width / width, scene.height / height);
  };
  Scene scene = topology_picture(topology, options, system_ruler());
  if (shrunk(scene) <= 1.05) return scene;
  options.letters = std::min(shrunk(scene), kMostLetters);
  options.shown_at = 1 / shrunk(scene);
  return topology_picture(topology, options, system_ruler());
}

class NetworkView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const AppState& state = context.state;
    const NetworkState& network = state.network;
    if (head_button(context, "open …", false, "A topology: from a file, or one of rankscope's"))
      ImGui::OpenPopup("topologies");
    open_popup(context);
    if (network.shown() == nullptr) return;
    const bool goes_on = network.simulating;
    if (state.has_trace() &&
        head_button(context, goes_on ? "stop" : "run again", goes_on,
                    goes_on ? "Ends the simulation" : "The same job, simulated on this network"))
      context.commands.push(goes_on ? cmd::network_stop() : cmd::network_run());
    if (network.draft) {
      if (head_button(context, network.draft->changed() ? "save …" : "save", false,
                      "As a topology file (Ctrl+S)"))
        context.commands.push(save_command(state));
      if (head_button(context, "redo", false, "Makes it again (Ctrl+Shift+Z)") &&
          network.draft->redoable() > 0)
        context.commands.push(cmd::network_redo());
      if (head_button(context, "undo", false,
                      "Takes the last change of the network back (Ctrl+Z)") &&
          network.draft->undoable() > 0)
        context.commands.push(cmd::network_undo());
    }
    if (head_button(context, "add links", network.linking,
                    "Dragging from a node adds a link (or hold Shift)"))
      context.commands.push(cmd::network_mode_toggle());
    if (network.traffic_shown() != nullptr &&
        head_button(context, "whole run", network.whole, "Loads: the mean of all of the run"))
      context.commands.push(cmd::network_loads_toggle());
  }

  std::optional<Command> command_of(const AppState& state, std::string_view key) const override {
    if (state.network.shown() == nullptr) return std::nullopt;
    const auto& draft = state.network.draft;
    if (key == "Ctrl+Z" && draft && draft->undoable() > 0) return cmd::network_undo();
    if (key == "Ctrl+Shift+Z" && draft && draft->redoable() > 0) return cmd::network_redo();
    if (key == "Ctrl+S" && draft) return save_command(state);
    if (key == "Delete" && state.network.link >= 0) return cmd::network_cut();
    return std::nullopt;
  }

 protected:
  bool needs_trace() const override { return false; }
  bool always_fits() const override { return true; }

  Request request(const ViewContext& context, double width, double height) override {
    const AppState& state = context.state;
    const NetworkState& network = state.network;
    const Topology* const topology = network.shown();
    if (topology == nullptr) return {};
    TopologyPictureOptions options;
    options.pane = true;
    options.route = route_of(state);
    const LoadsShown now = now_of(state);
    options.loads = now.of_links;
    options.load_of = now.load_of;
    options.selected = network.link;
    Request wanted;
    wanted.key = fmt::format("{} {} {} {} {} {:.4f}", network.id,
                             network.of_run ? network.of_run->document : 0, network.whole,
                             state.selection.message,
                             options.loads.empty() ? "" : to_string(state.playback.clock),
                             options.loads.empty() || network.whole ? 0.0 : moment_of(state));
    wanted.key += fmt::format(" {}x{}", width, height);
    wanted.make = [topology = *topology, options, width, height] {
      return legible_picture(topology, options, width, height);
    };
    return wanted;
  }

  std::string selected_group(const ViewContext& context) const override {
    const AppState& state = context.state;
    if (state.network.link >= 0) return fmt::format("link-{}", state.network.link);
    return state.selection.rank >= 0 && state.selection.message < 0
               ? fmt::format("rank-{}", state.selection.rank)
               : "";
  }
  /// The picture itself makes the route strong.
  std::optional<CellMeaning> cell_meaning() const override { return std::nullopt; }
  Selection selection_of(const std::string& group) const override {
    Selection selection;
    int rank = -1;
    if (std::sscanf(group.c_str(), "rank-%d", &rank) == 1) selection.rank = rank;
    return selection;
  }
  bool picked(ViewContext& context, const std::string& group) override {
    int link = -1;
    if (std::sscanf(group.c_str(), "link-%d", &link) != 1) return false;
    const Topology& topology = *context.state.network.shown();
    if (link < 0 || link >= static_cast<int>(topology.links.size())) return true;
    const TopologyLink& one = topology.links[static_cast<std::size_t>(link)];
    const auto links = links_between(topology, one.a, one.b);
    Texts nth;
    if (const auto at = ranges::find(links, link) - links.begin(); at > 0)
      nth.push_back(fmt::format("nth={}", at + 1));
    context.commands.push(
        cmd::network_select(topology.name_of(one.a), topology.name_of(one.b), nth));
    return true;
  }
  void clicked(ViewContext& context, const Scene&, Point) override {
    if (context.state.network.link >= 0) context.commands.push(cmd::network_unselect());
    else if (context.state.selection != Selection{}) context.commands.push(cmd::select_none());
  }
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) override {
    return drag_.takes_mouse(context, place, hovered);
  }
  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    drag_.draw(context, list, scene, place);
    form_.measure(*context.state.network.shown(), scene, place);
  }

  // ---- Below the picture ----

  float footer_height(const ViewContext& context, float width) const override {
    if (context.state.network.shown() == nullptr) return NetworkForm::offers_height(context, width);
    const float room = ImGui::GetContentRegionAvail().y;
    room_ = room;
    return NetworkForm::height(context, room) + rows_height(context, room);
  }
  void footer(ViewContext& context, float width) override {
    if (context.state.network.shown() == nullptr) return NetworkForm::draw_offers(context, width);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float form = NetworkForm::height(context, room_),
                rows = ImGui::GetContentRegionAvail().y - form;
    form_.draw(context, width, room_, words_of(context.state), now_of(context.state).load_of);
    if (rows < context.look.px(20)) return;
    ImGui::SetCursorScreenPos({low.x, low.y + form});
    rows_.draw(context, width, rows);
  }

  std::string_view empty_text() const override { return why_none_; }
  std::string_view empty_advice() const override {
    return "Simulate a run (rankscope sim --topology NAME -o FILE), or open a topology to look at "
           "routes and to run again on it.";
  }
  void before_empty(const ViewContext& context) override {
    const auto& network = context.state.network;
    why_none_ = !context.state.has_trace()  ? "No run is open, and no network"
                : network.of_run == nullptr ? "Reading the run's network …"
                                            : network.of_run->why_none;
  }

 private:
  static Command save_command(const AppState& state) {
    const bool has_file = state.network.file.find('.') != std::string::npos;
    return has_file ? cmd::network_save() : cmd::save_network();
  }

  static void open_popup(ViewContext& context) {
    if (!ImGui::BeginPopup("topologies")) return;
    const NetworkState& network = context.state.network;
    const bool own = network.of_run && network.of_run->topology;
    if (own && ImGui::MenuItem("The run's own", nullptr, !network.draft))
      context.commands.push(cmd::network_close());
    if (network.draft && network.draft->changed() && ImGui::MenuItem("Discard the changes"))
      context.commands.push(cmd::network_close_with(kDiscard));
    if (ImGui::MenuItem("A file …")) context.commands.push(cmd::network());
    ImGui::Separator();
    for (const std::string& name : topology_names())
      if (ImGui::MenuItem(name.c_str(), nullptr, network.draft && network.file == name))
        context.commands.push(cmd::network_open(name));
    ImGui::EndPopup();
  }

  static double moment_of(const AppState& state) {
    return state.playback.clock == ClockBase::rounds && !state.document->large()
               ? std::ceil(state.playback.moment - 1e-9)
               : state.playback.moment;
  }
  static LoadsShown now_of(const AppState& state) {
    const NetworkTraffic* const traffic = state.network.traffic_shown();
    if (traffic == nullptr || !state.has_trace()) return {};
    return loads_shown(*traffic, state.playback.clock, state.playback.moment, state.network.whole);
  }
  static std::optional<std::pair<Rank, Rank>> ends_of(const AppState& state) {
    const auto message = state.selection.message;
    if (!state.has_trace() || state.document->large() || message < 0 ||
        message >= static_cast<std::int64_t>(state.document->rounds().messages.size()))
      return std::nullopt;
    const auto& one = state.document->rounds().messages[static_cast<std::size_t>(message)];
    return std::pair(one.from, one.to);
  }
  static std::vector<Hop> route_of(const AppState& state) {
    if (!ends_of(state)) return {};
    const auto& message =
        state.document->rounds().messages[static_cast<std::size_t>(state.selection.message)];
    const Topology& shown = *state.network.shown();
    return state.network.of_run ? rankscope::gui::route_of(*state.network.of_run, shown, message)
                                : route_between(shown, message.from, message.to);
  }

  // The route of what is selected, else the busiest link, and why there are no loads.
  static std::string words_of(const AppState& state) {
    const NetworkState& network = state.network;
    const Topology& topology = *network.shown();
    std::string name = topology.title.empty() ? "Network" : topology.title;
    if (!network.file.empty()) name = short_file(network.file);
    if (network.draft && network.draft->changed()) name += " (changed)";
    if (const auto ends = ends_of(state)) {
      const auto route = route_of(state);
      return fmt::format(
          "{} · {}", name,
          route.empty() ? fmt::format("no route from rank {} to rank {}", ends->first, ends->second)
                        : route_text(topology, route));
    }
    if (const LoadsShown now = now_of(state); !now.of_links.empty()) return name + " · " + now.when;
    if (network.draft && network.of_run && network.of_run->has_loads())
      return name + " · another network than the run's: run again to see loads";
    if (network.of_run && !network.of_run->why_no_loads.empty() && !network.draft)
      return name + " · " + network.of_run->why_no_loads;
    return name + fmt::format(" · {} ranks, {} links", topology.ranks(), topology.links.size());
  }

  static float rows_height(const ViewContext& context, float room) {
    const float left =
        room - NetworkForm::height(context, room) - context.look.px(kLeastPictureAbove);
    return LoadRows::height(context, std::min(left, room * static_cast<float>(kRowsShare)));
  }

  NetworkDrag drag_;
  NetworkForm form_;
  LoadRows rows_;
  std::string why_none_;
  mutable float room_ = 0;  ///< The height of the pane: the footer asks when it is drawn.
};

}  // namespace

std::unique_ptr<View> make_network_view() { return std::make_unique<NetworkView>(); }

}  // namespace rankscope::gui
