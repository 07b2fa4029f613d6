// The Markdown of lessons as HTML.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// CommonMark with tables; HTML in it is shown, not obeyed. UTF-8.
std::string markdown_html(std::string_view markdown);
/// The same as plain text, without the signs of emphasis and code: for PDF and the like.
std::string markdown_plain(std::string_view markdown);

}  // namespace rankscope
