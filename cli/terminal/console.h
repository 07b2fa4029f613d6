// The terminal or pipe that a command writes to: colours, glyphs, width.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope::cli {

/// The look of one stream. Colour is never the only carrier: whatever is coloured also says it in words.
class Style {
 public:
  Style(bool color, bool utf8) : color_(color), utf8_(utf8) {}
  bool color() const noexcept { return color_; }
  bool utf8() const noexcept { return utf8_; }

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string warning(std::string_view text) const { return paint("33", text); }
  std::string bad(std::string_view text) const { return paint("1;31", text); }
  /// Colours a chunk, in every table and line alike: Okabe-Ito's eight colours, then lighter ones.
  std::string chunk(int number, std::string_view text) const;
  /// Does the same and marks it as changed.
  std::string changed_chunk(int number, std::string_view text) const;
  std::string underlined(std::string_view text) const { return paint("4", text); }

  /// Returns `utf8` as this stream can show it, without control sequences.
  std::string text(std::string_view utf8) const;

 private:
  std::string paint(std::string_view codes, std::string_view text) const;

  bool color_;
  bool utf8_;
};

enum class ColorWhen { automatic, always, never };

/// The output of a command. Results go to `out`, everything else (progress, notes, errors) to `err`, so that a pipe
/// gets results only.
class Console {
 public:
  struct Settings {
    bool json = false;
    bool quiet = false;
    ColorWhen color = ColorWhen::automatic;
    std::span<const char* const> command_line = {};  ///< The process's arguments, with its name.
  };

  explicit Console(const Settings& settings);

  bool json() const noexcept { return settings_.json; }
  bool quiet() const noexcept { return settings_.quiet; }
  const Style& out() const noexcept { return out_; }
  const Style& err() const noexcept { return err_; }
  bool out_is_terminal() const noexcept { return out_is_terminal_; }
  bool err_is_terminal() const noexcept { return err_is_terminal_; }
  bool in_is_terminal() const noexcept { return in_is_terminal_; }
  int width() const noexcept { return width_; }
  std::span<const char* const> command_line() const noexcept { return settings_.command_line; }

  /// Prints a result. Throws std::system_error when stdout cannot be written (a full disk).
  void print(std::string_view text) const;
  /// Prints JSON and other text that must not be changed for the terminal.
  void print_raw(std::string_view text) const;
  /// Throws as print() does.
  void flush() const;
  /// Prints what is worth knowing beside the result, unless with --quiet or --json.
  void note(std::string_view text) const;

 private:
  Settings settings_;
  bool out_is_terminal_, err_is_terminal_, in_is_terminal_;
  int width_;
  Style out_, err_;
};

}  // namespace rankscope::cli
