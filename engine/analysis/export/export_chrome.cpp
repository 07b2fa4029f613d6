// Writes slices and flow arrows in the Chrome trace event format.
#include "engine/analysis/export/export_chrome.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "engine/account/messages.h"
#include "engine/account/op_table.h"
#include "engine/analysis/diff.h"
#include "engine/analysis/events/event_text.h"

namespace rankscope {
namespace {

// A message's ends are points in time, but an arrow needs slices to start and end at.
constexpr std::int64_t kPointNs = 50;

std::string microseconds(std::int64_t ns) {
  const auto magnitude =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out) {}

  void write() {
    find_matched();
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
    for (Rank rank = 0; rank < trace_.world_size(); ++rank) name_rank(rank);
    for (std::uint64_t k = 0; k < trace_.size() && out_; ++k) put(k);
    for (auto& [where, strand] : strands_) {
      end_point(where, strand, strand.last_ns + kPointNs);
      for (; strand.open_phases > 0; --strand.open_phases)  // the trace ends inside of them
        item("E", where, strand.last_ns, "");
    }
    out_ << "\n]}\n";
  }

 private:
  using Where = std::pair<Rank, std::uint16_t>;
  struct Strand {
    bool point = false;  ///< A message's end that is not written yet: its length is not known.
    std::int64_t point_ns = 0;
    std::string point_rest;
    std::int64_t points_end_ns = 0;  ///< The end of the last point before any slice around it.
    std::int64_t slice_end_ns = 0;
    std::int64_t last_ns = 0;
    int open_phases = 0;
  };

