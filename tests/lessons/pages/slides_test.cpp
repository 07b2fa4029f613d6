// Slides of all lessons: nothing overflows, nothing overlaps, and the notes are there.
#include "lessons/slides/slides.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "lessons/course/course.h"
#include "lessons/handout/svg_scene.h"
#include "lessons/slides/lecture_script.h"
#include "lessons/slides/slide_layout.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

std::vector<MarkdownBlock> markdown_of(const std::string& text) { return parse_markdown(text); }

SlideWords words_on_slide(const std::string& text) {
  return slide_words(markdown_of(text)[0].line);
}

// Texts of a slide, with its figure's.
std::string faults_of(const Slide& slide) {
  std::string out;
  const Scene& scene = slide.scene;
  for (const Overlap& one : overlapping_texts(scene))
    out += "overlap: " + scene.marks[one.first].text + " | " + scene.marks[one.second].text + "\n";
  const Box inner = scene.page().grown(-20);
  for (const Mark& mark : scene.marks) {
    if (mark.kind != Mark::Kind::text) continue;
    if (!mark.box.inside(inner)) out += "at the edge: " + mark.text + "\n";
    if (mark.font.size < 10) out += "too small: " + mark.text + "\n";
  }
  return out;
}

TEST_CASE("slides: no text of any lesson leaves its slide or lies on another", "[lessons][slow]") {
  const LessonLibrary library(lessons_folder());
  REQUIRE(library.lessons().size() >= 24);
  test::KindBench bench;
  for (const Lesson& lesson : library.lessons()) {
    const auto slides = slides_of(lesson, bench.runs, {0, true}, system_ruler());
    const auto without = slides_of(lesson, bench.runs, {0, false}, system_ruler());
    INFO(lesson.slug);
    CHECK(slides.size() >= 8);
    CHECK(slides.size() >= without.size() + lesson.questions.size() -
                               std::ranges::count_if(lesson.questions, [](const Question& one) {
                                 return one.kind->marked_by_hand();
                               }));
    bool noted = false;
    for (std::size_t i = 0; i < slides.size(); ++i) {
      INFO("slide " << i + 1);
      CHECK(slides[i].scene.width * 9 == slides[i].scene.height * 16);
      CHECK(faults_of(slides[i]) == "");
      CHECK(slides[i].scene.marks.size() >= 3);
      noted |= !slides[i].notes.empty();
    }
    CHECK(noted);
    // No slide shows notes for the lecturer.
    for (const Step& step : lesson.steps)
      for (const Block& block : step.blocks)
        if (block.kind == Block::Kind::note)
          CHECK(std::ranges::any_of(slides, [&](const Slide& slide) {
            return slide.notes.find(block.text.substr(0, 12)) != std::string::npos;
          }));
  }
}

TEST_CASE("slides: a paragraph's key sentences are those with a term, or the first", "[lessons]") {
  const auto key = [](const std::string& text) {
    return text_of(key_sentences(words_on_slide(text)));
  };
  const std::string filler =
      "It goes on for a while with things that one says aloud, and which nobody reads on a slide. ";
  CHECK(key("Short ones stay. As they are.") == "Short ones stay. As they are.");
  const std::string first =
      "A first sentence that says what all of this is about, at a length that is enough to stand "
      "on a slide by itself. ";
  CHECK(key(first + filler + filler) + " " == first);
  CHECK(key("Before. " + filler +
            "A **reduce** combines the values of all ranks into one, by an operator such as the "
            "sum, and leaves the result on the root. " +
            filler) ==
        "A reduce combines the values of all ranks into one, by an operator such as the sum, and "
        "leaves the result on the root.");
  // A question has its answer with it, and "It ..." the sentence that says what. What is only stressed is no term.
  const std::string why =
      "Why have a group at all, when every rank could simply talk to rank 0 and be done with it? ";
  const std::string because =
      "A group has ranks of its own, from 0 on, so that any algorithm runs on it as it is. ";
  CHECK(key(why + because + filler + filler) + " " == why + because);
  CHECK(key("Two halves. " + filler + filler + because +
            "It has a **leader**, which speaks for all the others of its group and for nobody else "
            "at all.")
            .starts_with(because));
  CHECK(key(first + filler + filler + "It is *not* so.") + " " == first);
  // A sentence that says too little takes the next one with it.
  CHECK(key("It is **short**. " + filler + filler + filler) + " " == "It is short. " + filler);
  CHECK(key(filler + filler + "It takes these steps:").ends_with("It takes these steps:"));
  CHECK(sentences_of(words_on_slide("Use e.g. two. See (Thakur et al. 2005). `x.y` is one. Done"))
            .size() == 4);
}

