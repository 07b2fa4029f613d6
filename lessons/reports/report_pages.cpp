// Lays out a student's report on printable pages.
#include "lessons/reports/report_pages.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/report_html.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

constexpr double kWidth = 793.7, kHeight = 1122.5;  // A4 at 96 dpi
constexpr double kMargin = 64, kInner = kWidth - 2 * kMargin;
constexpr std::size_t kMostLines = 60;  // of one text
constexpr Font kTyped{12, Font::Weight::regular, true};

class Pages {
 public:
  Pages(const Ruler& ruler, std::string title) : ruler_(ruler), title_(std::move(title)) {
    fresh();
  }

  void skip(double height) { y_ = std::min(y_ + height, kHeight); }
  /// So much of the page has to be left, else the next one.
  void need(double height) {
    if (y_ + height > kHeight - kMargin) fresh();
  }

  void text(std::string_view words, const Font& font, Ink ink = {}, double indent = 0) {
    std::size_t lines = 0;
    for (const std::string_view paragraph : lines_of(words))
      for (const std::string& line : wrapped(paragraph, font, kInner - indent, ruler_)) {
        if (++lines > kMostLines) return this->line("...", font, ink, indent);
        this->line(line, font, ink, indent);
      }
  }

  /// A heading with something at its right end.
  void heading(const std::string& words, const std::string& right, const Font& font, Ink ink = {}) {
    need(4 * ruler_.height(font));
    const double room = kInner - ruler_.width(right, font) - 24;
    const double baseline = y_ + ruler_.ascent(font);
    Drawing draw(pages_.back(), ruler_);
    draw.text(right, {kWidth - kMargin, baseline}, font, ink, Anchor::end);
    bool first = true;
    for (const std::string& part : wrapped(words, font, room, ruler_)) {
      if (!first) need(2 * ruler_.height(font));
      line(part, font);
      first = false;
    }
  }

  void rule() {
    need(12);
    Drawing(pages_.back(), ruler_)
        .line({kMargin, y_ + 4}, {kWidth - kMargin, y_ + 4}, Ink{Tone::grid});
    y_ += 12;
  }

  /// Returns false for one that is too large for a page.
  bool picture(const Scene& scene) {
    if (scene.width > kInner || scene.height > kHeight - 2 * kMargin) return false;
    need(scene.height);
    place(scene, {kMargin, y_}, pages_.back());
    pages_.back().width = kWidth;
    pages_.back().height = kHeight;
    pages_.back().clock_axis.reset();
    pages_.back().clock_end = 0;
    y_ += scene.height;
    return true;
  }

  std::vector<Scene> finish() {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      Drawing draw(pages_[i], ruler_);
      draw.text(ruler_.fitted(title_, kCaption, kInner - 80), {kMargin, kHeight - 36}, kCaption,
                Ink{Tone::muted});
      draw.text(fmt::format("{} of {}", i + 1, pages_.size()), {kWidth - kMargin, kHeight - 36},
                kCaption, Ink{Tone::muted}, Anchor::end);
    }
    return std::move(pages_);
  }

 private:
  void fresh() {
    Scene& page = pages_.emplace_back();
    page.width = kWidth;
    page.height = kHeight;
    page.title = title_;
    y_ = kMargin;
  }

  void line(const std::string& words, const Font& font, Ink ink = {}, double indent = 0) {
    const double height = ruler_.height(font) * 1.15;
    need(height);
    Drawing(pages_.back(), ruler_)
        .text(ruler_.fitted(words, font, kInner - indent),
              {kMargin + indent, y_ + ruler_.ascent(font)}, font, ink);
    y_ += height;
  }

  const Ruler& ruler_;
  std::string title_;
  std::vector<Scene> pages_;
  double y_ = 0;
};

Ink ink_of(const ItemReport& item) {
  if (!item.points) return {item.open() ? Tone::accent : Tone::muted};
  return {*item.points >= item.most ? Tone::good : *item.points > 0 ? Tone::text : Tone::error};
}

class PageWriter {
 public:
  PageWriter(const StudentReport& report, const Course& course, ReportPictures* pictures,
             const Ruler& ruler)
      : report_(report),
        course_(course),
        pictures_(pictures),
        pages_(ruler, fmt::format("{}: {}", course.title, report.student)) {}

  std::vector<Scene> write() {
    pages_.text(course_.title, kHeading);
    pages_.text(report_.student, kBody, Ink{Tone::muted});
    pages_.skip(8);
    pages_.text(summary_text(report_, course_), kBody);
    for (std::size_t part = 0; part < course_.parts.size(); ++part) {
      pages_.skip(20);
      pages_.heading(fmt::format("{}. {}", part + 1, course_.parts[part].title), "", kEmphasis);
      pages_.rule();
      for (const ItemReport& item : report_.items)
        if (item.entry->part == part) add(item);
    }
    std::vector<Scene> out = pages_.finish();
    for (const auto& picture : large_) out.push_back(picture->scene);
    return out;
  }

 private:
  void add(const ItemReport& item) {
    pages_.skip(6);
    pages_.heading(item.entry->number + " " + title_of(item), points_text(item), kBodyStrong,
                   ink_of(item));
    if (item.entry->question != nullptr)
      pages_.text(markdown_plain(fill_in(item.entry->question->prompt, item.variant.values)),
                  kCaption, Ink{Tone::muted});
    if (!item.answer.empty()) pages_.text(item.answer, kTyped, {}, 12);
    pages_.text(remarks_text(item), kCaption);
    if (pictures_ != nullptr && item.entry->question != nullptr && item.points &&
        *item.points < item.most)
      explain(item);
    pages_.skip(8);
  }

  void explain(const ItemReport& item) {
    pages_.text(markdown_plain(fill_in(item.entry->question->explanation, item.variant.values)),
                kCaption);
    const auto picture = pictures_->of(item);
    if (!picture || !shown_.insert(picture.get()).second) return;
    pages_.skip(6);
    if (!pages_.picture(picture->scene)) {
      large_.push_back(picture);
      pages_.text("The run is drawn on a page at the end.", kCaption, Ink{Tone::muted});
    } else {
      pages_.text(ReportPictures::caption_of(item), kCaption, Ink{Tone::muted});
    }
  }

  const StudentReport& report_;
  const Course& course_;
  ReportPictures* pictures_;
  Pages pages_;
  std::set<const ReportPicture*> shown_;
  std::vector<std::shared_ptr<const ReportPicture>> large_;
};

}  // namespace

std::vector<Scene> report_pages(const StudentReport& report, const Course& course,
                                ReportPictures* pictures, const Ruler& ruler) {
  return PageWriter(report, course, pictures, ruler).write();
}

}  // namespace rankscope
