// The network: loads of its links at the cursor, the selected message's route, and what somebody changes of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/network/topology_layout.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/diagrams/scene/drawing.h"
#include "gui/state/run/sentence.h"
#include "gui/views/base/view.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/network_form.h"
#include "gui/views/scene/network_packets.h"
#include "gui/views/scene/scene_painter.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

constexpr double kMoved = 5;    ///< Pixels that are no click any more.
constexpr double kReach = 6;    ///< Around a node, in the scene.
constexpr double kGrid = 0.05;  ///< Places that are dropped are whole multiples of it.

double on_grid(double place) { return std::round(place / kGrid) * kGrid; }

std::string number_text(double value) { return fmt::format("{:.2f}", value == 0 ? 0 : value); }

class NetworkDrag {
 public:
  /// Returns whether it uses the mouse for a node.
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) {
    const Topology* const topology = context.state.network.shown();
    if (topology == nullptr || topology->uniform_ranks > 0) return held_.reset(), false;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Point at = place.back(mouse);
    if (!held_) {
      const Node* const under = hovered ? node_at(at) : nullptr;
      if (under == nullptr || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
      held_ = Held{under->number, mouse, false,
                   context.state.network.linking || ImGui::GetIO().KeyShift};
      return true;
    }
    const float dx = mouse.x - held_->from.x, dy = mouse.y - held_->from.y;
    if (std::hypot(dx, dy) > context.look.px(kMoved)) held_->moved = true;
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
    drop(context, at);
    held_.reset();
    return true;
  }

  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
            const ScenePlace& place) {
    const Topology* const topology = context.state.network.shown();
    if (topology == nullptr) return;
    find_nodes(*topology, scene);
    if (!held_ || !held_->moved) return;
    const Node* const from = node_numbered(held_->node);
    if (from == nullptr) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImU32 ink = context.look.palette().accent;
    const float thick = context.look.px(2);
    const auto radius = static_cast<float>(from->box.height / 2 * place.zoom);
    if (held_->links) {
      const Node* const to = node_at(place.back(mouse));
      const bool lands = to != nullptr && to != from;
      list.AddLine(place.at(from->box.center()), lands ? place.at(to->box.center()) : mouse, ink,
                   thick);
      for (const Node* const end : {from, lands ? to : from})
        list.AddRect(place.at({end->box.x - 3, end->box.y - 3}),
                     place.at({end->box.right() + 3, end->box.bottom() + 3}), ink,
                     static_cast<float>((end->box.height / 2 + 3) * place.zoom), 0, thick);
      return;
    }
    // Its links go with it.
    for (const TopologyLink& link : topology->links) {
      if (link.a != from->number && link.b != from->number) continue;
      const Node* const other = node_numbered(link.a == from->number ? link.b : link.a);
      if (other != nullptr)
        list.AddLine(mouse, place.at(other->box.center()), with_alpha(ink, 120), thick);
    }
    list.AddCircle(mouse, radius, ink, 0, thick);
  }

 private:
  struct Node {
    int number = -1;
    Box box;  ///< In the scene.
  };
  struct Held {
    int node = -1;
    ImVec2 from;
    bool moved = false, links = false;
  };

  void find_nodes(const Topology& topology, const Scene& scene) {
    nodes_.clear();
    std::int32_t last = -1;
    for (const Mark& mark : scene.marks) {
      if (mark.group < 0 || mark.group == last || mark.kind != Mark::Kind::box) continue;
      last = mark.group;
      const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
      int number = -1;
      if (std::sscanf(id.c_str(), "rank-%d", &number) == 1) {
        if (number < 0 || number >= static_cast<int>(topology.rank_nodes.size())) continue;
        nodes_.push_back({topology.rank_nodes[static_cast<std::size_t>(number)], mark.box});
      } else if (std::sscanf(id.c_str(), "node-%d", &number) == 1) {
        nodes_.push_back({number, mark.box});
      }
    }
  }

  const Node* node_at(Point at) const {
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
      if (node->box.grown(kReach).contains(at)) return &*node;
    return nullptr;
  }

  const Node* node_numbered(int number) const {
    const auto found = ranges::find(nodes_, number, &Node::number);
    return found == nodes_.end() ? nullptr : &*found;
  }

  void drop(ViewContext& context, Point at) {
    const Topology& topology = *context.state.network.shown();
    if (held_->node >= static_cast<int>(topology.nodes.size())) return;
    const TopologyNode& node = topology.nodes[static_cast<std::size_t>(held_->node)];
    if (!held_->moved) {
      const auto rank = ranges::find(topology.rank_nodes, held_->node);
      if (rank == topology.rank_nodes.end() || !context.state.has_trace()) return;
      const auto number = rank - topology.rank_nodes.begin();
      if (number < context.state.document->world_size())
        context.commands.push(cmd::select(Thing::rank, number));
      return;
    }
    if (held_->links) {
      const Node* const to = node_at(at);
      if (to == nullptr || to->number == held_->node) return;
      context.commands.push(cmd::network_link(node.name, topology.name_of(to->number), {}));
      return;
    }
    const Node* const was = node_numbered(held_->node);
    if (was == nullptr) return;
    const double unit = topology_layout(topology).unit;
    const Point middle = was->box.center();
    context.commands.push(
        cmd::network_move(node.name, number_text(on_grid(node.x + (at.x - middle.x) / unit)),
                          number_text(on_grid(node.y + (at.y - middle.y) / unit))));
  }

  std::vector<Node> nodes_;  ///< Nodes of the scene that was drawn last.
  std::optional<Held> held_;
};

