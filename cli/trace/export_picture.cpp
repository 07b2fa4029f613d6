#include "cli/trace/export_picture.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/terminal/write_file.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/diagrams/moving/frames.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/html.h"
#include "engine/diagrams/paint/svg.h"

namespace rankscope::cli {
namespace {

constexpr std::array<std::string_view, 5> kFormats = {"svg", "pdf", "png", "gif", "html"};
constexpr double kPngDpi = 144, kGifDpi = 96;

struct Interrupted {};

// A long animation: how far it is, on a terminal, and its end by Ctrl-C.
class Counter {
 public:
  explicit Counter(const Console& console)
      : enabled_(console.err_is_terminal() && !console.quiet() && !console.json()) {}
  ~Counter() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  /// Throws Interrupted.
  void show(std::size_t done, std::size_t all) {
    if (interrupt_.happened()) throw Interrupted{};
    if (!enabled_) return;
    shown_ = true;
    std::fputs(fmt::format("\r\x1b[Kframe {} of {}", done, all).c_str(), stderr);
  }

 private:
  const Interrupt interrupt_;
  bool enabled_, shown_ = false;
};

/// Names of the files of a sequence: a.png becomes a-001.png, a-002.png ...
class SequenceNames {
 public:
  SequenceNames(const std::string& output, std::size_t count)
      : path_(output),
        count_(count),
        digits_(std::max(kDigits, static_cast<int>(std::to_string(count).size()))) {}

  std::string at(std::size_t number) const {
    auto name = path_;
    name.replace_filename(stem() + fmt::format("{:0{}}", number, digits_) + ending());
    return name.string();
  }

  /// Throws UserError when a longer sequence of this name has left files that would be played with
  /// this one's. They may be somebody's work, so they are not removed.
  void check_no_others() const {
    namespace fs = std::filesystem;
    std::vector<std::string> others;
    std::error_code ignored;
    const auto folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const auto name = entry.path().filename().string();
      if (is_other(name)) others.push_back(name);
    }
    if (others.empty()) return;
    std::ranges::sort(others);
    throw UserError(fmt::format(
        "{} {} of another sequence in the way of this one, which has {} frames: remove {}, or "
        "choose another name with --output",
        escaped(others.front()),
        others.size() == 1 ? "is" : fmt::format("to {} are", escaped(others.back())), count_,
        others.size() == 1 ? "it" : "them"));
  }

 private:
  static constexpr int kDigits = 3, kMostDigits = 6;  // more is a date, say
  std::string stem() const { return path_.stem().string() + "-"; }
  std::string ending() const { return path_.extension().string(); }

  // A frame's name with a number beyond this sequence's, or with other digits.
  bool is_other(std::string_view name) const {
    const auto around = stem().size() + ending().size();
    if (!name.starts_with(stem()) || !name.ends_with(ending()) || name.size() < around + kDigits ||
        name.size() > around + kMostDigits)
      return false;
    name = name.substr(stem().size(), name.size() - around);
    std::size_t number = 0;
    const auto* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, number);
    if (error != std::errc{} || rest != end || number == 0) return false;
    return number > count_ || name.size() != static_cast<std::size_t>(digits_);
  }

  std::filesystem::path path_;
  std::size_t count_;
  int digits_;
};

class Exporter {
 public:
  Exporter(const Console& console, const TraceAnalysis& analysis, const PictureExport& what)
      : console_(console), analysis_(analysis), what_(what) {}

