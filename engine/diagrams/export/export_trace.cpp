// Writes a trace as a picture, an animation or data: whole, or not at all.
#include "engine/diagrams/export/export_trace.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <streambuf>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/export/animation.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/moving/html.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/paint/video.h"

namespace rankscope {
namespace {

/// a.png becomes a-001.png, a-002.png ...
class SequenceNames {
 public:
  SequenceNames(const std::string& output, std::size_t count);

  std::string at(std::size_t number) const;
  /// Throws UserError when a longer sequence of this name has left files that would be played with
  /// this one's. They may be somebody's work, so they are not removed. `how`: see TraceExport.
  void check_no_others(std::string_view how) const;

 private:
  static constexpr int kDigits = 3, kMostDigits = 6;  // more may be a date
  std::string stem() const { return path_.stem().string() + "-"; }
  std::string ending() const { return path_.extension().string(); }
  bool is_other(std::string_view name) const;

  std::filesystem::path path_;
  std::size_t count_;
  int digits_;
};

SequenceNames::SequenceNames(const std::string& output, std::size_t count)
    : path_(output),
      count_(count),
      digits_(std::max(kDigits, static_cast<int>(std::to_string(count).size()))) {}

std::string SequenceNames::at(std::size_t number) const {
  auto name = path_;
  name.replace_filename(stem() + fmt::format("{:0{}}", number, digits_) + ending());
  return name.string();
}

void SequenceNames::check_no_others(std::string_view how) const {
  namespace fs = std::filesystem;
  std::vector<std::string> others;
  std::error_code ignored;
  const auto folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (is_other(name)) others.push_back(name);
  }
  if (others.empty()) return;
  ranges::sort(others);
  throw UserError(fmt::format(
      "{} {} of another sequence in the way of this one, which has {} frames: remove {}, or "
      "choose another name{}",
      escaped(others.front()),
      others.size() == 1 ? "is" : fmt::format("to {} are", escaped(others.back())), count_,
      others.size() == 1 ? "it" : "them", how));
}

// Returns whether it is a frame's name, with a number beyond this sequence's or with more or fewer digits.
bool SequenceNames::is_other(std::string_view name) const {
  const auto around = stem().size() + ending().size();
  if (!name.starts_with(stem()) || !name.ends_with(ending()) || name.size() < around + kDigits ||
      name.size() > around + kMostDigits)
    return false;
  name = name.substr(stem().size(), name.size() - around);
  const std::size_t number = as_number<std::size_t>(name).value_or(0);
  return number > 0 && (number > count_ || name.size() != static_cast<std::size_t>(digits_));
}

constexpr double kPngDpi = 144, kGifDpi = 96, kVideoDpi = 144;
constexpr int kVideoFps = 30;
constexpr int kStepsFps =
    10;  // of a video that shows only the steps: its frames last a tenth of a second

struct Stopped {};

/// Passes on and counts what is written; `look` is called now and then, and may throw.
class WatchedOutput final : public std::streambuf {
 public:
  WatchedOutput(std::ostream& out, const std::function<void()>& look) : out_(out), look_(look) {}
  std::uint64_t bytes() const noexcept { return bytes_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (bytes_ / kLookEvery != (bytes_ + static_cast<std::uint64_t>(size)) / kLookEvery) look_();
    bytes_ += static_cast<std::uint64_t>(size);
    out_.write(text, size);
    return size;  // whether it was written is found out where the file is closed
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    xsputn(&one, 1);
    return c;
  }

 private:
  static constexpr std::uint64_t kLookEvery = 1 << 16;
  std::ostream& out_;
  const std::function<void()>& look_;
  std::uint64_t bytes_ = 0;
};

class Exporter {
 public:
  Exporter(const TraceAnalysis& analysis, const TraceExport& what, const ExportWatch& watch)
      : analysis_(analysis), what_(what), watch_(watch) {}

  ExportResult write() {
    try {
      look();
      if (!what_.format->picture()) data();
      else if (is("html")) html();
      else if (is("gif")) gif();
      else if (what_.format->video) video();
      else if (what_.sequence) sequence();
      else still();
    } catch (const Stopped&) {
      result_ = {};
      result_.stopped = true;
    }
    return std::move(result_);
  }

 private:
  bool is(std::string_view format) const { return what_.format->name == format; }

  void look() const {
    if (watch_.stopped && watch_.stopped()) throw Stopped{};
  }
  void count(std::size_t done, std::size_t all) const {
    look();
    if (watch_.progress) watch_.progress(done, all);
  }

  // PDF is for paper.
  Theme theme() const {
    return Theme(what_.theme.value_or(is("pdf") ? Theme::Kind::print : Theme::Kind::light));
  }
  double dpi() const {
    if (what_.dpi != 0) return what_.dpi;
    return is("gif") ? kGifDpi : what_.format->video ? kVideoDpi : kPngDpi;
  }

