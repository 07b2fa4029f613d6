// Draws the job as a sentence whose words open their alternatives, or a student's program, and a run's buttons.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/state/run/sentence.h"
#include "gui/views/base/view.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

constexpr double kLeastSentence = 130;  // "Allreduce …"

struct RunButton {
  const char* label;
  const CommandInfo* command;
  const char* tip;
  bool primary = false;
};

/// Returns the buttons from right to left; the first ones are left out without room.
std::vector<RunButton> run_buttons(const AppState& state) {
  const LiveState& live = state.live;
  const RunButton hold{"Hold", &cmd::gate_pause, "Holds every rank before its next message (F7)"},
      stop{"Stop", &cmd::stop, "Ends the run (Shift+F5)"};
  if (state.program.running()) return {stop};
  if (state.program.open())
    return {{"Run again", &cmd::rerun, "Runs the program as it is saved now (F5)", true}};
  if (live.running && !live.stepping) return {hold, stop};
  if (!live.running)
    return {{"Step live", &cmd::live, "Holds every rank before each message (F6)"},
            {"Run", &cmd::run, "Runs it in real processes (Ctrl+R)", true}};
  std::vector<RunButton> all = {
      {"Let it run", &cmd::gate_resume, "Until a breakpoint, or the end (F8)"},
      {"One round", &cmd::release_round, "Lets all messages of the next round go (Shift+F10)"},
      {"One message", &cmd::release, "Lets one message go, and its receiver take it (F10)", true}};
  if (live.resumed) all.push_back(hold);
  all.push_back(stop);
  return all;
}

/// Draws the state and, if `runs`, the buttons, from the right edge on. Returns where the room for the sentence ends, in pixels
/// from the bar's left edge.
float draw_run_controls(ViewContext& context, bool runs) {
  const Look& look = context.look;
  const StateChip chip = state_chip(context.state);
  const ImU32 color = chip_color(look, chip.kind);
  look.push(12, Font::Weight::semibold);
  const std::string text = (chip.kind == StateChip::Kind::good ? "\u2713 " : "") +
                           fitted_parts(chip.text, ImGui::GetWindowWidth() * 0.24F);
  const float high = look.px(26), middle = ImGui::GetWindowHeight() / 2;
  const float wide = ImGui::CalcTextSize(text.c_str()).x + look.px(24);
  float x = ImGui::GetWindowWidth() - wide;
  ImGui::SetCursorPos({x, middle - high / 2});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + wide, at.y + high}, with_alpha(color, 0x24), high / 2);
  list.AddRect(at, {at.x + wide, at.y + high}, color, high / 2);
  ImGui::SetCursorPos({x + look.px(12), middle - ImGui::GetTextLineHeight() / 2});
  colored_text(color, text);
  Look::pop();
  x -= look.px(12);
  if (!runs) return x;
  look.push(14, Font::Weight::semibold);
  const auto size_of = [&](const RunButton& one) {
    return ImVec2{ImGui::CalcTextSize(one.label).x + look.px(one.primary ? 40 : 24), look.px(30)};
  };
  auto buttons = run_buttons(context.state);
  // The less urgent ones, which have keys and menu items, leave room for the sentence.
  float all = 0;
  for (const RunButton& one : buttons) all += size_of(one).x + look.px(6);
  while (buttons.size() > 2 && x - all < look.px(kLeastSentence)) {
    all -= size_of(buttons.front()).x + look.px(6);
    buttons.erase(buttons.begin());
  }
  for (const RunButton& one : buttons) {
    const ImVec2 size = size_of(one);
    x -= size.x;
    ImGui::SetCursorPos({x, middle - size.y / 2});
    const bool pressed =
        one.primary ? accent_button(look, one.label, size, 14) : ImGui::Button(one.label, size);
    if (pressed) context.commands.push(Command(*one.command));
    hover_text(one.tip);
    x -= look.px(6);
  }
  Look::pop();
  return x;
}

constexpr int kMostSliders = 16;
constexpr double kLetters = 16;

void change(ViewContext& context, const std::string& key, const std::string& value) {
  // With a run on the screen, a change is run at once. One command does both, so that a wrong value
  // is not run.
  const auto& live = context.state.live;
  if (!context.state.result && !live.running) return context.commands.push(cmd::set(key, value));
  context.commands.push(
      (live.running && live.stepping ? cmd::live : cmd::run)({key + "=" + value}));
}

// `more`: the slider is still held. All of a drag is one change to undo.
void delay_to(ViewContext& context, int rank, float delay, bool more) {
  Command command = cmd::delay(rank, {delay, 1});
  command.more = more;
  context.commands.push(std::move(command));
}

