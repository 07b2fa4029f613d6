// Numbered file names of a sequence of pictures, and what an older sequence has left.
#include "engine/diagrams/export/sequence_names.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope {

SequenceNames::SequenceNames(const std::string& output, std::size_t count)
    : path_(output),
      count_(count),
      digits_(std::max(kDigits, static_cast<int>(std::to_string(count).size()))) {}

std::string SequenceNames::at(std::size_t number) const {
  auto name = path_;
  name.replace_filename(stem() + fmt::format("{:0{}}", number, digits_) + ending());
  return name.string();
}

void SequenceNames::check_no_others(std::string_view how) const {
  namespace fs = std::filesystem;
  std::vector<std::string> others;
  std::error_code ignored;
  const auto folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (is_other(name)) others.push_back(name);
  }
  if (others.empty()) return;
  ranges::sort(others);
  throw UserError(fmt::format(
      "{} {} of another sequence in the way of this one, which has {} frames: remove {}, or "
      "choose another name{}",
      escaped(others.front()),
      others.size() == 1 ? "is" : fmt::format("to {} are", escaped(others.back())), count_,
      others.size() == 1 ? "it" : "them", how));
}

// A frame's name with a number beyond this sequence's, or with other digits.
bool SequenceNames::is_other(std::string_view name) const {
  const auto around = stem().size() + ending().size();
  if (!name.starts_with(stem()) || !name.ends_with(ending()) || name.size() < around + kDigits ||
      name.size() > around + kMostDigits)
    return false;
  name = name.substr(stem().size(), name.size() - around);
  std::size_t number = 0;
  const auto* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc{} || rest != end || number == 0) return false;
  return number > count_ || name.size() != static_cast<std::size_t>(digits_);
}

}  // namespace rankscope
