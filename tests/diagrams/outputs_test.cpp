// What is in the files: the text of PDFs and SVGs, where it stands, and that they are whole.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/gif.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::trace_of_algorithm;

namespace {

struct Word {
  Box box;
  std::string text;
};

// Of `pdftotext -bbox`: <word xMin="1" yMin="2" xMax="3" yMax="4">text</word>
std::vector<Word> words_of(const std::string& html) {
  std::vector<Word> words;
  for (std::size_t at = 0; (at = html.find("<word ", at)) != std::string::npos; ++at) {
    Word word;
    double right = 0, bottom = 0;
    if (std::sscanf(html.c_str() + at, "<word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\"",
                    &word.box.x, &word.box.y, &right, &bottom) != 4)
      continue;
    word.box.width = right - word.box.x;
    word.box.height = bottom - word.box.y;
    const auto from = html.find('>', at) + 1;
    word.text = html.substr(from, html.find('<', from) - from);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<Word> words_of_pdf(const Scene& scene) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "scene.pdf", out = folder / "words.html";
  std::ofstream(file, std::ios::binary) << to_pdf({&scene}, Theme(Theme::Kind::print));
  const auto finished = test::run_process({"pdftotext", "-bbox", file, out});
  INFO(finished.err);
  REQUIRE(finished.exit_code == 0);
  std::ifstream in(out);
  return words_of({std::istreambuf_iterator<char>(in), {}});
}

// The boxes of pdftotext reach from ascent to descent; glyphs do not fill them.
std::string overlaps(const std::vector<Word>& words) {
  std::string found;
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t j = i + 1; j < words.size(); ++j)
      if (words[i].box.grown(-0.6).overlaps(words[j].box.grown(-0.6)))
        found += words[i].text + " and " + words[j].text + "\n";
  return found;
}

// Tags open and close in order, attributes are quoted, & is escaped. Empty: well-formed.
std::string fault_in_xml(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && xml.find(';', at) > at + 6) return "a bare & at " + std::to_string(at);
    if (xml[at] != '<') continue;
    const auto end = xml.find('>', at);
    if (end == std::string::npos) return "an open tag";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag.front() == '?') continue;
    if (std::ranges::count(tag, '"') % 2 != 0) return "a quote is missing in <" + tag + ">";
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace

TEST_CASE("PDF: no word of any algorithm's diagram lies on another", "[diagrams]") {
  const int ranks = GENERATE(3, 8, 16);
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name, ranks);
    const Scene scene =
        spacetime(TraceAnalysis(trace_of_algorithm(algorithm.name, ranks)), {}, system_ruler());
    const auto words = words_of_pdf(scene);
    CHECK(overlaps(words) == "");
    const auto named = [&](const std::string& text) {
      return std::ranges::any_of(words, [&](const Word& word) { return word.text == text; });
    };
    CHECK(named(std::to_string(ranks - 1)));  // of "rank 7"
    CHECK(named(ranks == 16 && algorithm.name == "allreduce.bucketed" ? "merged:" : "message"));
  }
}

TEST_CASE("SVG is well-formed and its texts are text", "[diagrams]") {
  for (const char* name : {"allreduce.ring", "alltoall.bruck", "barrier.dissemination"}) {
    const Scene scene = spacetime(TraceAnalysis(trace_of_algorithm(name, 5)), {}, system_ruler());
    for (const bool groups : {true, false}) {
      SvgOptions options;
      options.groups = groups;
      const std::string svg = to_svg(scene, Theme(Theme::Kind::dark), options);
      CHECK(fault_in_xml(svg) == "");
      for (const Mark& mark : scene.marks)
        if (mark.kind == Mark::Kind::text)
          CHECK(svg.find(">" + xml_escaped(mark.text) + "<") != std::string::npos);
    }
  }
}

TEST_CASE("odd characters survive: markup, control characters, broken UTF-8", "[diagrams]") {
  SpacetimeOptions options;
  options.title = "<ring> & \"friends\" \x01 \xff\xfe ⇒ Ж 漢";
  const Scene scene =
      spacetime(TraceAnalysis(trace_of_algorithm("allreduce.ring", 3)), options, system_ruler());
  const std::string svg = to_svg(scene, Theme(Theme::Kind::light));
  CHECK(fault_in_xml(svg) == "");
  CHECK(svg.find("&lt;ring&gt; &amp; &quot;friends&quot;") != std::string::npos);
  CHECK(svg.find('\x01') == std::string::npos);
  CHECK(to_pdf({&scene}, Theme(Theme::Kind::light)).starts_with("%PDF"));
  CHECK(to_png(scene, Theme(Theme::Kind::light), 96).substr(1, 3) == "PNG");
}

