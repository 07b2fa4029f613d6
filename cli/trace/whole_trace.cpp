// Refuses traces that are too large to be read whole, and says what can be done with them.
#include "cli/trace/whole_trace.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::cli {

Trace read_whole_trace(const std::string& file, const std::string& needs) {
  constexpr double kBytesAnEvent = 220;  // with what is found out about it
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const std::uint64_t events = look_at_trace(file).events, most = most_events_held();
  if (events > most)
    throw UserError(fmt::format(
        "{} has {} events: {} needs all of them in memory, where {} are allowed. Read it in parts: "
        "`rankscope trace "
        "info|stats|print` (a range with --from and --limit), `rankscope export` (the picture of "
        "all of it, jsonl, "
        "csv) or `rankscope-gui`. Or record a shorter run; or, with {:.0f} GiB of memory free, set "
        "RANKSCOPE_STREAM_EVENTS={}.",
        escaped(file), grouped(events), needs, grouped(most),
        static_cast<double>(events) * kBytesAnEvent / kGiB + 1, events));
  return TraceReader::open(file);
}

}  // namespace rankscope::cli