float word_width(const Look& look, const std::string& word) {
  return look.text_size(word, kLetters, Font::Weight::semibold).x;
}

// A line of a popover, a name and a note; returns whether it was chosen.
bool choice(const Look& look, const std::string& name, std::string_view note, bool now) {
  const float at = ImGui::GetCursorPosX();
  const bool chosen = ImGui::Selectable(fmt::format("{}##choice", name).c_str(), now, 0,
                                        {note.empty() ? look.px(150) : 0, 0});
  if (note.empty()) return chosen;
  ImGui::SameLine();
  ImGui::SetCursorPosX(
      std::max(at + look.px(150), at + ImGui::CalcTextSize(name.c_str()).x + look.px(16)));
  caption(look, std::string(note));
  return chosen;
}

void list(ViewContext& context, const std::vector<std::string>& all, const std::string& now,
          const char* key) {
  for (const auto& one : all)
    if (choice(context.look, one, "", one == now) && one != now) change(context, key, one);
}

void collectives_list(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const auto* const chosen = traits_of_job(job);
  const auto* const algorithm_now = find_algorithm(job.call.algorithm);
  const auto now = chosen == nullptr ? std::string_view() : chosen->name;
  for (const auto& one : collectives()) {
    std::vector<std::string_view> names;
    for (const auto& algorithm : algorithms())
      if (algorithm.collective == one.collective) names.push_back(algorithm.short_name());
    if (names.empty()) continue;
    const std::string note = fmt::format("{}", fmt::join(names, ", "));
    if (choice(context.look, std::string(one.name), fitted_text(note, context.look.px(300)),
               one.name == now) &&
        one.name != now)
      change(context, "algorithm",
             way_to(one.collective, algorithm_now == nullptr ? "" : algorithm_now->short_name()));
  }
}

void algorithms_list(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const auto* const chosen = traits_of_job(job);
  const std::string collective(chosen == nullptr ? std::string_view() : chosen->name);
  for (const auto& one : algorithms())
    if (to_string(one.collective) == collective &&
        choice(context.look, std::string(one.short_name()), one.best_use,
               one.name == job.call.algorithm))
      change(context, "algorithm", std::string(one.name));
  if (const std::string automatic = collective + ".auto";
      is_auto(automatic) &&
      choice(context.look, "auto", "as a library would choose", automatic == job.call.algorithm))
    change(context, "algorithm", automatic);
}

/// Returns the headline; that of a race has all algorithms: "Race: ring, bde · 4 ranks · 16 × float32 · ipc".
std::string headline_of(const AppState& state) {
  const std::string& headline = state.document->headline();
  if (state.race.runs.empty()) return headline;
  std::string names;
  for (const DocumentPtr& run : state.race.runs) {
    const std::string& whole = run->trace().meta().algorithm;
    names += (names.empty() ? "" : ", ") + whole.substr(whole.find('.') + 1);
  }
  const auto rest = headline.find(" · ");
  return "Race: " + names + (rest == std::string::npos ? "" : headline.substr(rest));
}

}  // namespace

ImU32 chip_color(const Look& look, StateChip::Kind kind) {
  const auto& p = look.palette();
  const ImU32 colors[] = {p.muted, p.text, p.warning, p.error};
  return colors[static_cast<std::size_t>(kind)];
}

void SentenceBar::ranks(ViewContext& context) {
  const auto& job = context.state.settings.job;
  if (!dragging_) ranks_ = job.world.size;
  ImGui::SetNextItemWidth(context.look.px(300));
  ImGui::SliderInt("##ranks", &ranks_, 1, kMostShownRanks, "%d", ImGuiSliderFlags_AlwaysClamp);
  dragging_ = ImGui::IsItemActive();
  if (ImGui::IsItemDeactivatedAfterEdit() && ranks_ != job.world.size)
    change(context, "ranks", fmt::format("{}", ranks_));
  for (const int many : {2, 3, 4, 5, 7, 8, 16, 32, 64}) {
    if (many > 2) ImGui::SameLine(0, context.look.px(4));
    if (ImGui::SmallButton(fmt::format("{}", many).c_str()))
      change(context, "ranks", fmt::format("{}", many));
  }
}

