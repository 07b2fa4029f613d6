// Draws the box that asks for a file.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/stage/stage.h"
#include "gui/state/command/made_later.h"
#include "gui/views/base/compat.h"
#include "gui/views/panels.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

constexpr double kBoxWidth = 980, kBoxHeight = 600, kPlaces = 150, kPreview = 290;
/// With less room there is no preview.
constexpr double kWithPreview = 760;
/// A larger file is not read for its preview.
constexpr std::uintmax_t kLargestPreview = std::uintmax_t{24} << 20;

struct TracePreview {
  std::string headline, words;
  Scene scene;
};

TracePreview preview_of(const std::string& path, double width, double height) {
  TracePreview out;
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return out;
  if (bytes > kLargestPreview) {
    out.words = "Too large for a preview.";
    return out;
  }
  try {
    const DocumentPtr document = Document::make(TraceReader::open(path), path);
    out.headline = document->headline();
    out.words = fmt::format("{}, {}", counted(document->trace().size(), "event"),
                            counted(static_cast<std::uint64_t>(document->rounds().count), "round"));
    if (document->large() || document->empty()) return out;
    StageOptions options;
    options.width = width;
    options.height = height;
    options.heading = false;
    Stage stage(document->analysis(), options, system_ruler());
    out.scene = stage.at(stage.stuck() ? stage.end() : std::max(0.0, stage.end() / 2));
  } catch (const std::exception& e) {  // the preview says what is wrong with the file
    out.words = e.what();
  }
  return out;
}

std::string working_folder() {
  std::error_code error;
  const auto path = fs::current_path(error);
  return error ? std::string("/") : path.string();
}

}  // namespace

struct FileDialog::Made {
  MadeLater<FileList> list;
  MadeLater<TracePreview> preview;
};

FileDialog::FileDialog() : made_(std::make_unique<Made>()) {}
FileDialog::~FileDialog() = default;

void FileDialog::ask(const std::string& command) {
  command_ = command;
  ++opened_;  // folders may have changed
  just_opened_ = true;
  text_[0] = 0;
  replaces_.clear();
  marked_ = -1;
}

void FileDialog::begin(const ViewContext& context, NameBox::Files use) {
  use_ = use;
  kinds_ = file_kinds(use);
  kind_ = 0;
  places_ = file_places(context.state.settings);
  if (folder_.empty()) folder_ = working_folder();
}

void FileDialog::go_to(const std::string& folder) {
  folder_ = fs::path(folder).lexically_normal().string();
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  type("");
}

void FileDialog::type(const std::string& text) {
  std::snprintf(text_.data(), text_.size(), "%s", text.c_str());
  replaces_.clear();
  marked_ = -1;
  awaiting_ = to_end_ = true;
  just_opened_ = true;
}

void FileDialog::draw(ViewContext& context) {
  const auto* info = find_command_info(command_);
  if (info == nullptr || info->box.title == nullptr) return command_.clear();
  const NameBox& box = info->box;
  if (use_ != box.files || kinds_.empty()) begin(context, box.files);
  const Look& look = context.look;
  const bool stay = begin_box(context, "##file", kBoxWidth, kBoxHeight);
  box_heading(look, box.title);
  ImGui::SameLine(0, look.px(16));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(6));
  colored_text(look.palette().muted, fitted_text(folder_, ImGui::GetContentRegionAvail().x));
  field(context, box);
  const float high = ImGui::GetContentRegionAvail().y - look.px(replaces_.empty() ? 76 : 112);
  const float wide = ImGui::GetContentRegionAvail().x;
  const bool previews = wide >= look.px(kWithPreview) && use_ != NameBox::Files::save_picture;
  places(context, look.px(kPlaces), high);
  ImGui::SameLine();
  list(context, wide - look.px(kPlaces + (previews ? kPreview + 24 : 12)), high);
  if (previews) {
    ImGui::SameLine();
    preview(context, look.px(kPreview), high);
  }
  foot(context, box);
  if (!stay) command_.clear();
  end_box();
  if (command_.empty()) use_ = NameBox::Files::none;
}