TEST_CASE("slides: what does not fit goes on to the next slide, whatever its words", "[lessons]") {
  const Box area{80, 150, 1120, 500};
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "- A point of some length that a lecturer wanted on this slide, number " +
            std::to_string(i) + "\n";
  text += "\n" + std::string(400, 'W') + "\n\n```\n" + std::string(300, 'c') + "\n```\n\n";
  text += "| a | b |\n|---|---|\n";
  for (int i = 0; i < 40; ++i) text += "| " + std::string(90, 'x') + " | words and more words |\n";
  std::vector<SlidePart> parts;
  for (const MarkdownBlock& block : markdown_of(text))
    for (SlidePart& part : slide_parts(block, true)) parts.push_back(std::move(part));
  const auto pages = laid_out(parts, area, 38, 26, system_ruler());
  CHECK(pages.size() > 5);
  std::size_t points = 0;
  for (const Scene& page : pages) {
    CHECK(overlapping_texts(page).empty());
    for (const Mark& mark : page.marks) {
      CHECK(mark.box.inside(area.grown(1)));
      points += mark.text == "•";
    }
  }
  CHECK(points == 60);  // none is lost
  // A part that fits is on one page, as large as it may be.
  const auto one = laid_out({parts[0]}, area, 38, 26, system_ruler());
  REQUIRE(one.size() == 1);
  CHECK(one[0].marks[0].font.size == 38);
}

TEST_CASE("slides: formulas and numbers with their units are not broken", "[lessons]") {
  const SlideLineBreaker breaker(system_ruler());
  // At every width, so that each space comes to stand at the end of a line once.
  const auto never_breaks = [&](const std::string& text, const std::string& between) {
    const SlideWords words = words_on_slide(text);
    for (double width = 640; width < 1100; width += 10)
      for (const SlideLine& line : breaker.lines(words, 40, width)) {
        INFO(width << ": " << text_of(line));
        CHECK_FALSE(text_of(line).ends_with(between));
      }
  };
  never_breaks("Here is one program in both modes, and rank 1 comes 30 ms late.", " 30");
  never_breaks("A tree of any number of ranks takes ⌈log2 N⌉ rounds, and the root sends.", "⌈log2");
  never_breaks("In all of its steps each of the ranks sends D(N − 1)/N bytes to its left.", "D(N");
  never_breaks("After this call the two of them hold the values [1, 3] and [2, 4].", "[1,");
  never_breaks("The neighbours in a ring of four ranks are rank 3 and rank 1 for rank 0.", "rank");
  never_breaks("For the program it is no matter which of the receives is `recv(y, src=0)`.",
               "recv(y,");
  CHECK_FALSE(words_on_slide("rank is")[1].tied);
  CHECK_FALSE(words_on_slide("the rank (n + 1)")[2].tied);
  // A term longer than half of a line is broken like any text.
  const auto lines = breaker.lines(
      words_on_slide("1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15"), 40, 500);
  CHECK(lines.size() <= 3);
}

