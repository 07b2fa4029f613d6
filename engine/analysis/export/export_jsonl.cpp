// Writes the run's metadata and one JSON object per event, each on its own line.
#include "engine/analysis/export/export_jsonl.h"

#include <cmath>
#include <cstring>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "engine/account/messages.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/statistics.h"

namespace rankscope {
namespace {

class Line {
 public:
  explicit Line(std::string_view type) { text_ = fmt::format(R"({{"type":"{}")", type); }
  template <class T>
  Line& number(std::string_view name, const T& value) {
    fmt::format_to(std::back_inserter(text_), ",\"{}\":{}", name, value);
    return *this;
  }
  Line& text(std::string_view name, const std::string& value) {
    if (!value.empty())
      fmt::format_to(std::back_inserter(text_), ",\"{}\":{}", name, json_text(value));
    return *this;
  }
  std::string& raw() noexcept { return text_; }
  std::string finish() { return std::move(text_) + "}\n"; }

 private:
  std::string text_;
};

template <class T>
void put_values(std::span<const std::byte> contents, std::string& out) {
  for (std::size_t at = 0; at + sizeof(T) <= contents.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, contents.data() + at, sizeof(T));
    if (at > 0) out += ',';
    if constexpr (std::is_floating_point_v<T>) {
      // JSON has no words for these; a string keeps them apart from null.
      if (!std::isfinite(value)) fmt::format_to(std::back_inserter(out), "\"{}\"", value);
      else fmt::format_to(std::back_inserter(out), "{}", value);
    } else {
      fmt::format_to(std::back_inserter(out), "{}", value);
    }
  }
}

void put_run(const Trace& trace, std::ostream& out) {
  const TraceMeta& meta = trace.meta();
  Line line("run");
  const TracePart* part = trace.part();
  line.number("ranks", trace.world_size())
      .number("events", part != nullptr ? part->run_events : trace.size());
  if (trace.size() > 0) line.number("clock_ns", trace[0].time_ns);  // when "time_ns" was 0
  line.text("algorithm", meta.algorithm).text("program", meta.program);
  line.text("started", meta.started).text("job", job_text(meta)).text("result", result_text(meta));
  line.number("lost_events", meta.lost_events).number("complete", meta.complete);
  out << line.finish();
}

void put_event(const Trace& trace, std::uint64_t k, std::uint64_t index, std::ostream& out) {
  const StepEvent& event = trace[k];
  Line line("event");
  line.number("index", index).number("rank", event.rank).number("seq", event.seq);
  line.number("time_ns", trace.time_ns(k));
  if (event.kind == EventKind::local) line.number("begin_ns", begin_ns(trace, k));
  if (trace.clamped(k)) line.number("moved", true);
  line.text("kind", std::string(to_string(event.kind)));
  line.text("verb", std::string(to_string(event.verb)));
  line.text("op", op_text(event.op)).text("cause", op_text(event.cause));
  const bool message = is_send(event.verb) || is_recv(event.verb);
  if (message || event.peer >= 0) line.number("peer", event.peer);
  if (message || event.tag != 0) line.number("tag", event.tag);
  if (message || event.bytes > 0) line.number("bytes", event.bytes);
  if (event.strand != 0) line.number("strand", event.strand);
  if (is_send(event.verb)) line.text("mode", std::string(to_string(event.mode)));
  if (event.kind == EventKind::note) line.text("note", std::string(note_name(event.tag)));
  if (event.kind == EventKind::call) line.text("call", call_text(trace, event));
  if (event.verb == Verb::reduce) line.text("reduce_op", std::string(to_string(event.reduce_op)));
  using Kind = Definition::Kind;
  line.text("comm", definition_name(trace, Kind::comm, event.comm));
  line.text("phase", phase_path(trace, event.phase));
  if (event.in_buffer != 0)
    line.text("in_buffer", definition_name(trace, Kind::buffer, event.in_buffer))
        .number("in_offset", event.in_offset);
  if (event.out_buffer != 0)
    line.text("out_buffer", definition_name(trace, Kind::buffer, event.out_buffer))
        .number("out_offset", event.out_offset);
  line.text("site", site_text(trace, event.site));
  if (const auto contents = trace.preview(k); !contents.empty()) {
    line.text("dtype", std::string(to_string(event.dtype)));
    line.raw() += ",\"values\":[";
    visit_dtype(event.dtype, [&]<class T>() { put_values<T>(contents, line.raw()); });
    line.raw() += ']';
  }
  out << line.finish();
}

}  // namespace

void export_jsonl(const Trace& trace, std::ostream& out) { export_jsonl(trace, out, {}); }

void export_jsonl(const Trace& trace, std::ostream& out, const EventChoice& choice) {
  if (choice.before == 0) put_run(trace, out);
  auto left = choice.limit;
  for (auto k = choice.from - std::min(choice.from, choice.before);
       k < trace.size() && left > 0 && out; ++k) {
    if (choice.rank >= 0 && trace[k].rank != choice.rank) continue;
    --left;
    put_event(trace, k, choice.before + k, out);
  }
}

}  // namespace rankscope