void SentenceBar::data(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const std::string now = fmt::format("{}", fmt::join(job.call.shape, "x"));
  if (now != count_of_) {
    count_of_ = now;
    std::snprintf(count_.data(), count_.size(), "%s", now.c_str());
  }
  caption(context.look,
          "elements of a rank's input: a number, or a shape such as 2x4x8; Enter takes it");
  ImGui::SetNextItemWidth(context.look.px(160));
  if (ImGui::InputText("##count", count_.data(), count_.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue)) {
    change(context, "shape", count_.data());
    count_of_.clear();  // in the next frame, the field shows what the job has
  }
  ImGui::Spacing();
  list(context, choices_of(job_field("dtype")), std::string(to_string(job.call.dtype)), "dtype");
}

// Draws a menu of all parts of a job, also those without a word of their own.
void SentenceBar::more(ViewContext& context) {
  const auto& job = context.state.settings.job;
  const Look& look = context.look;
  const auto* algorithm = find_algorithm(job.call.algorithm);
  const auto menu = [&](const char* label, auto&& fill) {
    if (!ImGui::BeginMenu(label)) return;
    fill();
    ImGui::EndMenu();
  };
  for (const auto& one : sentence_of(job)) {
    if (one.part == JobPart::delays) continue;  // they are below in any case
    menu(fmt::format("{} {}###part-{}", one.before, one.word, static_cast<int>(one.part)).c_str(),
         [&] { popover(context, one.part); });
  }
  ImGui::Separator();
  if (job.transport.mode == SendMode::buffered)
    menu("buffered sends", [&] { popover(context, JobPart::mode); });
  if (algorithm != nullptr && algorithm->features.takes_segments) {
    auto bytes = static_cast<int>(std::min<std::uint64_t>(job.call.segment_bytes, 1U << 30));
    caption(look, "bytes of a segment (0: the algorithm's default)");
    ImGui::SetNextItemWidth(look.px(220));
    if (ImGui::InputInt("##segment", &bytes, 1024, 65536, ImGuiInputTextFlags_EnterReturnsTrue))
      change(context, "segment", fmt::format("{}", std::max(bytes, 0)));
  }
  if (algorithm != nullptr && algorithm->features.takes_group_size) {
    int group = job.call.group_size;
    caption(look, "ranks of a group (0: about the square root)");
    ImGui::SetNextItemWidth(look.px(220));
    if (ImGui::InputInt("##group", &group, 1, 4, ImGuiInputTextFlags_EnterReturnsTrue))
      change(context, "group", fmt::format("{}", std::clamp(group, 0, job.world.size)));
  }
  if (algorithm != nullptr && algorithm->features.takes_radix) {
    int radix = job.call.radix;
    caption(look, "radix: parts at each cut (0: 4)");
    ImGui::SetNextItemWidth(look.px(220));
    if (ImGui::InputInt("##radix", &radix, 1, 4, ImGuiInputTextFlags_EnterReturnsTrue))
      change(context, "radix", fmt::format("{}", radix < 2 ? 0 : std::min(radix, 1024)));
  }
  menu("what if a rank is slow?", [&] { delays(context); });
  if (ImGui::MenuItem("say it …", "Ctrl+K")) context.commands.push(cmd::say());
}

void SentenceBar::delays(ViewContext& context) {
  const auto& job = context.state.settings.job;
  caption(context.look, "waits before each of its messages");
  for (int rank = 0; rank < std::min(job.world.size, kMostSliders); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    auto delay =
        static_cast<float>(at < job.world.delays_us.size() ? job.world.delays_us[at] / 1000 : 0);
    ImGui::PushID(rank);
    ImGui::SetNextItemWidth(context.look.px(220));
    if (ImGui::SliderFloat(fmt::format("rank {}", rank).c_str(), &delay, 0, 100, "%.1f ms",
                           ImGuiSliderFlags_AlwaysClamp))
      delay_to(context, rank, delay, true);
    // A live run takes the delay at once.
    if (ImGui::IsItemDeactivatedAfterEdit()) {
      delay_to(context, rank, delay, false);
      if (context.state.result && !context.state.live.running) context.commands.push(cmd::rerun());
    }
    ImGui::PopID();
  }
  if (job.world.size > kMostSliders)
    caption(context.look, "for ranks 16 and up: the command delay RANK MS");
}

// Lists the transports, and the networks to simulate.
void SentenceBar::transports(ViewContext& context) {
  const auto& job = context.state.settings.job;
  list(context, transport_list(&Transport::processes), job.transport.name, "transport");
  ImGui::Separator();
  caption(context.look, "simulated, in virtual time");
  if (const bool now = job.is_simulated() && job.network.topology.empty();
      choice(context.look, std::string(kSimTransport), "each pair of ranks has a link of its own",
             now) &&
      !now)
    context.commands.push(cmd::say("simulated"));
  for (const std::string& name : known_topologies())
    if (choice(context.look, name, "", name == job.network.topology) &&
        name != job.network.topology)
      context.commands.push(cmd::say("on " + name));
}

