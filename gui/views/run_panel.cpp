// Draws the controls of the run panel: algorithm, sizes, delays, buttons and progress.
#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

/// Of what the settings name: an algorithm of the table, or the automatic choice.
std::string_view collective_named(const std::string& algorithm) {
  if (const auto chosen = collective_of_auto(algorithm)) return to_string(*chosen);
  const auto* found = find_algorithm(algorithm);
  return found == nullptr ? std::string_view() : to_string(found->collective);
}

void change(ViewContext& context, const std::string& key, const std::string& value) {
  // What a lecturer changes shows at once, once there is a run. One command does both: what is wrong with
  // the value must not be run over.
  const auto& live = context.state.live;
  if (!context.state.result && !live.running) return context.commands.push("set", {key, value});
  context.commands.push(live.running && live.stepping ? "live" : "run", {key + "=" + value});
}

constexpr int kMostSliders = 16;

// `more`: the slider is still held. All of a drag is one change to undo.
void delay_to(ViewContext& context, int rank, float delay, bool more) {
  Command command("delay", {fmt::format("{}", rank), fmt::format("{:.1f}", delay)});
  command.more = more;
  context.commands.push(std::move(command));
}

bool combo(const char* id, const std::string& now, const std::vector<std::string>& choices,
           std::string& chosen) {
  bool changed = false;
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo(id, now.c_str(), ImGuiComboFlags_HeightLarge)) return false;
  for (const auto& choice : choices)
    if (ImGui::Selectable(choice.c_str(), choice == now) && choice != now) {
      chosen = choice;
      changed = true;
    }
  ImGui::EndCombo();
  return changed;
}

}  // namespace

void RunPanel::choose_algorithm(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const std::string collective(collective_named(job.algorithm));
  const auto* algorithm = find_algorithm(job.algorithm);
  std::vector<std::string> collectives, names;
  for (const auto& one : algorithms()) {
    const std::string of(to_string(one.collective));
    if (collectives.empty() || collectives.back() != of) collectives.push_back(of);
    if (of == collective) names.emplace_back(one.short_name());
  }
  if (is_auto(collective + ".auto")) names.emplace_back("auto");
  std::string chosen;
  caption(context.look, "collective");
  if (combo("##collective", collective, collectives, chosen)) {
    for (const auto& one : algorithms())
      if (to_string(one.collective) == chosen)
        return change(context, "algorithm", std::string(one.name));
  }
  caption(context.look, "algorithm");
  const std::string now(algorithm == nullptr ? "auto" : algorithm->short_name());
  if (combo("##algorithm", now, names, chosen))
    change(context, "algorithm", collective + "." + chosen);
  if (algorithm != nullptr) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.palette().muted);
    ImGui::PushTextWrapPos(0);
    context.look.push(12);
    ImGui::TextUnformatted(fmt::format("{}: {}", algorithm->title, algorithm->best_use).c_str());
    Look::pop();
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
}

void RunPanel::numbers(ViewContext& context) {
  const auto& job = context.state.settings.job;
  if (!dragging_) ranks_ = job.world_size;
  caption(context.look, "ranks (processes)");
  ImGui::SetNextItemWidth(-1);
  ImGui::SliderInt("##ranks", &ranks_, 1, 64, "%d", ImGuiSliderFlags_AlwaysClamp);
  dragging_ = ImGui::IsItemActive();
  if (ImGui::IsItemDeactivatedAfterEdit() && ranks_ != job.world_size)
    change(context, "ranks", fmt::format("{}", ranks_));
  caption(context.look, "elements of a rank's input");
  const std::string now = fmt::format("{}", fmt::join(job.shape, "x"));
  if (now != count_of_) {
    count_of_ = now;
    std::snprintf(count_.data(), count_.size(), "%s", now.c_str());
  }
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##count", count_.data(), count_.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue)) {
    change(context, "shape", count_.data());
    count_of_.clear();  // in the next frame, the field shows what the job has
  }
  hover_text("A number, or a shape such as 2x4x8 (all-to-all); Enter takes it");
}

void RunPanel::choices(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const auto* algorithm = find_algorithm(job.algorithm);
  const float gap = context.look.px(8), room = ImGui::GetContentRegionAvail().x;
  // Two beside each other, where their words have room.
  const int columns = room >= context.look.px(224) ? 2 : 1;
  const float half = columns == 2 ? (room - gap) / 2 : room;
  const ImVec2 origin = ImGui::GetCursorPos();
  const float row =
      ImGui::GetTextLineHeight() + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().ItemSpacing.y;
  int cell = 0;
  const auto pair = [&](const char* id, const std::string& now, const std::vector<std::string>& all,
                        const char* key) {
    const ImVec2 at{origin.x + static_cast<float>(cell % columns) * (half + gap),
                    origin.y + static_cast<float>(cell / columns) * row};
    ++cell;
    ImGui::SetCursorPos(at);
    caption(context.look, key);
    ImGui::SetCursorPosX(at.x);
    ImGui::SetNextItemWidth(half);
    if (!ImGui::BeginCombo(id, now.c_str())) return;
    for (const auto& choice : all)
      if (ImGui::Selectable(choice.c_str(), choice == now) && choice != now)
        change(context, key, choice);
    ImGui::EndCombo();
  };
  pair("##dtype", std::string(to_string(job.dtype)), choices_of(job_field("dtype")), "dtype");
  if (algorithm == nullptr || reduces(algorithm->collective))
    pair("##op", std::string(to_string(job.op)), choices_of(job_field("op")), "op");
  pair("##transport", job.transport, transport_list(&Transport::processes), "transport");
  pair("##mode", std::string(to_string(job.mode)), choices_of(job_field("send_mode")), "mode");
  if (algorithm != nullptr && has_root(algorithm->collective)) {
    std::vector<std::string> roots;
    for (int r = 0; r < job.world_size; ++r) roots.push_back(fmt::format("{}", r));
    pair("##root", fmt::format("{}", job.root), roots, "root");
  }
  ImGui::SetCursorPos(
      {origin.x, origin.y + static_cast<float>((cell + columns - 1) / columns) * row});
  sizes(context);
}

