// Draws the titles of slides, and puts text and pictures below them.
#include "lessons/slides/slide_frame.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

constexpr double kLeft = 80, kRight = Slide::kWidth - 80, kTop = 44, kBottom = 660, kFootLine = 694;
constexpr double kBodyWidth = kRight - kLeft;
constexpr Font kSlideLabel{20, Font::Weight::semibold, false};
constexpr Font kSlideFoot{16, Font::Weight::regular, false};
constexpr Font kSlideCaption{22, Font::Weight::regular, false};
constexpr Font kOpeningTitle{64, Font::Weight::bold, false};
constexpr Font kOpeningText{32, Font::Weight::regular, false};
constexpr Font kOpeningFacts{24, Font::Weight::regular, false};
constexpr double kMostText = 42, kLeastText = 22, kMostLead = 30, kLeastLead = 22;
constexpr double kLeastLetters = 10;  // of a picture; smaller ones cannot be read
constexpr double kSmallLetters = 14, kClearlyLarger = 1.15, kWordColumn = 400;
constexpr double kMostLeadHeight = 130, kPictureMargin = 4, kMostFigureScale = 2.6, kAlike = 0.96;

// The largest font in which the title has at most two lines.
Font title_font(const std::string& title, const Ruler& ruler) {
  for (const double size : {44.0, 38.0}) {
    const Font font{size, Font::Weight::bold, false};
    if (wrapped(title, font, kBodyWidth, ruler).size() <= (size > 40 ? 1 : 2)) return font;
  }
  return {32, Font::Weight::bold, false};
}

// Breaks a text into as few lines as possible, of about equal length.
std::vector<std::string> even_lines(const std::string& text, const Font& font, double width,
                                    const Ruler& ruler) {
  auto lines = wrapped(text, font, width, ruler);
  for (double part = 0.95; lines.size() > 1 && part > 0.6; part -= 0.05) {
    auto narrower = wrapped(text, font, part * width, ruler);
    if (narrower.size() > lines.size()) break;
    lines = std::move(narrower);
  }
  return lines;
}

double put_lines(Drawing& pen, const std::vector<std::string>& lines, const Font& font, double y,
                 Ink ink) {
  for (const std::string& line : lines) {
    pen.text(line, {kLeft, y + pen.ruler().ascent(font)}, font, ink);
    y += font.size * 1.25;
  }
  return y;
}

double smallest_letters(const Scene& scene) {
  double out = std::numeric_limits<double>::infinity();
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::text && !mark.text.empty()) out = std::min(out, mark.font.size);
  return out;
}

double scale_for(const Scene& scene, double width, double height) {
  return std::min({kMostFigureScale, width / scene.width, height / scene.height});
}

// The size of its page decides how a diagram is arranged, so it is drawn for several smaller pages and scaled up. Returns the
// picture with the largest letters, and of similar ones the widest.
Scene best_picture(const std::function<Scene(double, double)>& draw, double width, double height) {
  Scene best;
  double most = 0;
  for (const double closer : {1.7, 1.5, 1.3, 1.15, 1.0, 0.9, 0.8}) {
    Scene scene;
    try {
      scene = draw(width / closer, height / closer);
    } catch (const UserError&) {
      continue;  // too small a page
    }
    if (!(scene.width > 0) || !(scene.height > 0)) continue;
    const bool clean = overlapping_texts(scene).empty() && outside_page(scene).empty();
    trim(scene, kPictureMargin);  // the slide has one
    const double factor = scale_for(scene, width, height);
    const double letters = std::min(smallest_letters(scene), 14.0) * factor * (clean ? 1 : 0.01);
    if (letters < most * kAlike) continue;
    most = std::max(most, letters);
    best = scaled(std::move(scene), factor);
  }
  return best;
}

struct PicturePage {
  std::vector<Mark> words;  // the words to look for
  Scene scene;
  Point at;
  std::vector<std::string> caption;
  double caption_top = 0;
  double letters = 0;  // the size of the picture's smallest letters; 0 if nothing fits
};