void FileDialog::field(ViewContext& context, const NameBox& box) {
  if (std::exchange(just_opened_, false)) {
    awaiting_ = true;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const std::string before = typed();
  const bool entered = ImGui::InputTextWithHint(
      "##path", box.hint, text_.data(), text_.size(),
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways, to_end_once,
      &to_end_);
  if (awaiting_) awaiting_ = !has_keyboard(context);
  if (typed() != before) {
    marked_ = -1;
    replaces_.clear();
  }
  if (entered && marked_ < 0) accept(context);  // else Enter takes the marked row
}

void FileDialog::places(ViewContext& context, float width, float height) {
  compat::begin_child("places", {width, height});
  caption(context.look, "PLACES", 0, true);
  for (const FilePlace& one : places_) {
    ImGui::PushID(one.folder.c_str());
    const std::string name = fitted_text(one.name.empty() ? "/" : one.name, width - 8);
    if (ImGui::Selectable(name.c_str(), one.folder == folder_)) go_to(one.folder);
    hover_text(one.folder);
    ImGui::PopID();
  }
  ImGui::EndChild();
}

void FileDialog::list(ViewContext& context, float width, float height) {
  const Look& look = context.look;
  const TypedPath parts = typed_parts(folder_, typed());
  const FileList* all =
      made_->list.get(opened_, parts.folder + "\n" + kind().name,
                      [folder = parts.folder, kind = kind()] { return files_in(folder, kind); });
  if (made_->list.busy() && context.unfinished != nullptr) *context.unfinished = true;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.palette().window);
  compat::begin_child("files", {width, height});
  const auto shown = all == nullptr ? std::vector<FileRow>{} : rows_that_begin(*all, parts.name);
  const int count = static_cast<int>(shown.size());
  if (compat::key_pressed(ImGuiKey_DownArrow)) marked_ = std::min(marked_ + 1, count - 1);
  if (compat::key_pressed(ImGuiKey_UpArrow)) marked_ = std::max(marked_ - 1, -1);
  if (all != nullptr && !all->trouble.empty())
    colored_text(look.palette().error, fitted_text(all->trouble, width));
  const auto flags = ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_ScrollY;
  if (ImGui::BeginTable("rows", 3, flags)) {
    ImGui::TableSetupColumn("name");
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, look.px(76));
    ImGui::TableSetupColumn("changed", ImGuiTableColumnFlags_WidthFixed, look.px(96));
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    if (fs::path(parts.folder).has_relative_path()) row(context, {"..", true, 0, 0}, false);
    for (int i = 0; i < count; ++i) row(context, shown[static_cast<std::size_t>(i)], i == marked_);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  // Enter takes the entry that the arrow keys chose.
  if (marked_ >= 0 && marked_ < count) {
    const std::string name = shown[static_cast<std::size_t>(marked_)].name;
    if (compat::key_pressed(ImGuiKey_Enter, false)) {
      type(path_typed(parts.folder, name));
      accept(context);
    }
  } else if (count > 0 && compat::key_pressed(ImGuiKey_Tab, false)) {
    const std::string shared = shared_beginning(shown);
    if (shared.size() > parts.name.size())
      type(typed().substr(0, typed().size() - parts.name.size()) + shared);
  }
}