TEST_CASE("a GIF has the frames that it was given", "[diagrams]") {
  const Scene scene =
      spacetime(TraceAnalysis(trace_of_algorithm("allreduce.ring", 3)), {}, system_ruler());
  std::vector<Pixels> frames;
  for (int now = 0; now <= 4; ++now)
    frames.push_back(to_pixels(scene, Theme(Theme::Kind::light), 0.5, now));
  GifWriter writer(frames);
  for (const Pixels& frame : frames) writer.add(frame, 500);
  const std::string gif = writer.finish();
  CHECK(gif.starts_with("GIF89a"));
  CHECK(gif.back() == ';');
  std::size_t controls = 0;
  for (std::size_t at = 0; (at = gif.find("\x21\xF9\x04", at)) != std::string::npos; ++at)
    ++controls;
  CHECK(controls == frames.size());
  CHECK(frames.front().argb != frames.back().argb);
}

TEST_CASE("a GIF refuses a frame of another size", "[diagrams]") {
  Pixels small{2, 2, {0xFF000000U, 0xFFFFFFFFU, 0xFF000000U, 0xFFFFFFFFU}};
  Pixels large{3, 2, std::vector<std::uint32_t>(6, 0xFF00FF00U)};
  GifWriter writer({small});
  writer.add(small, 100);
  CHECK_THROWS_AS(writer.add(large, 100), std::invalid_argument);
  CHECK_THROWS_AS(writer.add({2, 2, {0xFF000000U}}, 100), std::invalid_argument);
  CHECK(writer.finish().starts_with("GIF89a"));
}

TEST_CASE("pictures that are too large are refused with the limit", "[diagrams]") {
  Scene scene;
  scene.width = 40000;
  scene.height = 100;
  const Theme theme(Theme::Kind::light);
  CHECK_THROWS_WITH(to_png(scene, theme, 96), Catch::Contains("40000 x 100") &&
                                                  Catch::Contains("at most 32000 on a side") &&
                                                  Catch::Contains("--dpi"));
  scene.width = scene.height = 20000;
  CHECK_THROWS_WITH(to_pixels(scene, theme, 1), Catch::Contains("200 million"));
  scene.width = std::nan("");
  CHECK_THROWS_AS(to_png(scene, theme, 96), UserError);
  CHECK_THROWS_AS(to_pdf({&scene}, theme), UserError);
  scene.width = 1e9;
  CHECK_THROWS_WITH(to_pdf({&scene}, theme), Catch::Contains("too large for a PDF"));
}

TEST_CASE("a long title is cut on the page and whole in the metadata", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.ring", 4));
  const std::string word(300, 'x');
  std::string words;
  for (int i = 0; i < 200; ++i) words += "word ";
  for (const std::string& title : {word, words}) {
    MatrixOptions matrix;
    matrix.title = title;
    GraphOptions graph;
    graph.title = title;
    for (const Scene& scene : {traffic_matrix(trace, matrix, system_ruler()),
                               communication_graph(trace, graph, system_ruler())}) {
      CHECK(scene.width < 720);
      CHECK(scene.height < 900);
      CHECK(scene.title == title);
      test::check_readable(scene);
    }
  }
}

TEST_CASE("notes for a speaker are annotations of their pages, and the file stays whole",
          "[diagrams]") {
  if (!has_cairo()) return;
  const Scene scene =
      spacetime(TraceAnalysis(trace_of_algorithm("allreduce.ring", 3)), {}, system_ruler());
  const std::string pdf = to_pdf({&scene, &scene, &scene}, Theme(Theme::Kind::light),
                                 {"First (of two): ⌈log2 N⌉ \\ 𝛼", "", "Last"});
  // Every entry of the new table points to its object, and the last one to the old table.
  const auto start = pdf.rfind("startxref\n");
  const auto table = std::stoul(pdf.substr(start + 10));
  REQUIRE(pdf.substr(table, 5) == "xref\n");
  std::size_t entries = 0;
  for (auto at = table + 5; pdf.substr(at, 7) != "trailer"; ++entries) {
    const auto number = pdf.substr(at, pdf.find(' ', at) - at);
    at = pdf.find('\n', at) + 1;
    CHECK(pdf.substr(std::stoul(pdf.substr(at, 10))).starts_with(number + " 0 obj\n"));
    at = pdf.find('\n', at) + 1;
  }
  CHECK(entries == 4);  // two pages, two notes
  const auto before = std::stoul(pdf.substr(pdf.find("/Prev ", table) + 6));
  CHECK(pdf.substr(before, 4) == "xref");
  CHECK(pdf.find("/Contents <FEFF0046") != std::string::npos);
  CHECK(pdf.find("2308006C006F00670032") != std::string::npos);  // ⌈log2
  CHECK(pdf.find("D835DEFC>") != std::string::npos);             // 𝛼, beyond 16 bits
  const test::TemporaryFolder folder;
  const std::string file = folder / "notes.pdf";
  std::ofstream(file, std::ios::binary) << pdf;
  const auto read = test::run_process({"pdftotext", file, "-"});
  CHECK(read.exit_code == 0);
  CHECK(read.err == "");  // where it finds a mistake, it says so
  CHECK(read.out.find("rank 0") != std::string::npos);
}