double caption_height(const std::vector<std::string>& lines) {
  return static_cast<double>(lines.size()) * kSlideCaption.size * 1.25;
}

void put_picture_into(PicturePage& page, const Box& area,
                      const std::function<Scene(double, double)>& draw) {
  page.scene = best_picture(draw, area.width, area.height);
  page.letters = page.scene.marks.empty() ? 0 : smallest_letters(page.scene);
  page.at = {area.x + (area.width - page.scene.width) / 2,
             area.y + (area.height - page.scene.height) / 2};
}

PicturePage picture_below(const SlideWords& lead, const std::string& caption, double top,
                          const std::function<Scene(double, double)>& draw, const Ruler& ruler) {
  PicturePage out;
  if (!lead.empty()) {
    SlidePart part;
    part.words = lead;
    const auto pages =
        laid_out({part}, {kLeft, top, kBodyWidth, kMostLeadHeight}, kMostLead, kLeastLead, ruler);
    out.words = pages[0].marks;
    top = lowest(pages[0]) + 20;
  }
  if (!caption.empty()) out.caption = even_lines(caption, kSlideCaption, kBodyWidth, ruler);
  out.caption_top = kBottom - caption_height(out.caption);
  put_picture_into(out, {kLeft, top, kBodyWidth, out.caption_top - 14 - top}, draw);
  return out;
}

// Puts words left and the picture right, which makes a square picture larger.
PicturePage picture_beside(const SlideWords& lead, const std::string& caption, double top,
                           const std::function<Scene(double, double)>& draw, const Ruler& ruler) {
  PicturePage out;
  if (!caption.empty()) out.caption = even_lines(caption, kSlideCaption, kWordColumn, ruler);
  out.caption_top = kBottom - caption_height(out.caption);
  if (!lead.empty()) {
    SlidePart part;
    part.words = lead;
    const Box column{kLeft, top + 8, kWordColumn, out.caption_top - 20 - top};
    const auto pages = laid_out({part}, column, kMostLead, kLeastLead, ruler);
    if (pages.size() > 1) return out;
    out.words = pages[0].marks;
  }
  const double left = kLeft + kWordColumn + 40;
  put_picture_into(out, {left, top, kRight - left, kBottom - top}, draw);
  return out;
}

}  // namespace

double SlideFrame::begin(const std::string& label, const std::string& title, bool is_continued) {
  Scene& scene = slides_.emplace_back().scene;
  scene.width = Slide::kWidth;
  scene.height = Slide::kHeight;
  Drawing pen(scene, ruler_);
  double y = kTop;
  if (!label.empty()) {
    y = put_lines(pen, wrapped(label, kSlideLabel, kBodyWidth, ruler_), kSlideLabel, y,
                  {Tone::accent});
    y += 2;
  }
  const Font font = title_font(title, ruler_);
  const double top = y;
  auto lines = even_lines(title, font, kBodyWidth - (is_continued ? 140 : 0), ruler_);
  y = put_lines(pen, lines, font, y, {});
  if (is_continued)
    pen.text("continued", {kRight, y - font.size * 0.25 - ruler_.descent(font)}, kSlideCaption,
             {Tone::muted}, Anchor::end);
  pen.box({kLeft - 26, top + font.size * 0.12, 7, y - top - font.size * 0.24}, Ink{Tone::accent},
          {}, 3);
  return y + 22;
}

void SlideFrame::opening(const Lesson& lesson) {
  Slide& slide = slides_.emplace_back();
  slide.scene.width = Slide::kWidth;
  slide.scene.height = Slide::kHeight;
  Drawing pen(slide.scene, ruler_);
  double y = 210;
  pen.box({kLeft, y - 44, 110, 9}, Ink{Tone::accent}, {}, 4);
  y = put_lines(pen, wrapped(lesson.title, kOpeningTitle, kBodyWidth, ruler_), kOpeningTitle, y,
                {});
  y += 18;
  y = put_lines(pen, even_lines(lesson.summary, kOpeningText, kBodyWidth, ruler_), kOpeningText, y,
                {Tone::muted});
  if (lesson.minutes > 0)
    put_lines(pen, {fmt::format("about {} minutes", lesson.minutes)}, kOpeningFacts, y + 36,
              {Tone::muted});
  if (!lesson.prerequisites.empty())
    slide.notes = fmt::format("Before this lesson: {}.", fmt::join(lesson.prerequisites, ", "));
}

