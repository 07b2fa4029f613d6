// Lays out a student's report on printable pages.
#include "lessons/reports/report_pages.h"

#include <set>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/report_html.h"
#include "lessons/text/markdown.h"
#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostLines = 60;  // of one text
constexpr Font kTyped{12, Font::Weight::regular, true};

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
        flow_(ruler, fmt::format("{}: {}", course.title, report.student)) {}

  std::vector<Scene> write() {
    text(course_.title, kHeading);
    text(report_.student, kBody, Ink{Tone::muted});
    flow_.space(8);
    text(summary_text(report_, course_), kBody);
    for (std::size_t part = 0; part < course_.parts.size(); ++part) {
      flow_.space(20);
      heading(fmt::format("{}. {}", part + 1, course_.parts[part].title), "", kEmphasis);
      flow_.rule();
      for (const ItemReport& item : report_.items)
        if (item.entry->part == part) add(item);
    }
    std::vector<Scene> out = flow_.take();
    for (const auto& picture : large_) out.push_back(picture->scene);
    return out;
  }

 private:
  void add(const ItemReport& item) {
    flow_.space(6);
    heading(item.entry->number + " " + title_of(item), points_text(item), kBodyStrong,
            ink_of(item));
    if (item.entry->question != nullptr)
      text(markdown_plain(fill_in(item.entry->question->prompt, item.variant.values)), kCaption,
           Ink{Tone::muted});
    if (!item.answer.empty()) text(item.answer, kTyped, {}, 12);
    text(remarks_text(item), kCaption);
    if (pictures_ != nullptr && item.entry->question != nullptr && item.points &&
        *item.points < item.most)
      explain(item);
    flow_.space(8);
  }

  void explain(const ItemReport& item) {
    text(markdown_plain(fill_in(item.entry->question->explanation, item.variant.values)), kCaption);
    const auto picture = pictures_->of(item);
    if (!picture || !shown_.insert(picture.get()).second) return;
    flow_.space(6);
    if (picture->scene.width > PageFlow::room() ||
        picture->scene.height > PageFlow::kHeight - 2 * PageFlow::kMargin) {
      large_.push_back(picture);
      return text("The run is drawn on a page at the end.", kCaption, Ink{Tone::muted});
    }
    flow_.picture(picture->scene, 2 * kCaption.size);
    text(ReportPictures::caption_of(item), kCaption, Ink{Tone::muted});
  }

  void text(std::string_view words, const Font& font, Ink ink = {}, double left = 0) {
    std::size_t lines = 0;
    for (const std::string_view line : lines_of(words)) {
      const std::string_view shown = ++lines > kMostLines ? "..." : line;
      if (font.mono) flow_.verbatim(shown, font, left);
      else flow_.words(flow_words(shown, font, ink), left);
      if (lines > kMostLines) return;
    }
  }

  /// A heading with something at its right end.
  void heading(const std::string& words, const std::string& right, const Font& font, Ink ink = {}) {
    constexpr double kGap = 24;
    const double width = flow_.ruler().width(right, font) + 1, room = PageFlow::room();
    flow_.keep(4 * flow_.ruler().height(font));
    flow_.cells({flow_words(words, font), flow_words(right, font, ink)},
                {{0, room - width - kGap}, {room - width, width}});
  }

  const StudentReport& report_;
  const Course& course_;
  ReportPictures* pictures_;
  PageFlow flow_;
  std::set<const ReportPicture*> shown_;
  std::vector<std::shared_ptr<const ReportPicture>> large_;
};

}  // namespace

std::vector<Scene> report_pages(const StudentReport& report, const Course& course,
                                ReportPictures* pictures, const Ruler& ruler) {
  return PageWriter(report, course, pictures, ruler).write();
}

}  // namespace rankscope