constexpr double kRow = 15, kRowsHead = 20, kCell = 4, kMostNames = 180, kNamesShare = 0.24;
constexpr int kMostRows = 5, kLeastRows = 2;

int rows_in(const ViewContext& context, float room) {
  const NetworkTraffic* const traffic = context.state.network.traffic_shown();
  if (traffic == nullptr || !context.state.has_trace()) return 0;
  const int all = std::min(static_cast<int>(traffic->busiest.size()), kMostRows);
  const int fit = static_cast<int>((room - context.look.px(kRowsHead)) / context.look.px(kRow));
  const int rows = std::min(all, fit);
  return rows < std::min(all, kLeastRows) ? 0 : rows;
}

/// Returns the end of the rows' axis, which is that of the other views.
double rows_end(const AppState& state) {
  return std::max(state.document->end(state.playback.clock), 1e-9);
}

void elided_caption(const Look& look, const std::string& text, float width) {
  look.push(12);
  const std::string fits = fitted_text(text, width);
  Look::pop();
  caption(look, fits);
  if (fits != text) hover_text(text);
}

std::string cell_moment(const AppState& state, double moment) {
  return state.playback.clock == ClockBase::rounds
             ? fmt::format("step {:.0f}", std::floor(moment) + 1)
             : microseconds_text(moment);
}

class LoadRows {
 public:
  /// Returns the height of as many rows as there are links to show and as the room allows; 0 where it allows none.
  static float height(const ViewContext& context, float room) {
    const int rows = rows_in(context, room);
    return rows == 0 ? 0 : context.look.px(kRowsHead + rows * kRow);
  }

  /// From the cursor on. A click moves the cursor.
  void draw(ViewContext& context, float width, float high) {
    const AppState& state = context.state;
    const Look& look = context.look;
    const int rows = rows_in(context, high + 1);
    if (rows == 0) return;
    const float names = std::min(look.px(kMostNames), width * static_cast<float>(kNamesShare));
    const float wide = width - names;
    const auto fit = static_cast<int>(wide / look.px(kCell));
    // On the clock of rounds a cell is a step, or a whole number of them, as far as there is room.
    const int steps = static_cast<int>(std::lround(rows_end(state)));
    const bool by_step = state.playback.clock == ClockBase::rounds && steps >= 1 && steps <= fit;
    make(state, rows, std::max(1, by_step ? steps : fit));
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const auto all = state.network.traffic_shown()->busiest.size();
    const std::string which = all > static_cast<std::size_t>(rows)
                                  ? fmt::format("the busiest {} of {} links in use", rows, all)
                                  : "the busiest link first";
    const bool measured = state.playback.clock == ClockBase::measured;
    elided_caption(look,
                   measured ? "Loads over time and their mean, " + which
                            : "Parts of the bottleneck's time by step, " + which,
                   width);
    const float top = low.y + look.px(kRowsHead);
    for (int row = 0; row < rows; ++row)
      draw_row(context, row, {low.x, top + static_cast<float>(row) * look.px(kRow)}, names, wide);
    draw_time(context, {low.x + names, top}, {wide, static_cast<float>(rows) * look.px(kRow)});
  }

 private:
  void make(const AppState& state, int rows, int columns) {
    const NetworkTraffic& traffic = *state.network.traffic_shown();
    const ClockBase clock = state.playback.clock;
    std::string of = fmt::format("{} {} {} {}", traffic.document, rows, columns, to_string(clock));
    if (of == of_) return;
    of_ = std::move(of);
    columns_ = columns;
    loads_.clear();
    const double each = rows_end(state) / columns;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        loads_.push_back(
            static_cast<float>(load_between(traffic, traffic.busiest[static_cast<std::size_t>(row)],
                                            clock, column * each, (column + 1) * each)));
  }

