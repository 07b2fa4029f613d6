// Detects colours, glyphs and width of the terminal, and writes styled text to it.
#include "cli/terminal/console.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/text.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

constexpr int kDefaultWidth = 100;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  return value == nullptr ? std::string_view{} : value;
}

bool locale_is_utf8() {
  // The first of these that is set decides (POSIX).
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos ||
           value.find("utf-8") != std::string_view::npos;
  }
  return false;
}

bool wants_color(ColorWhen when, bool terminal) {
  if (when == ColorWhen::always) return true;
  if (when == ColorWhen::never || !environment("NO_COLOR").empty()) return false;
  return terminal && environment("TERM") != "dumb";
}

int terminal_width(bool terminal) {
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  const auto columns = environment("COLUMNS");
  constexpr int kLeast = 20, kMost = 1000;
  const int width = as_number<int>(columns).value_or(0);
  return width > 0 ? std::clamp(width, kLeast, kMost) : kDefaultWidth;
}

[[noreturn]] void cannot_write() {
  throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                          "cannot write to the standard output");
}

void write(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() && stream == stdout)
    cannot_write();
}

// Okabe-Ito (blue, orange, green, purple, sky, vermilion, yellow, grey) among xterm's 256 colours;
// the same hues, lighter, for the next eight.
constexpr std::array<int, 16> kChunkColors{33,  214, 36,  175, 117, 166, 227, 247,
                                           111, 222, 115, 218, 159, 209, 230, 252};

}  // namespace

std::string Style::paint(std::string_view codes, std::string_view text) const {
  if (!color_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes, text);
}

std::string Style::chunk(int number, std::string_view text) const {
  const auto index = static_cast<std::size_t>(number) % kChunkColors.size();
  return paint(fmt::format("38;5;{}", kChunkColors[index]), text);
}

std::string Style::changed_chunk(int number, std::string_view text) const {
  const auto index = static_cast<std::size_t>(number) % kChunkColors.size();
  return paint(fmt::format("1;7;38;5;{}", kChunkColors[index]), text);
}

std::string Style::text(std::string_view utf8) const {
  const auto safe = without_orders(utf8, color_);
  return utf8_ ? safe : to_ascii(safe);
}

Console::Console(const Settings& settings)
    : settings_(settings),
      out_is_terminal_(isatty(STDOUT_FILENO) == 1),
      err_is_terminal_(isatty(STDERR_FILENO) == 1),
      in_is_terminal_(isatty(STDIN_FILENO) == 1),
      width_(terminal_width(out_is_terminal_)),
      out_(wants_color(settings.color, out_is_terminal_), locale_is_utf8()),
      err_(wants_color(settings.color, err_is_terminal_), locale_is_utf8()) {}

void Console::print(std::string_view text) const { write(stdout, out_.text(text)); }

void Console::print_raw(std::string_view text) const { write(stdout, text); }

void Console::flush() const {
  errno = 0;
  // ferror() remembers what an earlier flush could not write.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) cannot_write();
}

void Console::note(std::string_view text) const {
  if (quiet() || json()) return;
  std::fflush(stdout);  // keeps notes and results in order
  std::string line(err_.text(text));
  if (!line.ends_with('\n')) line += '\n';  // at once: programs write there, too
  write(stderr, line);
}

}  // namespace rankscope::cli
