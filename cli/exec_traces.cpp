#include "cli/exec_traces.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/run/job_json.h"
#include "engine/run/trace_meta.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostSource = 1 << 20;

// What a file may be called everywhere.
std::string tame(std::string text) {
  for (char& c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0 && c != '.' && c != '-' && c != '_') c = '_';
  }
  return text;
}

std::string text_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
  if (error || size == 0 || size > kMostSource) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  return text.find('\0') == std::string::npos ? text : std::string();
}

}  // namespace

std::string program_trace_name(const ProgramRun& run) {
  const std::string what =
      run.test.empty() ? fs::path(run.spec.algorithm).stem().string() : run.test;
  const std::string number = run.number > 1 ? fmt::format("-{}", run.number) : "";
  return fmt::format("{}-n{}{}.rankscope", tame(what), run.spec.world_size, number);
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
    if (std::string text = text_of(file); !text.empty())
      meta_.sources.emplace_back(file, std::move(text));
  meta_.result_json = to_json(run.result);
  meta_.lost_events = run.result.lost_events;
  meta_.complete = true;
  meta_.hosts = run.hosts;
  meta_.clock_offset_ns = run.clock_offsets_ns;
  return trace_.close(std::move(meta_));
}

}  // namespace rankscope::cli
