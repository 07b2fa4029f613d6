// Names the trace files of a program's runs and adds the program's source lines to them.
#include "cli/program/exec_traces.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/run/job/job.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostSource = 1 << 20;
constexpr std::uintmax_t kMostNotebook = 64 << 20;  // with its pictures

// Returns a name that every file system takes.
std::string replace_unsafe_characters(std::string text) {
  for (char& c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0 && c != '.' && c != '-' && c != '_') c = '_';
  }
  return text;
}

std::string text_of(const fs::path& file, std::uintmax_t most = kMostSource) {
  std::string fault, text = read_whole(file, most, fault);
  return text.find('\0') == std::string::npos ? text : std::string();
}

// Returns the source of "work.ipynb [cell 7]", the seventh code cell, as rankscope.notebook counts them.
std::string cell_of(const std::string& name) {
  static constexpr std::string_view kMark = ".ipynb [cell ";
  const auto at = name.rfind(kMark);
  if (at == std::string::npos || !name.ends_with(']')) return {};
  int left = std::atoi(name.c_str() + at + kMark.size());
  const auto text = text_of(name.substr(0, at + 6), kMostNotebook);
  const auto book = parse_json_or_none(text);
  if (!book.is_object() || !book.contains("cells") || !book["cells"].is_array()) return {};
  for (const auto& cell : book["cells"]) {
    if (!cell.is_object() || cell.value("cell_type", "") != "code" || --left > 0) continue;
    const auto& source = cell.contains("source") ? cell["source"] : nlohmann::json();
    if (source.is_string()) return source.get<std::string>();
    std::string lines;
    if (source.is_array())
      for (const auto& line : source)
        if (line.is_string()) lines += line.get<std::string>();
    return lines;
  }
  return {};
}

std::string source_of(const std::string& name) {
  std::string text = text_of(name);
  return text.empty() ? cell_of(name) : text;
}

}  // namespace

std::string program_trace_name(const ProgramRun& run) {
  const std::string what =
      run.test.empty() ? fs::path(run.spec.call.algorithm).stem().string() : run.test;
  const std::string number = run.number > 1 ? fmt::format("-{}", run.number) : "";
  return fmt::format("{}-n{}{}.rankscope", replace_unsafe_characters(what), run.spec.world.size,
                     number);
}

ProgramTrace::ProgramTrace(std::string file, const ProgramRun& run)
    : file_(std::move(file)), meta_(meta_of(run.spec)), trace_(file_, meta_) {}

void ProgramTrace::deliver(EventBatch&& batch) {
  {
    const std::lock_guard lock(mutex_);
    for (const Definition& definition : batch.definitions)
      if (definition.kind == Definition::Kind::site && !definition.file.empty())
        sources_.insert(definition.file);
  }
  trace_.deliver(std::move(batch));
}

std::uint64_t ProgramTrace::close(const ProgramRun& run) {
  for (const std::string& file : sources_)
    if (std::string text = source_of(file); !text.empty())
      meta_.sources.emplace_back(file, std::move(text));
  meta_.outcome = run.result;
  meta_.lost_events = run.result.lost_events;
  meta_.complete = true;
  meta_.hosts = run.hosts;
  meta_.clock_offset_ns = run.clock_offsets_ns;
  return trace_.close(std::move(meta_));
}

}  // namespace rankscope::cli