  PictureResult write() {
    check();
    try {
      if (is("html")) html();
      else if (is("gif")) gif();
      else if (what_.sequence) sequence();
      else still();
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    return std::move(result_);
  }

 private:
  bool is(std::string_view format) const { return what_.format == format; }

  void check() const {
    const bool pixels = is("png") || is("gif");
    if (what_.dpi != 0 && !pixels)
      throw UserError(fmt::format("--dpi is for png and gif: {} has no pixels", what_.format));
    if (what_.sequence && !is("png"))
      throw UserError("--sequence is for png: with gif and html, one file holds the animation");
    if (what_.fps >= 0 && !is("gif") && !what_.sequence)
      throw UserError("--fps is for gif, and for png with --sequence");
    if (what_.output == "-" && (pixels || is("pdf")))
      throw UserError(
          fmt::format("{} is not written to the standard output: name a file with "
                      "--output",
                      what_.format));
    if (is("html") && what_.theme == "print")
      throw UserError(
          "an HTML page has print colours of its own, beside light and dark: choose one "
          "of these, or leave out --theme");
  }

  // PDF is for paper.
  Theme theme() const {
    if (!what_.theme.empty()) return theme_named(what_.theme);
    return Theme(is("pdf") ? Theme::Kind::print : Theme::Kind::light);
  }
  double dpi() const { return what_.dpi != 0 ? what_.dpi : is("gif") ? kGifDpi : kPngDpi; }

  void check_no_source(const std::string& path) const {
    check_not_source(path, what_.source);
    if (!what_.second_source.empty()) check_not_source(path, what_.second_source);
  }

  void put(const std::string& path, std::string_view bytes) {
    if (path == "-") {
      std::cout << bytes;
      check_stdout();
    } else {
      check_no_source(path);
      write_whole(path, bytes);
    }
    result_.files.push_back({path, bytes.size()});
  }

  void note_size(const Scene& scene) {
    result_.width = scene.width;
    result_.height = scene.height;
  }

  void still() {
    const Scene scene = what_.drawn ? *what_.drawn : what_.kind->draw(analysis_, what_.request);
    note_size(scene);
    if (is("svg")) put(what_.output, to_svg(scene, theme()));
    else if (is("pdf")) put(what_.output, to_pdf({&scene}, theme()));
    else put(what_.output, to_png(scene, theme(), dpi()));
  }

  Flipbook book_of() const {
    return what_.drawn ? motionless(*what_.drawn)
                       : animation(*what_.kind, analysis_, what_.request, is("html"));
  }

  void html() {
    HtmlOptions options;
    if (!what_.theme.empty()) options.theme = to_string(theme_named(what_.theme).kind());
    const Flipbook book = book_of();
    note_size(still_of(book, 0).scene);
    result_.frames = book.moments.size();
    put(what_.output, to_html(book, options));
  }

  Flipbook moving() {
    Flipbook book = book_of();
    if (book.moments.size() < 2)
      throw UserError(
          fmt::format("the diagram '{}' of this run does not move: choose svg, pdf, png "
                      "or html",
                      what_.kind->name));
    note_size(still_of(book, 0).scene);
    return book;
  }

  void gif() {
    const Flipbook book = moving();
    FrameOptions options;
    if (what_.fps >= 0) options.fps = what_.fps;
    Counter counter(console_);
    const auto bytes =
        to_gif(book, theme(), dpi(), options, [&](std::size_t done, std::size_t all) {
          result_.frames = all;
          counter.show(done, all);
        });
    put(what_.output, bytes);
  }

  // All or none: the files get their names when the last one is there.
  void sequence() {
    const Flipbook book = moving();
    FrameOptions options;
    options.fps = std::max(what_.fps, 0);
    const auto frames = frames_of(book, options);
    result_.frames = frames.size();
    const SequenceNames names(what_.output, frames.size());
    names.check_no_others();
    std::vector<NewFile> files;
    Counter counter(console_);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto name = names.at(i + 1);
      check_no_source(name);
      const auto bytes = to_png(book, frames[i], theme(), dpi());
      files.push_back(new_output(name));
      files.back().write([&](std::ostream& out) {
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      });
      result_.files.push_back({name, bytes.size()});
      counter.show(i + 1, frames.size());
    }
    try {
      for (NewFile& file : files) file.finish();
    } catch (...) {
      std::error_code ignored;
      for (const auto& file : result_.files) std::filesystem::remove(file.path, ignored);
      throw;
    }
  }

  const Console& console_;
  const TraceAnalysis& analysis_;
  const PictureExport& what_;
  PictureResult result_;
};

}  // namespace

bool is_picture_format(std::string_view format) {
  return std::ranges::find(kFormats, format) != kFormats.end();
}

PictureResult export_picture(const Console& console, const TraceAnalysis& analysis,
                             const PictureExport& what) {
  return Exporter(console, analysis, what).write();
}

}  // namespace rankscope::cli