  void draw_row(ViewContext& context, int row, ImVec2 low, float names, float width) {
    const AppState& state = context.state;
    const Look& look = context.look;
    const NetworkTraffic& traffic = *state.network.traffic_shown();
    const int link = traffic.busiest[static_cast<std::size_t>(row)];
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float high = look.px(kRow) - look.px(2);
    const bool chosen = link == state.network.link;
    look.push(12, chosen ? Font::Weight::semibold : Font::Weight::regular);
    const bool measured = state.playback.clock == ClockBase::measured;
    const std::string mean =
        measured ? fmt::format("{:.0f} %", 100 * traffic.mean[static_cast<std::size_t>(link)]) : "";
    const float figures = ImGui::CalcTextSize("100 %").x;
    const ImU32 ink = chosen ? look.palette().accent : look.palette().text;
    list.AddText(
        {low.x, low.y - look.px(1)}, ink,
        fitted_text(state.network.shown()->link_name(link), names - figures - look.px(16)).c_str());
    list.AddText(
        {low.x + names - look.px(8) - ImGui::CalcTextSize(mean.c_str()).x, low.y - look.px(1)},
        look.palette().muted, mean.c_str());
    Look::pop();
    const float x = low.x + names, each = width / static_cast<float>(columns_);
    // The future stays covered.
    const double seen = state.curtain() ? state.playback.moment / rows_end(state) : 1;
    list.AddRectFilled({x, low.y}, {x + width, low.y + high}, look.color({Tone::lane}));
    for (int column = 0; column < columns_; ++column) {
      const float load = loads_[static_cast<std::size_t>(row * columns_ + column)];
      if (load <= 0 || static_cast<double>(column + 1) / columns_ > seen + 1e-9) continue;
      const float gap = each > look.px(10) ? look.px(1) : 0;
      list.AddRectFilled(
          {x + each * static_cast<float>(column), low.y},
          {x + each * static_cast<float>(column + 1) - gap, low.y + high},
          look.color({Tone::load, std::clamp(static_cast<int>(std::lround(load * 100)), 1, 100)}));
    }
  }

  // The cursor's line, what the pointer is on, and seeking.
  void draw_time(ViewContext& context, ImVec2 low, ImVec2 size) {
    const AppState& state = context.state;
    const Look& look = context.look;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const double end = rows_end(state);
    const float at =
        low.x + size.x * static_cast<float>(std::clamp(state.playback.moment / end, 0.0, 1.0));
    list.AddLine({at, low.y - look.px(2)}, {at, low.y + size.y}, look.palette().accent,
                 look.px(1.5));
    ImGui::SetCursorScreenPos(low);
    ImGui::InvisibleButton("load-rows", size);
    const ImVec2 mouse = ImGui::GetMousePos();
    const double share = std::clamp(static_cast<double>((mouse.x - low.x) / size.x), 0.0, 1.0);
    if (ImGui::IsItemActive()) {
      Command seek = cmd::seek({share * end, 3});
      seek.more = true;
      context.commands.push(std::move(seek));
    } else if (ImGui::IsItemHovered() &&
               (!state.curtain() || share * end <= state.playback.moment)) {
      const int column = std::min(static_cast<int>(share * columns_), columns_ - 1);
      const auto row = static_cast<int>((mouse.y - low.y) / look.px(kRow));
      const auto cell = static_cast<std::size_t>(row * columns_ + column);
      if (cell >= loads_.size()) return;
      const NetworkTraffic& traffic = *state.network.traffic_shown();
      hover_text(fmt::format(
          "{}\n{}: {:.0f} % {}",
          state.network.shown()->link_name(traffic.busiest[static_cast<std::size_t>(row)]),
          cell_moment(state, column * end / columns_), 100 * static_cast<double>(loads_[cell]),
          state.playback.clock == ClockBase::measured ? "of its bandwidth used"
                                                      : "of the bottleneck's time"));
    }
  }

  std::string of_;            ///< The source of loads_.
  std::vector<float> loads_;  ///< By row and column.
  int columns_ = 0;
};

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
  // Stretched to the pane's width, so that travelling messages show between the nodes.
  constexpr double kMostStretch = 2.6;
  options.stretch =
      std::clamp(0.9 * width / height * scene.height / scene.width, 1.0, kMostStretch);
  if (options.stretch > 1.05) scene = topology_picture(topology, options, system_ruler());
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
      if (head_button(context, "redo", false,
                      "Makes the last undone change again (Ctrl+Shift+Z)") &&
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
    packets_.draw(context, list, scene, place);
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
    for (const std::string& name : known_topologies())
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
    if (context.look.projector()) return 0;
    const float left =
        room - NetworkForm::height(context, room) - context.look.px(kLeastPictureAbove);
    return LoadRows::height(context, std::min(left, room * static_cast<float>(kRowsShare)));
  }

  NetworkDrag drag_;
  NetworkPackets packets_;
  NetworkForm form_;
  LoadRows rows_;
  std::string why_none_;
  mutable float room_ = 0;  ///< The height of the pane: the footer asks when it is drawn.
};

}  // namespace

std::unique_ptr<View> make_network_view() { return std::make_unique<NetworkView>(); }

}  // namespace rankscope::gui
