// Reads and writes dates and times as lecturers write them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The time in "2026-11-20T23:59:00+01:00", "2026-11-20 23:59:00 -0700" (Gradescope), or in this machine's time zone
/// "2026-11-20 23:59" or "2026-11-20" (its first second). Nothing for other texts.
std::optional<std::chrono::sys_seconds> time_of(std::string_view text);
/// "2026-11-20 23:59", in this machine's time zone.
std::string time_text(std::chrono::sys_seconds time);
/// "2 days 3 hours", "1 hour 5 minutes", "40 seconds": the two largest parts.
std::string duration_text(std::chrono::seconds duration);

}  // namespace rankscope