void SentenceBar::popover(ViewContext& context, JobPart part) {
  const auto& job = context.state.settings.job;
  switch (part) {
    case JobPart::collective: return collectives_list(context);
    case JobPart::algorithm: return algorithms_list(context);
    case JobPart::ranks: return ranks(context);
    case JobPart::data: return data(context);
    case JobPart::op:
      return list(context, choices_of(job_field("op")), std::string(to_string(job.call.op)), "op");
    case JobPart::root: {
      std::vector<std::string> all;
      for (int r = 0; r < job.world.size; ++r) all.push_back(fmt::format("{}", r));
      return list(context, all, fmt::format("{}", job.call.root), "root");
    }
    case JobPart::transport: return transports(context);
    case JobPart::delays: return delays(context);
    case JobPart::mode:
      return list(context, choices_of(job_field("send_mode")),
                  std::string(to_string(job.transport.mode)), "mode");
  }
}

// Draws a word underlined with dots, which opens its popover when pressed.
void SentenceBar::word(ViewContext& context, const char* id, const std::string& text, JobPart part,
                       Opens opens) {
  const Look& look = context.look;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, look.px(4)});
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  look.push(kLetters, Font::Weight::semibold);
  if (ImGui::Button(fmt::format("{}##{}", text, id).c_str())) ImGui::OpenPopup(id);
  Look::pop();
  const ImVec2 high = ImGui::GetItemRectMax();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (opens != Opens::more)
    for (float x = low.x; x + 1 < high.x; x += look.px(4))
      list.AddLine({x, high.y - look.px(2)}, {x + look.px(2), high.y - look.px(2)},
                   look.palette().accent, look.px(1));
  ImGui::SetNextWindowPos({low.x, high.y + look.px(6)}, ImGuiCond_Appearing);
  look.push(14);
  if (ImGui::BeginPopup(id)) {
    if (opens == Opens::more) more(context);
    else if (opens == Opens::program) program_form(context);
    else popover(context, part);
    ImGui::EndPopup();
  }
  Look::pop();
}

// Draws as many words as fit; "…" opens the less important ones.
void SentenceBar::sentence(ViewContext& context, float room) {
  const Look& look = context.look;
  auto words = sentence_of(context.state.settings.job);
  // A delay dragged to 0 keeps its word until its popover is closed.
  if (ImGui::IsPopupOpen(fmt::format("part-{}", static_cast<int>(JobPart::delays)).c_str()) &&
      ranges::find(words, JobPart::delays, &SentenceWord::part) == words.end())
    words.push_back({JobPart::delays, "with", "no slow rank"});
  look.push(kLetters);
  const float space = ImGui::CalcTextSize(" ").x;
  const auto wide = [&](const SentenceWord& one) {
    const float glue = one.before.empty() ? 0 : ImGui::CalcTextSize(one.before.c_str()).x + space;
    return glue + word_width(look, one.word) + space;
  };
  float all = look.px(28);
  for (const auto& one : words) all += wide(one);
  for (const JobPart part : {JobPart::mode, JobPart::transport, JobPart::op, JobPart::root,
                             JobPart::data, JobPart::delays, JobPart::ranks, JobPart::algorithm}) {
    const auto found = ranges::find(words, part, &SentenceWord::part);
    if (all <= room || found == words.end()) continue;
    all -= wide(*found);
    words.erase(found);
  }
  const float top = (ImGui::GetWindowHeight() - ImGui::GetTextLineHeight()) / 2;
  float x = ImGui::GetCursorPosX();
  for (const auto& one : words) {
    if (!one.before.empty()) {
      if (one.before.starts_with(',')) x -= space;
      ImGui::SetCursorPos({x, top});
      colored_text(look.palette().muted, one.before);
      x += ImGui::CalcTextSize(one.before.c_str()).x + space;
    }
    ImGui::SetCursorPos({x, top - look.px(4)});
    const std::string id = fmt::format("part-{}", static_cast<int>(one.part));
    word(context, id.c_str(), one.word, one.part, Opens::part);
    x += word_width(look, one.word) + space;
  }
  ImGui::SetCursorPos({x, top - look.px(4)});
  word(context, "more", "\u2026", JobPart::mode, Opens::more);
  if (!ImGui::IsPopupOpen("more"))
    hover_text("Sends, segments, groups, a slow rank; or say it (Ctrl+K)");
  Look::pop();
}

