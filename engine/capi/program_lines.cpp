// Asks addr2line, which comes with the compiler, for the lines of addresses.
#include "engine/capi/program_lines.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/subprocess.h"

namespace rankscope::capi {
namespace {

constexpr std::size_t kMostAddresses = 64;
constexpr std::chrono::seconds kAnswer{5};

struct Module {
  std::string file;
  std::uintptr_t base = 0;
};

/// Returns the file that an address belongs to. An empty name: one of the system's or our own library.
Module module_of(std::uintptr_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map),
                RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return {};
  Dl_info own{};
  ::dladdr(reinterpret_cast<void*>(&read_stack), &own);
  const std::string_view name = map->l_name;
  if (info.dli_fbase == own.dli_fbase || name.starts_with("/lib") || name.starts_with("/usr/lib") ||
      name.starts_with("linux-vdso"))
    return {};
  if (!name.empty()) return {std::string(name), map->l_addr};
  return {std::filesystem::read_symlink("/proc/self/exe").string(), map->l_addr};
}

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool is_of_program(std::string_view file) {
  return !file.starts_with("??") && !file.starts_with("/usr/include/") &&
         !file.starts_with("/usr/lib/") && !file.ends_with("/rankscope.hpp") &&
         !file.ends_with("/rankscope_detail.hpp");
}

// For each address "0xADDRESS\n", then "FUNCTION\nFILE:LINE (discriminator 2)\n" of each function that is inlined there,
// the innermost first.
void read_lines(std::string_view text, std::vector<ProgramLine>& into) {
  std::size_t first = 0;  // of this address
  while (!text.empty()) {
    const std::string_view function = next_line(text);
    if (function.starts_with("0x")) {
      first = into.size();
      continue;
    }
    std::string_view place = next_line(text);
    const auto colon = std::min(place.rfind(':'), place.size());
    const std::string_view file = place.substr(0, colon);
    const auto line = std::strtoul(std::string(place.substr(colon)).c_str() + 1, nullptr, 10);
    // A function in a section of its own (.text.unlikely) may have a wrong file.
    if (line == 0 || !is_of_program(file) || function.starts_with("rankscope::detail::")) continue;
    // The name of an inlined function without a symbol is given as that of the function around it.
    for (std::size_t i = first; i < into.size(); ++i)
      if (into[i].function == function) into[i].function.clear();
    const bool is_library = function.starts_with("std::");  // what calls a lambda
    ProgramLine here{std::string(file), is_library ? "" : std::string(function),
                     static_cast<unsigned>(line)};
    if (into.empty() || into.back() != here) into.push_back(std::move(here));  // not each recursion
  }
}

}  // namespace

std::size_t read_stack(std::span<std::uintptr_t> into, std::uintptr_t fault) noexcept {
  std::array<void*, kMostAddresses> frames{};
  const auto depth = static_cast<std::size_t>(
      std::max(0, ::backtrace(frames.data(), static_cast<int>(frames.size()))));
  const auto all = std::span(frames).first(depth);
  const auto at = std::ranges::find(all, reinterpret_cast<void*>(fault));
  std::size_t count = 0;
  if (fault != 0 && count < into.size()) into[count++] = fault;
  const bool found = fault != 0 && at != all.end();
  for (const void* frame : all.subspan(found ? static_cast<std::size_t>(at - all.begin()) + 1 : 0))
    if (count < into.size()) into[count++] = reinterpret_cast<std::uintptr_t>(frame) - 1;
  return count;
}

std::vector<ProgramLine> lines_of(std::span<const std::uintptr_t> stack) try {
  std::vector<ProgramLine> out;
  // The frames of one file that follow each other are asked for at once.
  for (std::size_t i = 0; i < stack.size();) {
    const Module module = module_of(stack[i]);
    std::vector<std::string> words{"addr2line", "-a", "-f", "-i", "-C", "-e", module.file};
    for (; i < stack.size() && module_of(stack[i]).file == module.file; ++i)
      words.push_back(fmt::format("{:#x}", stack[i] - module.base));
    if (!module.file.empty()) read_lines(output_of({.words = words}, Deadline::in(kAnswer)), out);
  }
  return out;
} catch (const std::exception&) {  // no memory, or no addr2line
  return {};
}

}  // namespace rankscope::capi
