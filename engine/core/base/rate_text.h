// Times and bandwidths as people type and read them: "850 ns", "25 GB/s".
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// "850ns", "5 us", "0.1ms", "2s": seconds. Throws UserError that begins with `what`.
double parse_seconds(std::string_view text, std::string_view what);
/// "10GB/s", "12.5 GiB/s", "400Gb/s" (bits): bytes per second, above 0.
double parse_bandwidth(std::string_view text, std::string_view what);

/// Decimal units, so many digits: "25 GB/s".
std::string bandwidth_text(double bytes_per_second, int digits = 3);
/// For files: what parses to the very same number.
std::string exact_bandwidth_text(double bytes_per_second);
std::string exact_seconds_text(double seconds);

}  // namespace rankscope