  NewFile new_file(const std::string& path) const {
    std::error_code ignored;
    for (const auto& source : what_.sources)
      if (std::filesystem::equivalent(path, source, ignored))
        throw UserError(
            fmt::format("cannot write {}: that is the trace itself. Choose another file{}.",
                        escaped(path), what_.how));
    return NewFile(path, fmt::format("Choose another place{}.", what_.how));
  }

  void put(const std::function<void(std::ostream&)>& contents) {
    std::uint64_t bytes = 0;
    const std::function<void()> look_again = [this] { look(); };
    const auto watched = [&](std::ostream& out) {
      WatchedOutput buffer(out, look_again);
      std::ostream counted(&buffer);
      counted.exceptions(std::ios::badbit);  // lets exceptions through
      contents(counted);
      bytes = buffer.bytes();
    };
    if (what_.stream != nullptr) {
      watched(*what_.stream);
    } else {
      NewFile file = new_file(what_.output);
      file.write(watched);
      look();
      file.finish();
    }
    result_.files.push_back({what_.output, bytes});
  }
  void put(std::string_view bytes) {
    look();
    put([&](std::ostream& out) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
  }

  void data() {
    if (what_.contents) return put(what_.contents);
    put([&](std::ostream& out) { what_.format->write_data(analysis_.trace(), out); });
  }

  void note_size(const Scene& scene) {
    result_.width = scene.width;
    result_.height = scene.height;
  }

  void still() {
    Scene scene = what_.drawn ? *what_.drawn : what_.kind->draw(analysis_, what_.request);
    if (is("svg") && !what_.drawn && what_.kind->motion != DiagramKind::Motion::none)
      scene.description = described(scene.description, analysis_, what_.request.round);
    note_size(scene);
    look();
    if (is("svg")) put(to_svg(scene, theme()));
    else if (is("pdf")) put(to_pdf({&scene}, theme()));
    else put(to_png(scene, theme(), dpi()));
  }

  Flipbook book_of() const {
    return what_.drawn
               ? motionless(*what_.drawn)
               : animation(*what_.kind, analysis_, what_.request, is("html"), what_.format->video);
  }

  void html() {
    // A page has print colours of its own.
    const bool opens_with = what_.theme && *what_.theme != Theme::Kind::print;
    const Flipbook book = book_of();
    look();
    note_size(still_of(book, 0).scene);
    result_.frames = book.moments.size();
    put(to_html(book, opens_with ? to_string(*what_.theme) : ""));
  }

  Flipbook moving() {
    Flipbook book = book_of();
    if (book.moments.size() < 2)
      throw UserError(
          fmt::format("the diagram '{}' of this run does not move: choose svg, pdf, png "
                      "or html",
                      what_.kind->name));
    if (what_.request.height <= 0) show_captions(book);  // a size that was asked for is kept
    note_size(still_of(book, 0).scene);
    return book;
  }

  void gif() {
    const Flipbook book = moving();
    FrameOptions options;
    if (what_.fps >= 0) options.fps = what_.fps;
    put(to_gif(book, theme(), dpi(), options, [&](std::size_t done, std::size_t all) {
      result_.frames = all;
      count(done, all);
    }));
  }

  void video() {
    require_ffmpeg(what_.format->name);  // before anything is drawn
    const Flipbook book = moving();
    FrameOptions options;
    options.fps = what_.fps >= 0 ? what_.fps : kVideoFps;
    const int fps = options.fps > 0 ? options.fps : kStepsFps;
    NewFile file = new_file(what_.output);
    const std::uint64_t bytes = file.write_by([&](const std::string& name) {
      VideoWriter writer({what_.format->name, name, what_.output, fps, [this] { look(); }});
      to_video(book, theme(), dpi(), options, writer, fps, [&](std::size_t done, std::size_t all) {
        result_.frames = all;
        count(done, all);
      });
    });
    look();
    file.finish();
    result_.files.push_back({what_.output, bytes});
  }

  // Writes all files or none: they get their names once the last one is written.
  void sequence() {
    const Flipbook book = moving();
    FrameOptions options;
    options.fps = std::max(what_.fps, 0);
    const auto frames = frames_of(book, options);
    result_.frames = frames.size();
    const SequenceNames names(what_.output, frames.size());
    names.check_no_others(what_.how);
    std::vector<NewFile> files;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto name = names.at(i + 1);
      files.push_back(new_file(name));
      const auto bytes = to_png(book, frames[i], theme(), dpi());
      files.back().write([&](std::ostream& out) {
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      });
      result_.files.push_back({name, bytes.size()});
      count(i + 1, frames.size());
    }
    try {
      for (NewFile& file : files) file.finish();
    } catch (...) {
      std::error_code ignored;
      for (const auto& file : result_.files) std::filesystem::remove(file.path, ignored);
      throw;
    }
  }

  const TraceAnalysis& analysis_;
  const TraceExport& what_;
  const ExportWatch& watch_;
  ExportResult result_;
};

}  // namespace

ExportResult export_trace(const TraceAnalysis& analysis, const TraceExport& what,
                          const ExportWatch& watch) {
  return Exporter(analysis, what, watch).write();
}

}  // namespace rankscope
