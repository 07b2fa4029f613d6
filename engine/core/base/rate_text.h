// Times and bandwidths as people type and read them: "850 ns", "25 GB/s".
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// Parses seconds: "850ns", "5 us", "0.1ms", "2s". Throws a UserError that begins with `what`.
double parse_seconds(std::string_view text, std::string_view what);
/// Parses bytes per second, above 0: "10GB/s", "12.5 GiB/s", "400Gb/s" (bits).
double parse_bandwidth(std::string_view text, std::string_view what);

/// Prints decimal units with the given number of digits: "25 GB/s".
std::string bandwidth_text(double bytes_per_second, int digits = 3);
/// For files: prints text that parses to exactly the same number.
std::string exact_bandwidth_text(double bytes_per_second);
std::string exact_seconds_text(double seconds);

}  // namespace rankscope