void SlideFrame::text(const std::string& label, const std::string& title,
                      const std::vector<SlidePart>& parts, const std::string& notes) {
  // The title's height does not depend on the slide: it is measured on one that is thrown away.
  double top = begin(label, title, false);
  slides_.pop_back();
  auto pages =
      laid_out(parts, {kLeft, top, kBodyWidth, kBottom - top}, kMostText, kLeastText, ruler_);
  if (pages.size() > 1) {  // the word "continued" may take the title another line
    top = begin(label, title, true);
    slides_.pop_back();
    pages = laid_out(parts, {kLeft, top, kBodyWidth, kBottom - top}, kMostText, kLeastText, ruler_);
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    begin(label, title, i > 0);
    const double room = kBottom - lowest(pages[i]);
    const double down = pages.size() == 1 ? std::clamp(room * 0.25, 0.0, 70.0) : 0;
    place(pages[i], {0, 0}, slides_.back().scene);
    Scene& scene = slides_.back().scene;
    for (std::size_t m = scene.marks.size() - pages[i].marks.size(); m < scene.marks.size(); ++m)
      shift(scene.marks[m], {0, down});
    if (i == 0) slides_.back().notes = notes;
  }
}

bool SlideFrame::fits(const std::string& label, const std::string& title,
                      const std::vector<SlidePart>& parts, double size) {
  const double top = begin(label, title, false);
  slides_.pop_back();
  return laid_out(parts, {kLeft, top, kBodyWidth, kBottom - top}, size, size, ruler_).size() == 1;
}

double SlideFrame::picture(const std::string& title, const SlideWords& lead,
                           const std::string& caption,
                           const std::function<Scene(double, double)>& draw) {
  const double top = begin("", title, false) - 6;
  PicturePage page = picture_below(lead, caption, top, draw, ruler_);
  if (page.letters < kSmallLetters) {
    PicturePage beside = picture_beside(lead, caption, top, draw, ruler_);
    if (beside.letters > kClearlyLarger * page.letters) page = std::move(beside);
  }
  if (page.letters < kLeastLetters) {
    slides_.pop_back();
    return 0;
  }
  Scene& slide = slides_.back().scene;
  for (const Mark& mark : page.words) slide.marks.push_back(mark);
  place(page.scene, page.at, slide, "figure-");
  slide.width = Slide::kWidth;
  slide.height = Slide::kHeight;
  slide.clock_end = 0;
  Drawing pen(slide, ruler_);
  put_lines(pen, page.caption, kSlideCaption, page.caption_top, {Tone::muted});
  return page.letters;
}

void SlideFrame::note(const std::string& notes) {
  std::string& last = slides_.back().notes;
  last = last.empty() ? notes : notes + "\n\n" + last;
}

std::vector<Slide> SlideFrame::take(const std::string& lesson_title) {
  for (std::size_t i = 0; i < slides_.size(); ++i) {
    Scene& scene = slides_[i].scene;
    scene.title = lesson_title;
    if (i == 0) continue;
    Drawing pen(scene, ruler_);
    pen.text(ruler_.fitted(lesson_title, kSlideFoot, kBodyWidth - 120), {kLeft, kFootLine},
             kSlideFoot, {Tone::muted});
    pen.text(fmt::format("{} / {}", i + 1, slides_.size()), {kRight, kFootLine}, kSlideFoot,
             {Tone::muted}, Anchor::end);
  }
  return std::move(slides_);
}

}  // namespace rankscope
