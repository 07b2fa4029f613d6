// Slides as PDF: for the projector, and on paper with their notes.
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/handout/page_flow.h"
#include "lessons/slides/slides.h"
#include "lessons/text/list_text.h"

namespace rankscope {

std::string slides_pdf(const std::vector<Slide>& slides, const Theme& theme, bool with_notes) {
  std::vector<const Scene*> pages;
  std::vector<std::string> notes;
  for (const Slide& slide : slides) {
    pages.push_back(&slide.scene);
    if (with_notes) notes.push_back(slide.notes);
  }
  return to_pdf(pages, theme, notes);
}

std::string slide_notes_pdf(const std::vector<Slide>& slides, const std::string& title) {
  constexpr Font kNotes{13, Font::Weight::regular, false};
  constexpr double kNewPage = PageFlow::kHeight;  // more than any page has room for
  PageFlow flow(system_ruler(), title);
  for (const Slide& slide : slides) {
    flow.keep(kNewPage);
    Scene framed = slide.scene;
    Drawing(framed, system_ruler()).box(framed.page(), {}, Ink{Tone::frame});
    flow.picture(framed);
    flow.space(kNotes.size);
    for (const std::string_view line : lines_of(slide.notes)) {
      std::vector<FlowWord> words;
      for (const std::string_view word : split_at(line, " "))
        if (!word.empty()) words.push_back({std::string(word), kNotes, {}, true, false});
      flow.words(words);
      flow.space(kNotes.size / 2);
    }
  }
  const std::vector<Scene> pages = flow.take();
  std::vector<const Scene*> all;
  for (const Scene& page : pages) all.push_back(&page);
  return to_pdf(all, Theme(Theme::Kind::print));
}

}  // namespace rankscope
