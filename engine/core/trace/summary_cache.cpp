// Stores summaries under the state of their file, and removes old ones.
#include "engine/core/trace/summary_cache.h"

#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_format.h"

namespace rankscope {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kKind = 0x314E5552534B5352;  // "RSKSRUN1"
constexpr std::string_view kEnding = ".summary";

fs::path summaries_folder() {
  const fs::path cache = user_folder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? cache : cache / "rankscope" / "summaries";
}

void put(const SummaryCache::Key& key, ByteWriter& out) {
  out.put(key.file.device);
  out.put(key.file.inode);
  out.put(key.file.size);
  out.put(key.file.changed_ns);
  out.put(key.headers);
}

SummaryCache::Key get_key(ByteReader& in) {
  SummaryCache::Key key;
  key.file.device = in.get<std::uint64_t>();
  key.file.inode = in.get<std::uint64_t>();
  key.file.size = in.get<std::uint64_t>();
  key.file.changed_ns = in.get<std::int64_t>();
  key.headers = in.get<std::uint64_t>();
  return key;
}

void put(const TraceIssues& issues, ByteWriter& out) {
  out.put(static_cast<std::uint8_t>(issues.cut));
  out.put(static_cast<std::uint8_t>(issues.unclosed));
  out.put(static_cast<std::uint8_t>(issues.lost_exactly));
  out.put(issues.damaged_blocks);
  out.put(issues.lost_events);
}

TraceIssues get_issues(ByteReader& in) {
  TraceIssues issues;
  issues.cut = in.get<std::uint8_t>() != 0;
  issues.unclosed = in.get<std::uint8_t>() != 0;
  issues.lost_exactly = in.get<std::uint8_t>() != 0;
  issues.damaged_blocks = in.get<std::uint64_t>();
  issues.lost_events = in.get<std::uint64_t>();
  return issues;
}

}  // namespace

SummaryCache::SummaryCache() : SummaryCache(summaries_folder()) {}

SummaryCache::SummaryCache(fs::path folder, std::uint64_t least_file, std::uint64_t most_bytes)
    : folder_(std::move(folder)), least_file_(least_file), most_bytes_(most_bytes) {}

SummaryCache::Key SummaryCache::key_of(const trace_blocks::InputFile& file,
                                       const trace_blocks::Index& index) {
  Bytes headers;
  headers.reserve(index.blocks.size() *
                  (sizeof(trace_format::BlockHeader) + sizeof(std::uint64_t)));
  ByteWriter out(headers);
  for (const auto& block : index.blocks) {
    out.put(block.header);
    out.put(block.payload);
  }
  constexpr std::int64_t kCoarse = 50'000'000;  // resolution of a file system's clock
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const auto identity = file.identity();
  return {identity, trace_format::checksum(headers), identity.changed_ns < now - kCoarse};
}

fs::path SummaryCache::place_of(const Key& key) const {
  Bytes bytes;
  ByteWriter out(bytes);
  put(key, out);
  return folder_ / fmt::format("{:016x}{}", trace_format::checksum(bytes), kEnding);
}

std::optional<SummaryCache::Kept> SummaryCache::find(const Key& key) const try {
  if (folder_.empty() || key.file.size < least_file_) return std::nullopt;
  const fs::path place = place_of(key);
  std::string fault;
  const std::string bytes = read_whole(place, most_bytes_, fault, LinkRule::refuse);
  trace_format::BlockHeader header;
  if (!fault.empty() || bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const Bytes raw =
      trace_format::summary_in_end(header, std::as_bytes(std::span(bytes)).subspan(sizeof(header)));
  ByteReader in(raw);
  if (in.get<std::uint64_t>() != kKind || get_key(in) != key) return std::nullopt;
  Kept kept;
  kept.issues = get_issues(in);
  kept.summary = TraceSummary::decode(in);
  std::error_code ignored;
  fs::last_write_time(place, fs::file_time_type::clock::now(), ignored);  // it was used
  return kept;
} catch (const FormatError&) {
  return std::nullopt;
}

void SummaryCache::keep(const Key& key, const trace_blocks::InputFile& file, const Kept& made) const
    try {
  if (folder_.empty() || key.file.size < least_file_ || !key.settled ||
      file.identity() != key.file || !made.summary.valid())
    return;
  Bytes raw;
  ByteWriter out(raw);
  out.put(kKind);
  put(key, out);
  put(made.issues, out);
  made.summary.encode(out);
  trace_format::BlockHeader header;
  header.type = trace_format::Type::end;
  const Bytes whole = trace_format::seal_end(header, 0, raw);
  std::error_code error;
  const bool made_folder = fs::create_directories(folder_, error);
  if (made_folder) fs::permissions(folder_, fs::perms::owner_all, error);  // private to the user
  write_whole(place_of(key).string(), {reinterpret_cast<const char*>(whole.data()), whole.size()});
  remove_oldest();
} catch (const std::exception&) {  // the summary is made again next time
}

void SummaryCache::remove_oldest() const {
  struct Old {
    fs::file_time_type used;
    std::uint64_t bytes = 0;
    fs::path path;
  };
  std::vector<Old> all;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->path().extension() != kEnding || !at->is_regular_file(gone)) continue;
    Old one{at->last_write_time(gone), 0, at->path()};
    if (!gone) one.bytes = at->file_size(gone);
    if (!gone) all.push_back(std::move(one));
  }
  ranges::sort(all, std::greater{}, &Old::used);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bytes += all[i].bytes;
    if (i > 0 && (bytes > most_bytes_ || i >= kMostFiles)) fs::remove(all[i].path, error);
  }
}

}  // namespace rankscope