TEST_CASE("slides: no short word is alone on the last line", "[lessons]") {
  const SlideLineBreaker breaker(system_ruler());
  const SlideWords words = words_on_slide(
      "How many rounds does the tree broadcast need on eight or sixteen of these ranks?");
  for (double width = 500; width < 1100; width += 10) {
    INFO(width);
    const auto lines = breaker.lines(words, 40, width);
    std::string said;
    double used = 0;
    for (const SlideLine& line : lines) {
      used = 0;
      for (const SlideWord& word : line) used += breaker.width_of(word, 40, &word == &line.front());
      CHECK(used <= width);
      said += (said.empty() ? "" : " ") + text_of(line);
    }
    CHECK(said == text_of(words));
    CHECK(used >= 0.2 * width);
  }
}

TEST_CASE("slides: a program is on one slide in letters as large as most of its lines allow",
          "[lessons]") {
  const Box area{80, 150, 1120, 500};
  SlidePart part;
  part.kind = SlidePart::Kind::code;
  const auto size_of = [&] {
    const auto pages = laid_out({part}, area, 42, 22, system_ruler());
    CHECK(pages.size() == 1);
    for (const Mark& mark : pages[0].marks) CHECK(mark.box.inside(area.grown(1)));
    return pages[0].marks.back().font.size;
  };
  part.lines.assign(12, "  comm.send(0, data);");
  const double short_lines = size_of();
  part.lines[0] = "// " + std::string(20, 'a') + std::string(100, ' ') + "b";
  CHECK(size_of() > 0.8 * short_lines);  // one long comment is broken
  part.lines.assign(23, "  comm.send(0, data);");
  CHECK(size_of() >= 15);
  // A line that fits in nearly the same letters is not broken.
  part.lines = {std::string(62, 'c')};
  const auto pages = laid_out({part}, area, 42, 22, system_ruler());
  REQUIRE(pages.size() == 1);
  CHECK(std::ranges::count(pages[0].marks, Mark::Kind::text, &Mark::kind) == 1);
}

TEST_CASE("slides: a run that stands at a round shows this one", "[lessons]") {
  const LessonLibrary library(lessons_folder());
  test::KindBench bench;
  const Lesson* const ring = library.find("ring-allreduce");
  REQUIRE(ring != nullptr);
  const auto slides = slides_of(*ring, bench.runs, {0, false}, system_ruler());
  const auto says = [](const Slide& slide, const std::string& what) {
    return std::ranges::any_of(slide.scene.marks, [&](const Mark& mark) {
      return mark.text.find(what) != std::string::npos;
    });
  };
  CHECK(std::ranges::count_if(slides, [&](const Slide& slide) {
          return says(slide, "Eight ranks after phase I");
        }) == 1);
  CHECK(std::ranges::any_of(slides,
                            [&](const Slide& slide) { return says(slide, "round 7 of 14"); }));
}

TEST_CASE("slides: a worked example is kept whole", "[lessons]") {
  const std::string example =
      "**A small example.** Two ranks have two tokens each. Rank 0 sends both of its tokens to the "
      "expert of rank 1, and rank 1 keeps its own. The expert of rank 0 has nothing to do, and "
      "that "
      "of rank 1 computes four tokens: the step takes twice as long as an even one.";
  CHECK(text_of(key_sentences(words_on_slide(example))).ends_with("as long as an even one."));
  const std::string longer = example + example.substr(20) + example.substr(20) + example.substr(20);
  CHECK(text_of(key_sentences(words_on_slide(longer))).size() < longer.size() / 2);
}

std::string text_on(const Slide& slide) {
  std::string out;
  for (const Mark& mark : slide.scene.marks)
    if (mark.kind == Mark::Kind::text) out += (out.empty() ? "" : " ") + mark.text;
  return out;
}

