// Reads a whole regular file at once, within a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

enum class LinkRule { follow, refuse };

/// Returns the file's bytes. Returns nothing and sets `fault` ("has 5 bytes; at most 4 are read", "cannot be read:
/// ...") if it is larger than `most`, not a regular file, or cannot be read to its end. Does not wait for a pipe.
std::string read_whole(const std::filesystem::path& file, std::uintmax_t most, std::string& fault,
                       LinkRule links = LinkRule::follow);
/// Returns the bytes of a file of at most 1 GiB, or nothing if it cannot be read.
std::string read_or_nothing(const std::filesystem::path& file);

}  // namespace rankscope
