// The Markdown of lessons as the XHTML that both formats allow.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// Block elements: p, ul, ol, pre, table, h3, blockquote, hr. Well-formed; links are their text.
std::string bank_xhtml(std::string_view markdown);
/// Of one paragraph only what is in it, for places that hold a line.
std::string bank_xhtml_line(std::string_view markdown);

}  // namespace rankscope