TEST_CASE("slides: a program is its comment and its function, with the numbers of its lines",
          "[lessons]") {
  const auto parts = program_parts(
      "// Sends all\n// at once.\n#include \"x.h\"\n\nnamespace rankscope {\n\nvoid f() {\n  // "
      "now\n"
      "  g();\n}\n\n}  // namespace rankscope\n");
  REQUIRE(parts.size() == 2);
  CHECK(text_of(parts[0].words) == "Sends all at once.");
  CHECK(parts[1].first_number == 7);
  CHECK(parts[1].lines == std::vector<std::string>{"void f() {", "  // now", "  g();", "}"});
}

TEST_CASE("slides: a run is shown to its end, and a question has what leads to it", "[lessons]") {
  const LessonLibrary library(lessons_folder());
  test::KindBench bench;
  const auto slides = slides_of(*library.find("asynchronous"), bench.runs, {}, system_ruler());
  const auto with = [&](const std::string& words) {
    return std::ranges::count_if(slides, [&](const Slide& slide) {
      return text_on(slide).find(words) != std::string::npos;
    });
  };
  CHECK(with("At the end") == 1);  // of the average, after its last message
  const auto asked = std::ranges::find_if(slides, [](const Slide& slide) {
    return text_on(slide).find("What did each rank copy?") != std::string::npos;
  });
  REQUIRE(asked != slides.end());
  CHECK(text_on(*asked).find("What does a program get that reads too early?") != std::string::npos);
  CHECK(with("that reads too early?") == 1);
}

TEST_CASE("lectures of lessons: every run and question has its scene, and a question its moment",
          "[lessons]") {
  const LessonLibrary library(lessons_folder());
  const test::TemporaryFolder folder;
  REQUIRE(library.lessons().size() >= 24);
  for (const Lesson& lesson : library.lessons()) {
    INFO(lesson.slug);
    const Lecture made = lecture_of(lesson);
    const std::string file = folder / "x.lecture.toml";
    std::ofstream(file) << lecture_text(made);
    Complaints complaints;
    const auto lecture = read_lecture(file, complaints);
    INFO(complaints.to_string());
    REQUIRE(lecture);
    CHECK(lecture_text(*lecture) == lecture_text(made));
    CHECK(std::abs(lecture->minutes() - lesson.minutes) <=
          0.5 * static_cast<double>(made.scenes.size()));
    const auto scenes_with = [&](auto&& has) { return std::ranges::count_if(made.scenes, has); };
    std::string notes;
    for (const LectureScene& scene : made.scenes) notes += scene.notes;
    std::size_t noted = 0;
    for (const Step& step : lesson.steps)
      for (const Block& block : step.blocks) {
        INFO(block.id);
        if (block.kind == Block::Kind::note) {
          const auto at = notes.find(block.text);
          CHECK(at >= std::exchange(noted, at));  // in the order of the pages
        }
        if (block.kind == Block::Kind::note)
          CHECK(scenes_with([&](const LectureScene& scene) {
                  return scene.notes.find(block.text) != std::string::npos;
                }) == 1);
        if (const Question* const asked = lesson.find_question(block.id);
            asked != nullptr && block.kind == Block::Kind::question)
          CHECK(scenes_with([&](const LectureScene& scene) {
                  return scene.question &&
                         scene.notes.find("**Ask: " + asked->title + "**") != std::string::npos;
                }) >= 1);
        if (const LessonRun* const run = lesson.find_run(block.id);
            run != nullptr && block.kind == Block::Kind::run)
          CHECK(scenes_with(
                    [&](const LectureScene& scene) { return scene.run.written == run->job; }) >= 1);
      }
    for (const LectureScene& scene : made.scenes) {
      INFO(scene.title);
      if (!scene.question) continue;
      CHECK(scene.question->text.size() <= 100);
      CHECK(scene.at.is != SceneMoment::Is::end);
      if (scene.at.is == SceneMoment::Is::round)
        CHECK(scene.question->before.value == scene.at.value + 1);
    }
  }
}

