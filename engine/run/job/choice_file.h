// A table of choices as a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/auto_choice.h"

namespace rankscope {

std::string to_json(const ChoiceTable& table);
/// Throws UserError.
ChoiceTable choice_table_from_json(std::string_view text);

/// Returns nothing if the file does not exist. Throws UserError if it is not a table.
std::optional<ChoiceTable> read_choice_file(const std::string& file);
/// Makes the directory if it is missing. Throws UserError.
void write_choice_file(const std::string& file, const ChoiceTable& table);

}  // namespace rankscope
