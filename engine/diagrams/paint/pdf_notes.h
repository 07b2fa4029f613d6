// Notes on the pages of a PDF, as presenters' programs read them.
#pragma once

#include <string>
#include <vector>

namespace rankscope {

/// Adds a text annotation to each page that has a note (ISO 32000-1:2008, 12.5.6.4), as an incremental update
/// (7.5.6): the file as it was, and behind it the changed objects. For files with a cross-reference table,
/// as Cairo writes them for PDF 1.4; throws std::runtime_error for others.
std::string with_page_notes(std::string pdf, const std::vector<std::string>& notes);

}  // namespace rankscope
