// The differences between releases of Dear ImGui (1.86 in Debian 12, to 1.92): all of them are here.
#pragma once

#include <iterator>

#include <imgui.h>
#include <imgui_internal.h>
#if IMGUI_VERSION_NUM < 19200
#include <backends/imgui_impl_opengl3.h>
#include <imgui_freetype.h>
#endif

namespace rankscope::gui::compat {

// ---- Fonts: from 1.92 on they have no size of their own, and the backend makes their texture ----

#if IMGUI_VERSION_NUM >= 19200
inline void build_fonts(ImFontAtlas&) {}  // as the library was built: with FreeType, or without
inline void push_font(ImFont* font, float size) { ImGui::PushFont(font, size); }
inline void renew_font_texture() {}
/// Pixels from the top of a line to its baseline.
inline float ascent(ImFont* font, float size, float) { return font->GetFontBaked(size)->Ascent; }
/// Calls `visit` with each letter's font (null from 1.92 on), height of line, and glyph in the atlas.
template <class Visit>
void each_glyph(const ImFontAtlas& atlas, const Visit& visit) {
  auto& pool = atlas.Builder->BakedPool;
  for (int i = 0; i < pool.Size; ++i)
    for (const ImFontGlyph& glyph : pool[i].Glyphs)
      visit(static_cast<const ImFont*>(nullptr), pool[i].Size, glyph);
}
#else
inline void build_fonts(ImFontAtlas& atlas) {
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.Build();
}
/// Call it after build_fonts().
inline void renew_font_texture() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}
inline void push_font(ImFont* font, float) { ImGui::PushFont(font); }
inline float ascent(ImFont* font, float size, float baked_size) {
  return font->Ascent * size / baked_size;
}
template <class Visit>
void each_glyph(const ImFontAtlas& atlas, const Visit& visit) {
  for (const ImFont* font : atlas.Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs) visit(font, font->FontSize, glyph);
}
#endif

/// Returns, between two frames, whether a text field had the keyboard at the end of the last one. ImGuiIO::WantTextInput is
/// a frame behind then, and a letter typed into a field that has just got the keyboard would be a shortcut.
inline bool field_has_keyboard() { return ImGui::GetCurrentContext()->WantTextInputNextFrame == 1; }

// ---- Input: from 1.87 on keys have names of ImGui's own, and input comes as events ----

#if IMGUI_VERSION_NUM >= 18700
inline bool key_pressed(ImGuiKey key, bool repeat = true) {
  return ImGui::IsKeyPressed(key, repeat);
}
/// Call it before ImGui::NewFrame().
inline void check_keys(ImGuiIO&) {}
inline void move_mouse(ImGuiIO& io, float x, float y) { io.AddMousePosEvent(x, y); }
inline void press_mouse(ImGuiIO& io, int button, bool down) {
  io.AddMouseButtonEvent(button, down);
}
inline void turn_wheel(ImGuiIO& io, float notches) { io.AddMouseWheelEvent(0, notches); }
inline void press_key(ImGuiIO& io, ImGuiKey key, bool down) { io.AddKeyEvent(key, down); }
#else
inline bool key_pressed(ImGuiKey key, bool repeat = true) {
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), repeat);
}
// A menu that replaces another one is open for a frame without a window, and Escape in that frame
// would read the window.
inline void check_keys(ImGuiIO& io) {
  const auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
  if (!open.empty() && open.back().Window == nullptr)
    io.KeysDown[io.KeyMap[ImGuiKey_Escape]] = false;
}
inline void move_mouse(ImGuiIO& io, float x, float y) { io.MousePos = {x, y}; }
inline void press_mouse(ImGuiIO& io, int button, bool down) { io.MouseDown[button] = down; }
inline void turn_wheel(ImGuiIO& io, float notches) { io.MouseWheel = notches; }
inline void press_key(ImGuiIO& io, ImGuiKey key, bool down) { io.KeysDown[io.KeyMap[key]] = down; }
#endif

/// Drops the active field's undo steps, since its text was rewritten. Later releases compare the texts themselves.
inline void forget_field_undo() {
#if IMGUI_VERSION_NUM < 18700
  auto& undo = ImGui::GetCurrentContext()->InputTextState.Stb.undostate;
  undo.undo_point = 0;
  undo.undo_char_point = 0;
  undo.redo_point = static_cast<short>(std::size(undo.undo_rec));
  undo.redo_char_point = static_cast<int>(std::size(undo.undo_char));
#endif
}

/// Passes on the pointer's position; older releases ask the window system themselves.
template <class SystemWindow>
void hand_on_move([[maybe_unused]] SystemWindow* window, [[maybe_unused]] double x,
                  [[maybe_unused]] double y) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_CursorPosCallback(window, x, y);
#endif
}

/// Returns whether the keyboard's focus is framed, since somebody moves it.
inline bool focus_is_seen() { return ImGui::GetIO().NavVisible; }

// ---- Widgets ----

/// Begins a child without a border, for which 1.90 has flags instead of a bool.
inline bool begin_child(const char* id, const ImVec2& size = {0, 0}, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_None, flags);
#else
  return ImGui::BeginChild(id, size, false, flags);
#endif
}

/// The colour of the keyboard's focus.
#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiCol_ kFocusColor = ImGuiCol_NavCursor;
#else
inline constexpr ImGuiCol_ kFocusColor = ImGuiCol_NavHighlight;
#endif

}  // namespace rankscope::gui::compat