// Draws a student's program: its name, and the word that opens how it is run.
void SentenceBar::program(ViewContext& context, float room) {
  const Look& look = context.look;
  const ProgramState& program = context.state.program;
  const ProgramChoice& choice = program.choice;
  const std::string ranks = choice.ranks == 0
                                ? std::string("its own ranks")
                                : counted(static_cast<std::uint64_t>(choice.ranks), "rank");
  look.push(kLetters, Font::Weight::semibold);
  const float space = ImGui::CalcTextSize(" ").x, from = ImGui::GetCursorPosX();
  const float top = (ImGui::GetWindowHeight() - ImGui::GetTextLineHeight()) / 2;
  const float on = ImGui::CalcTextSize("on").x + 2 * space;
  const std::string name =
      fitted_text(program.name(), room - on - ImGui::CalcTextSize(ranks.c_str()).x);
  ImGui::SetCursorPos({from, top});
  ImGui::TextUnformatted(name.c_str());
  hover_text(choice.file);
  const float x = from + ImGui::CalcTextSize(name.c_str()).x + space;
  Look::pop();
  look.push(kLetters);
  ImGui::SetCursorPos({x, top});
  colored_text(look.palette().muted, "on");
  ImGui::SetCursorPos({x + on - space, top - look.px(4)});
  word(context, "program", ranks, JobPart::ranks, Opens::program);
  Look::pop();
}

void SentenceBar::program_form(ViewContext& context) {
  const Look& look = context.look;
  const ProgramChoice& choice = context.state.program.choice;
  const auto set = [&](const std::string& key, const std::string& value) {
    context.commands.push(cmd::exec({key + "=" + value}));
  };
  caption(look, "copies of it, each a rank, as torchrun and mpirun start them");
  for (const int many : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}) {
    if (many > 1) ImGui::SameLine(0, look.px(4));
    if (ImGui::SmallButton(fmt::format("{}", many).c_str())) set("ranks", std::to_string(many));
  }
  if (choice.ranks != 0 && ImGui::Selectable("it makes its ranks itself")) set("ranks", "own");
  const auto field = [&](const char* key, const std::string& now, const char* hint,
                         std::string_view what) {
    auto& [of, text] = fields_[key];
    if (of != choice.file + now || !ImGui::IsPopupOpen("program")) {
      of = choice.file + now;
      std::snprintf(text.data(), text.size(), "%s", now.c_str());
    }
    ImGui::Spacing();
    caption(look, std::string(what));
    ImGui::SetNextItemWidth(look.px(300));
    if (ImGui::InputTextWithHint(fmt::format("##{}", key).c_str(), hint, text.data(), text.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue))
      set(key, text.data());
  };
  field("as", choice.as, "allreduce:sum", "compare its result with a collective; Enter takes it");
  field("data", choice.data, "tensor", "the variable, or the function, that has its data");
  field("python", choice.python, "/usr/bin/python3", "the Python that runs it");
}

void SentenceBar::draw(ViewContext& context) {
  const auto& state = context.state;
  const Look& look = context.look;
  if (state.program.open() && !state.live.running) {
    const float end = draw_run_controls(context, true);
    ImGui::SetCursorPosX(look.px(4));
    return program(context, end - look.px(16));
  }
  // For an opened trace, its headline replaces the sentence.
  const bool opened = state.has_trace() && !state.result && !state.live.running &&
                      form_for_ != state.document->id();
  const float end = draw_run_controls(context, !opened), from = look.px(4);
  ImGui::SetCursorPosX(from);
  if (!opened) return sentence(context, end - from - look.px(12));
  const char* const another = "Another run";
  const float wide = look.text_size(another, 14, Font::Weight::semibold).x + look.px(20);
  look.push(kLetters, Font::Weight::semibold);
  const std::string text = fitted_parts(headline_of(state), end - from - wide - look.px(28));
  ImGui::SetCursorPos({from, (ImGui::GetWindowHeight() - ImGui::GetTextLineHeight()) / 2});
  ImGui::TextUnformatted(text.c_str());
  const float x = from + ImGui::CalcTextSize(text.c_str()).x + look.px(12);
  Look::pop();
  ImGui::SetCursorPos({x, (ImGui::GetWindowHeight() - look.px(26)) / 2});
  if (ImGui::Button(another, {wide, look.px(26)})) form_for_ = state.document->id();
  hover_text("Chooses what is run next");
}

}  // namespace rankscope::gui