void FileDialog::row(ViewContext& context, const FileRow& row, bool chosen) {
  const Look& look = context.look;
  const TypedPath parts = typed_parts(folder_, typed());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(row.name.c_str());
  const std::string name = row.is_folder ? row.name + "/" : row.name;
  const bool is_typed = !row.is_folder && row.name == parts.name;
  if (ImGui::Selectable(
          name.c_str(), chosen || is_typed,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    if (row.is_folder) go_to(path_typed(parts.folder, row.name));
    else {
      if (parts.folder != folder_) go_to(parts.folder);
      type(row.name);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) accept(context);
    }
  }
  if (chosen && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
  if (!row.is_folder) right_aligned(amount_text(row.bytes));
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(changed_text(row.changed, std::time(nullptr)).c_str());
  ImGui::PopStyleColor();
  ImGui::PopID();
}

void FileDialog::preview(ViewContext& context, float width, float height) {
  const Look& look = context.look;
  compat::begin_child("preview", {width, height});
  const std::string path = path_typed(folder_, typed());
  std::error_code error;
  if (!path.ends_with(".rankscope") || !fs::is_regular_file(path, error)) {
    colored_text(look.palette().muted, "Choose a trace to see it here.");
    ImGui::EndChild();
    return;
  }
  const auto unit = static_cast<double>(look.scale());
  const double wide = std::floor(static_cast<double>(width) / unit),
               high = std::min(std::floor(static_cast<double>(height) / unit) - 90, wide * 0.8);
  const TracePreview* shown = made_->preview.get(
      opened_, path, [path, wide, high] { return preview_of(path, wide, std::max(high, 120.0)); });
  if (made_->preview.busy() && context.unfinished != nullptr) *context.unfinished = true;
  if (shown != nullptr) {
    if (shown->scene.width > 0) {
      const ImVec2 low = ImGui::GetCursorScreenPos();
      const ImVec2 size{width, static_cast<float>(shown->scene.height * unit)};
      ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + size.x, low.y + size.y},
                                                look.palette().panel, look.px(8));
      paint(*ImGui::GetWindowDrawList(), shown->scene, look, {low, unit}, {});
      ImGui::Dummy(size);
    }
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(shown->headline.c_str());
    colored_text(look.palette().muted, shown->words);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndChild();
}

void FileDialog::foot(ViewContext& context, const NameBox& box) {
  const Look& look = context.look;
  question(context);
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (ImGui::RadioButton(kinds_[i].name.c_str(), i == kind_)) {
      kind_ = i;
      if (use_ == NameBox::Files::save_picture && !typed().empty())
        type(with_ending(fs::path(typed()).replace_extension().string(), kind()));
    }
  }
  if (ImGui::Button("OK", {look.px(90), 0})) accept(context);
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {look.px(90), 0})) command_.clear();
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
  elided(box.advice);
  ImGui::PopStyleColor();
}

void FileDialog::question(ViewContext& context) {
  if (replaces_.empty()) return;
  const Look& look = context.look;
  colored_text(look.palette().warning,
               fmt::format("{} is there already.", fs::path(replaces_).filename().string()));
  ImGui::SameLine();
  if (ImGui::SmallButton("Replace it")) return carry_out(context, std::exchange(replaces_, {}));
  ImGui::SameLine();
  if (ImGui::SmallButton("Choose another name")) type(typed());
}

void FileDialog::accept(ViewContext& context) {
  if (typed().empty() || command_.empty()) return;
  using Files = NameBox::Files;
  std::string path = path_typed(folder_, typed());
  std::error_code error;
  const bool opens = use_ == Files::open_any || use_ == Files::open_program ||
                     use_ == Files::open_trace || use_ == Files::open_script ||
                     use_ == Files::open_topology || use_ == Files::open_schedule ||
                     use_ == Files::open_plugin;
  if (fs::is_directory(path, error) && !fs::exists(fs::path(path) / "lesson.toml", error))
    return go_to(path);
  if (!opens) {
    path = with_ending(path, kind());
    // A second Enter replaces the file.
    if (fs::exists(path, error) && replaces_ != path) {
      replaces_ = path;
      awaiting_ = just_opened_ = to_end_ = true;
      return;
    }
  }
  carry_out(context, path);
}

void FileDialog::carry_out(ViewContext& context, const std::string& path) {
  const auto* info = find_command_info(command_);
  std::vector<std::string> words{path};
  if (info->box.first != nullptr) words.insert(words.begin(), info->box.first);
  context.commands.push(Command(*info, std::move(words)));
  folder_ = fs::path(path).parent_path().string();
  command_.clear();
}

}  // namespace rankscope::gui