TEST_CASE("lectures on paper: a page for each stop, with its question, and notes", "[lessons]") {
  test::KindBench bench;
  std::size_t lectures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(lectures_folder())) {
    if (!entry.path().string().ends_with(kLectureEnding)) continue;
    ++lectures;
    Complaints complaints;
    const auto lecture = read_lecture(entry.path(), complaints);
    REQUIRE(lecture);
    const auto slides = slides_of(*lecture, bench.runs, system_ruler());
    for (const Slide& slide : slides) {
      INFO(lecture->title << "\n" << text_on(slide));
      CHECK(faults_of(slide) == "");
    }
    for (const LectureScene& scene : lecture->scenes) {
      INFO(scene.title);
      const auto of_scene = [&](const Slide& slide) {
        return text_on(slide).find(scene.title) != std::string::npos;
      };
      CHECK(std::ranges::count_if(slides, of_scene) >= 1);
      CHECK(std::ranges::count_if(slides, [&](const Slide& slide) {
              return slide.notes.find(markdown_plain(scene.notes).substr(0, 30)) !=
                     std::string::npos;
            }) >= 1);
    }
    if (lecture->title != "Ring and doubling") continue;
    const std::string asked = "How many ranks have it after three steps?";
    const auto first = std::ranges::find_if(slides, [&](const Slide& slide) {
      return text_on(slide).find(asked) != std::string::npos;
    });
    CHECK(first == slides.begin());  // before the first step
    CHECK(slides.size() > 20);
  }
  CHECK(lectures == 3);
  // A stop with too much detail takes no other one with it.
  Lecture one;
  LectureScene& scene = one.scenes.emplace_back();
  scene.run.is = SceneRun::Is::job;
  scene.run.job.world.size = 8;
  scene.run.job.call.shape = {4096};
  scene.view = "grid";
  using Is = SceneMoment::Is;
  scene.stops = {{{Is::round, 1}, {"values on"}}, {{Is::round, 2}, {"values off"}}};
  CHECK(slides_of(one, bench.runs, system_ruler()).size() == 2);
}

TEST_CASE("figures: paths are read, and other shapes are refused or left out", "[lessons]") {
  const std::string svg =
      "<svg width=\"40\" height=\"30\"><path d=\"m5 5 h10 V20 z m20 0 l5 5\" stroke=\"#fff\"/>"
      "<ellipse rx=\"3\"/><text x=\"1\" y=\"9\">a &lt; b</text></svg>";
  const PlainRuler ruler;
  CHECK_THROWS_WITH(scene_of_svg(svg, ruler), ContainsSubstring("<ellipse>"));
  const Scene scene = scene_of_svg(svg, ruler, OtherShapes::left_out);
  REQUIRE(scene.marks.size() == 3);
  CHECK(scene.marks[0].closed);
  CHECK(scene.marks[1].points.front() == Point{25, 5});
  CHECK(scene.marks[1].points.back() == Point{30, 10});
  CHECK(scene.marks[2].text == "a < b");
}

TEST_CASE("slides: white words on a dark shape are dark where the theme makes the shape pale",
          "[lessons]") {
  const PlainRuler ruler;
  const Scene scene = scene_of_svg(
      R"(<svg viewBox="0 0 90 60"><circle cx="30" cy="30" r="20" fill="#20242c"/>)"
      R"(<text x="30" y="35" fill="#ffffff">7</text><rect x="60" y="9" width="20" height="20" fill="#0072b2"/>)"
      R"(<text x="65" y="20" fill="#ffffff">c0</text></svg>)",
      ruler);
  const Theme dark(Theme::Kind::dark);
  const auto on_shape = [&](std::size_t words) {
    return contrast(dark.color(*scene.marks[words].fill), dark.color(*scene.marks[words - 1].fill));
  };
  CHECK(on_shape(1) > 7);
  CHECK(on_shape(3) > 4);
}

}  // namespace
}  // namespace rankscope
