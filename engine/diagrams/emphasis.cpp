// Reads from a group's id which ranks and chunks it is about.
#include "engine/diagrams/emphasis.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

struct About {
  std::int64_t message = -1;
  Rank from = -1, to = -1;    ///< `from` alone where one rank is concerned.
  int first = -1, last = -1;  ///< Chunks.
  bool any_chunk = false;     ///< All of the data.
};

class Reader {
 public:
  Reader(const Scene& scene, const TraceAnalysis& analysis, CellMeaning cells)
      : scene_(scene), analysis_(analysis), cells_(cells) {
    hues_.assign(scene.groups.size(), -1);
    for (const Mark& mark : scene.marks)
      if (mark.group >= 0 && mark.fill && mark.fill->tone == Tone::chunk)
        hues_[static_cast<std::size_t>(mark.group)] = mark.fill->index;
  }

  About message(std::size_t number) const {
    const MessageRecord& record = analysis_.messages()[number];
    const Piece piece = analysis_.pieces().of(record);
    return {static_cast<std::int64_t>(number),
            record.from,
            record.to,
            piece.first_chunk,
            piece.last_chunk,
            piece.whole};
  }

  std::optional<About> about(std::size_t group) const {
    const char* id = scene_.groups[group].id.c_str();
    if (id[0] == 'a' && id[1] == '-') id += 2;  // the first of two runs
    std::size_t number = 0;
    int a = -1, b = -1, c = -1, end = 0;
    if (std::sscanf(id, "m%zu%n", &number, &end) == 1 && id[end] == '\0' &&
        number < analysis_.messages().size())
      return message(number);
    About about;
    if (cells_ != CellMeaning::other && std::sscanf(id, "cell-%d-%d", &a, &b) == 2) {
      about.from = a;
      if (cells_ == CellMeaning::from_and_to) about.to = b;
      else about.first = about.last = b;
    } else if (std::sscanf(id, "send-%d-%d-to-%d", &a, &c, &b) == 3) {
      about.from = a;
      about.to = b;
      about.first = about.last = hues_[group];
    } else if (std::sscanf(id, "link-%d-%d", &a, &b) == 2) {
      about.from = a;
      about.to = b;
    } else if (std::sscanf(id, "piece-%d-%d", &a, &b) == 2) {
      about.from = a;
      about.to = about.first = about.last = b;
    } else if (std::sscanf(id, "received-%d-%d", &a, &b) == 2) {
      about.from = b;
      about.to = about.first = about.last = a;
    } else if (std::sscanf(id, "rank-%d", &a) == 1 || std::sscanf(id, "input-%d", &a) == 1 ||
               std::sscanf(id, "output-%d", &a) == 1) {
      about.from = a;
    } else {
      return std::nullopt;
    }
    return about;
  }

 private:
  const Scene& scene_;
  const TraceAnalysis& analysis_;
  const CellMeaning cells_;
  std::vector<int> hues_;  ///< By group: the chunk of its last mark in a chunk's colour.
};

bool has_chunk(const About& about, int chunk) {
  return about.any_chunk || (about.first <= chunk && chunk <= about.last && about.first >= 0);
}

class Chooser {
 public:
  Chooser(const Reader& reader, const TraceAnalysis& analysis, const SceneChoice& choice)
      : choice_(choice) {
    const std::size_t count = analysis.messages().size();
    if (choice.message >= 0 && static_cast<std::size_t>(choice.message) < count)
      chosen_ = reader.message(static_cast<std::size_t>(choice.message));
    if (choice.chunk < 0) return;
    for (std::size_t i = 0; i < count; ++i)
      if (const About one = reader.message(i); has_chunk(one, choice.chunk)) {
        links_.emplace(one.from, one.to);
        ranks_.insert({one.from, one.to});
      }
  }

  bool fits(const About& about) const {
    if (choice_.message >= 0) return fits_message(about);
    if (choice_.rank >= 0 && about.from != choice_.rank && about.to != choice_.rank) return false;
    if (choice_.chunk < 0) return true;
    if (about.any_chunk || about.first >= 0) return has_chunk(about, choice_.chunk);
    return about.to >= 0 ? links_.contains({about.from, about.to}) : ranks_.contains(about.from);
  }

 private:
  bool fits_message(const About& about) const {
    if (about.message >= 0) return about.message == choice_.message;
    if (about.to >= 0) return about.from == chosen_.from && about.to == chosen_.to;
    if (about.from != chosen_.from && about.from != chosen_.to) return false;
    return about.first < 0 || chosen_.any_chunk || chosen_.first < 0 ||
           (about.first <= chosen_.last && about.last >= chosen_.first);
  }

  const SceneChoice choice_;
  About chosen_;
  std::set<std::pair<Rank, Rank>> links_;  ///< On which the chunk travels.
  std::set<Rank> ranks_;
};

}  // namespace

std::vector<Emphasis> emphasis(const Scene& scene, const TraceAnalysis& analysis,
                               const SceneChoice& choice, CellMeaning cells) {
  std::vector<Emphasis> all(scene.groups.size(), Emphasis::usual);
  if (!choice.any() || analysis.large()) return all;
  const Reader reader(scene, analysis, cells);
  const Chooser chooser(reader, analysis, choice);
  bool any = false;
  for (std::size_t group = 0; group < all.size(); ++group) {
    const auto about = reader.about(group);
    if (!about) continue;
    all[group] = chooser.fits(*about) ? Emphasis::strong : Emphasis::dimmed;
    any = any || all[group] == Emphasis::strong;
  }
  if (!any) ranges::fill(all, Emphasis::usual);
  return all;
}

}  // namespace rankscope
