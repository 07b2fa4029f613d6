// The problems of a run, with advice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/findings/findings.h"
#include "engine/core/base/types.h"

namespace rankscope {
struct JobResult;
}  // namespace rankscope

namespace rankscope::gui {

class Document;

struct Problem {
  enum class Severity : std::uint8_t { note, warning, error };
  Severity severity = Severity::error;
  std::string what;   ///< "rank 2 was killed by signal 9"
  std::string where;  ///< "blocked in recv from rank 1 at allreduce_ring.cpp:27"
  std::string advice;
  Rank rank = -1;
  /// A deadlock's cycle: each rank that waits for the next, and the event at which it stands.
  std::vector<std::pair<Rank, std::uint64_t>> circle = {};
  /// The events of a finding other than a deadlock.
  std::vector<std::pair<Rank, std::uint64_t>> places = {};
  std::string why = {};  ///< Why it is wrong; shown before the advice.
  /// A few lines of a source, one of them marked.
  struct Excerpt {
    std::string title;  ///< "ranks 0 and 1 · ring.py:9"
    std::vector<std::pair<unsigned, std::string>> lines;
    unsigned marked = 0;
    std::int64_t event = -1;  ///< An event at the marked line; -1 if there is none yet.
    bool operator==(const Excerpt&) const = default;
  };
  std::vector<Excerpt> stands = {};  ///< Where blocked ranks stand.
  std::string frees_title = {};      ///< "The receive that would free rank 0"
  std::vector<Excerpt> frees = {};
  std::optional<Finding::Kind> finding = {};  ///< The kind of the finding that it reports, if any.
  bool consequence = false;                   ///< It follows from another problem, if there is one.
  std::vector<Problem> follows = {};          ///< Its consequences: shown folded, and not counted.
  bool operator==(const Problem&) const = default;
};

/// Returns the problems that a result and a trace show: dead and silent ranks, wrong results, time-outs with every rank's
/// place, messages never received, events lost.
std::vector<Problem> problems_of(const std::optional<JobResult>& result, const Document* document);

}  // namespace rankscope::gui
