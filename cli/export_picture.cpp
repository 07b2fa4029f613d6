#include "cli/export_picture.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/write_file.h"
#include "engine/core/error.h"
#include "engine/diagrams/cairo_painter.h"
#include "engine/diagrams/frames.h"
#include "engine/diagrams/html.h"
#include "engine/diagrams/svg.h"

namespace rankscope::cli {
namespace {

constexpr std::array<std::string_view, 5> kFormats = {"svg", "pdf", "png", "gif", "html"};
constexpr double kPngDpi = 144, kGifDpi = 96;

// How far a long animation is, on a terminal.
class Counter {
 public:
  explicit Counter(const Console& console)
      : enabled_(console.err_is_terminal() && !console.quiet() && !console.json()) {}
  ~Counter() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  void show(std::size_t done, std::size_t all) {
    if (!enabled_) return;
    shown_ = true;
    std::fputs(fmt::format("\r\x1b[Kframe {} of {}", done, all).c_str(), stderr);
  }

 private:
  bool enabled_, shown_ = false;
};

class Exporter {
 public:
  Exporter(const Console& console, const Trace& trace, const PictureExport& what)
      : console_(console), trace_(trace), what_(what) {}

  PictureResult write() {
    check();
    if (what_.format == "html") html();
    else if (what_.format == "gif") gif();
    else if (what_.sequence) sequence();
    else still();
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

  void put(const std::string& path, std::string_view bytes) {
    if (path == "-") {
      std::cout << bytes;
      check_stdout();
    } else {
      check_not_source(path, what_.source);
      if (!what_.second_source.empty()) check_not_source(path, what_.second_source);
      write_whole(path, bytes);
    }
    result_.files.push_back({path, bytes.size()});
  }

  void note_size(const Scene& scene) {
    result_.width = scene.width;
    result_.height = scene.height;
  }

  void still() {
    const Scene scene = what_.drawn ? *what_.drawn : what_.kind->draw(trace_, what_.request);
    note_size(scene);
    if (is("svg")) put(what_.output, to_svg(scene, theme()));
    else if (is("pdf")) put(what_.output, to_pdf({&scene}, theme()));
    else put(what_.output, to_png(scene, theme(), dpi()));
  }

  Flipbook book_of() const {
    return what_.drawn ? motionless(*what_.drawn)
                       : animation(*what_.kind, trace_, what_.request, is("html"));
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

  // All or none: what was written before a failure is taken away again.
  void sequence() {
    const Flipbook book = moving();
    FrameOptions options;
    options.fps = std::max(what_.fps, 0);
    const auto frames = frames_of(book, options);
    result_.frames = frames.size();
    const std::filesystem::path path(what_.output);
    const int digits = std::max(3, static_cast<int>(std::to_string(frames.size()).size()));
    Counter counter(console_);
    try {
      for (std::size_t i = 0; i < frames.size(); ++i) {
        auto name = path;
        name.replace_filename(fmt::format("{}-{:0{}}{}", path.stem().string(), i + 1, digits,
                                          path.extension().string()));
        put(name.string(), to_png(book, frames[i], theme(), dpi()));
        counter.show(i + 1, frames.size());
      }
    } catch (...) {
      std::error_code ignored;
      for (const auto& file : result_.files) std::filesystem::remove(file.path, ignored);
      throw;
    }
  }

  const Console& console_;
  const Trace& trace_;
  const PictureExport& what_;
  PictureResult result_;
};

}  // namespace

bool is_picture_format(std::string_view format) {
  return std::ranges::find(kFormats, format) != kFormats.end();
}

PictureResult export_picture(const Console& console, const Trace& trace,
                             const PictureExport& what) {
  return Exporter(console, trace, what).write();
}

}  // namespace rankscope::cli
