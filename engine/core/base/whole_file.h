// A whole file at once, from any source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

enum class LinkRule { follow, refuse };

/// The file's bytes. Sets `fault` ("has 5 bytes; at most 4 are read", "cannot be read: ...") and gives
/// nothing when it is larger than `most`, no regular file, or cannot be read to its end. Waits for no pipe.
std::string read_whole(const std::filesystem::path& file, std::uintmax_t most, std::string& fault,
                       LinkRule links = LinkRule::follow);

}  // namespace rankscope