  // An arrow needs both ends; a send that nobody received gets none.
  void find_matched() {
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const StepEvent& event = trace_[k];
      if (event.kind == EventKind::posted && is_send(event.verb)) arrow_[event.op] = 1;
    }
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const StepEvent& event = trace_[k];
      if (event.kind == EventKind::completed && is_recv(event.verb) && event.cause != 0 &&
          arrow_.find(event.cause) == 1)
        arrow_[event.cause] = 2;
    }
  }

  void item(std::string_view phase, const Where& where, std::int64_t time, std::string_view rest) {
    out_ << (first_ ? "\n" : ",\n")
         << fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{}{}}})", phase, where.first,
                        where.second, microseconds(time), rest);
    first_ = false;
  }

  void name_rank(Rank rank) {
    const auto& hosts = trace_.meta().hosts;
    const auto at = static_cast<std::size_t>(rank);
    const auto name = at < hosts.size() && !hosts[at].empty()
                          ? fmt::format("rank {} ({})", rank, hosts[at])
                          : fmt::format("rank {}", rank);
    item("M", {rank, 0}, 0,
         fmt::format(R"(,"name":"process_name","args":{{"name":{}}})", json_text(name)));
    item("M", {rank, 0}, 0,
         fmt::format(R"(,"name":"process_sort_index","args":{{"sort_index":{}}})", rank));
  }

  Strand& strand_at(const Where& where) {
    const auto [found, added] = strands_.try_emplace(where);
    if (added)
      item("M", where, 0,
           fmt::format(
               R"(,"name":"thread_name","args":{{"name":"{}"}})",
               where.second == 0 ? std::string("main") : fmt::format("strand {}", where.second)));
    return found->second;
  }

  void end_point(const Where& where, Strand& strand, std::int64_t until) {
    if (!std::exchange(strand.point, false)) return;
    const auto length = std::clamp<std::int64_t>(until - strand.point_ns, 0, kPointNs);
    strand.points_end_ns = strand.point_ns + length;
    item("X", where, strand.point_ns,
         fmt::format(",\"dur\":{}{}", microseconds(length), strand.point_rest));
  }

  std::string details(std::uint64_t k, std::string_view name) const {
    const StepEvent& event = trace_[k];
    auto text = fmt::format(R"(,"cat":"{}","name":{},"args":{{"event":{})", to_string(event.kind),
                            json_text(std::string(name)), k);
    if (event.bytes > 0) text += fmt::format(",\"bytes\":{}", event.bytes);
    if (event.op != 0) text += fmt::format(R"(,"op":"{}")", op_text(event.op));
    if (event.cause != 0) text += fmt::format(R"(,"cause":"{}")", op_text(event.cause));
    if (is_send(event.verb) || is_recv(event.verb)) text += fmt::format(",\"tag\":{}", event.tag);
    if (const auto site = site_text(trace_, event.site); !site.empty())
      text += fmt::format(",\"site\":{}", json_text(site));
    return text + "}";
  }

  void flow(std::string_view phase, const Where& where, std::int64_t time, OpId send) {
    item(phase, where, time,
         fmt::format(R"(,"cat":"message","name":"message","id":"{}"{})", op_text(send),
                     phase == "f" ? R"(,"bp":"e")" : ""));
  }

  void put_point(const Where& where, Strand& strand, std::uint64_t k, std::string_view name) {
    strand.point = true;
    strand.point_ns = trace_.time_ns(k);
    strand.point_rest = details(k, name);
    const StepEvent& event = trace_[k];
    const OpId send = is_send(event.verb) ? event.op : event.cause;
    if (arrow_.find(send) == 2) flow(is_send(event.verb) ? "s" : "f", where, strand.point_ns, send);
  }

  void put_slice(const Where& where, Strand& strand, std::uint64_t k) {
    const auto end = trace_.time_ns(k);
    auto begin = begin_ns(trace_, k);
    // Slices must lie in or beside each other, also where a clock was corrected.
    if (begin < strand.points_end_ns && begin > strand.points_end_ns - kPointNs)
      begin = strand.points_end_ns;
    begin = std::min(std::max(begin, strand.slice_end_ns), end);
    strand.slice_end_ns = end;
    item("X", where, begin,
         fmt::format(
             ",\"dur\":{}{}", microseconds(end - begin),
             details(k, trace_[k].verb == Verb::wait ? "blocked" : to_string(trace_[k].verb))));
  }

  void put(std::uint64_t k) {
    const StepEvent& event = trace_[k];
    const Where where{event.rank, event.strand};
    Strand& strand = strand_at(where);
    const auto time = trace_.time_ns(k);
    end_point(where, strand, time);
    strand.last_ns = time;
    if (event.kind == EventKind::posted && is_send(event.verb)) {
      put_point(where, strand, k, fmt::format("{} to {}", to_string(event.verb), event.peer));
    } else if (event.kind == EventKind::completed && is_recv(event.verb)) {
      put_point(where, strand, k, fmt::format("{} from {}", to_string(event.verb), event.peer));
    } else if (event.kind == EventKind::local) {
      const bool waited = event.begin_ns < event.time_ns;
      if (event.verb != Verb::wait || waited) put_slice(where, strand, k);
    } else if (event.kind == EventKind::call || event.kind == EventKind::note) {
      // A call has its phase, whose slice shows how long it took.
      if (event.verb != Verb::phase_end)
        item("i", where, time, R"(,"s":"t")" + details(k, describe(trace_, k)));
    } else if (event.verb == Verb::phase_begin) {
      ++strand.open_phases;
      item("B", where, time,
           details(k, definition_name(trace_, Definition::Kind::phase, event.phase)));
    } else if (event.verb == Verb::phase_end && strand.open_phases > 0) {
      --strand.open_phases;
      item("E", where, time, "");
    } else if (event.verb == Verb::touch || event.verb == Verb::watch) {
      item("i", where, time,
           R"(,"s":"t")" + details(k, fmt::format("{} {}", to_string(event.verb),
                                                  definition_name(trace_, Definition::Kind::buffer,
                                                                  event.out_buffer))));
    }
  }

  const Trace& trace_;
  std::ostream& out_;
  bool first_ = true;
  std::map<Where, Strand> strands_;
  OpTable<std::uint8_t> arrow_{0};
};

}  // namespace

void export_chrome(const Trace& trace, std::ostream& out) { ChromeWriter(trace, out).write(); }

}  // namespace rankscope