// What only some algorithms have: the length of a segment, and of a group.
void RunPanel::sizes(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const auto* algorithm = find_algorithm(job.algorithm);
  if (algorithm == nullptr) return;
  if (algorithm->features.takes_segments) {
    auto bytes = static_cast<int>(std::min<std::uint64_t>(job.segment_bytes, 1U << 30));
    caption(context.look, "bytes of a segment (0: the algorithm's default)");
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputInt("##segment", &bytes, 1024, 65536, ImGuiInputTextFlags_EnterReturnsTrue))
      change(context, "segment", fmt::format("{}", std::max(bytes, 0)));
  }
  if (algorithm->features.takes_group_size) {
    int ranks = job.group_size;
    caption(context.look, "ranks of a group (0: about the square root)");
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputInt("##group", &ranks, 1, 4, ImGuiInputTextFlags_EnterReturnsTrue))
      change(context, "group", fmt::format("{}", std::clamp(ranks, 0, job.world_size)));
  }
}

void RunPanel::delays(ViewContext& context) {
  if (!ImGui::CollapsingHeader("What if a rank is slow?")) return;
  const auto& job = context.state.settings.job;
  for (int rank = 0; rank < std::min(job.world_size, kMostSliders); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    auto delay = static_cast<float>(at < job.delays_us.size() ? job.delays_us[at] / 1000 : 0);
    ImGui::PushID(rank);
    ImGui::SetNextItemWidth(-context.look.px(58));
    if (ImGui::SliderFloat(fmt::format("rank {}", rank).c_str(), &delay, 0, 100, "%.1f ms",
                           ImGuiSliderFlags_AlwaysClamp))
      delay_to(context, rank, delay, true);
    // A run that goes on feels it at once.
    if (ImGui::IsItemDeactivatedAfterEdit()) {
      delay_to(context, rank, delay, false);
      if (context.state.result && !context.state.live.running) context.commands.push("rerun");
    }
    ImGui::PopID();
  }
  if (job.world_size > kMostSliders)
    caption(context.look, "of the ranks from 16 on: the command delay RANK MS");
}

void RunPanel::buttons(ViewContext& context) {
  const float half = (ImGui::GetContentRegionAvail().x - context.look.px(8)) / 2;
  const ImVec2 size{half, context.look.px(36)};
  if (context.state.live.running) {
    if (ImGui::Button("Stop", size)) context.commands.push("stop");
  } else {
    if (accent_button(context.look, "Run", size, 14)) context.commands.push("run");
    hover_text("Runs it in real processes (Ctrl+R)");
  }
  ImGui::SameLine();
  if (ImGui::Button("Step live", size)) context.commands.push("live");
  hover_text("Holds every rank before each message (F6)");
}

void RunPanel::live_controls(ViewContext& context) {
  const auto& live = context.state.live;
  if (!live.stepping || !live.running) return;
  caption(context.look, "the processes are held: release them");
  const float half = (ImGui::GetContentRegionAvail().x - context.look.px(8)) / 2;
  const auto button = [&](const char* label, const char* command, const char* tip, bool second) {
    if (second) ImGui::SameLine();
    if (ImGui::Button(label, {half, 0})) context.commands.push(command);
    hover_text(tip);
  };
  button("One message", "release", "Lets one message go, and its receiver take it", false);
  button("One round", "release-round", "Lets all messages of the next round go", true);
  button("Let it run", "gate-resume", "Until a breakpoint, or the end", false);
  button("Hold", "gate-pause", "Holds every rank before its next message", true);
  if (!live.answer.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(live.answer.c_str());
    ImGui::PopTextWrapPos();
  }
}

void RunPanel::progress(ViewContext& context) {
  const auto& state = context.state;
  const Look& look = context.look;
  if (state.live.running) {
    const int all = std::max(1, state.settings.job.world_size);
    ImGui::ProgressBar(static_cast<float>(state.live.ranks_done) / static_cast<float>(all),
                       {-1, look.px(18)},
                       fmt::format("{} of {} ranks done, {:.1f} s", state.live.ranks_done, all,
                                   state.live.elapsed_s)
                           .c_str());
    return;
  }
  if (!state.result) return;
  const bool ok = state.result->ok();
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string text =
      ok ? fmt::format("Right on all {} ranks · {:.2f} ms", state.result->ranks.size(),
                       state.result->elapsed_s * 1e3)
         : state.result->message;
  const float inner = width - look.px(20);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, inner);
  const ImU32 color = ok ? look.palette().good : look.palette().error;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + width, low.y + size.y + look.px(16)}, with_alpha(color, 0x28),
                     look.px(6));
  list.AddRect(low, {low.x + width, low.y + size.y + look.px(16)}, color, look.px(6));
  ImGui::SetCursorScreenPos({low.x + look.px(10), low.y + look.px(8)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + inner);
  colored_text(color, text);
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, look.px(8)});
}

void RunPanel::draw(ViewContext& context) {
  choose_algorithm(context);
  numbers(context);
  choices(context);
  ImGui::Spacing();
  buttons(context);
  live_controls(context);
  progress(context);
  ImGui::Spacing();
  delays(context);
}

}  // namespace rankscope::gui
