// Writes batches as compressed blocks, keeps the file locked, and reports why writing failed.
#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/event_codec.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/core/trace/trace_format.h"

namespace rankscope {
namespace {

using trace_format::BlockHeader;
using trace_format::Type;

constexpr std::size_t kBlockEvents = 32 * 1024;
constexpr std::size_t kBlockBlobBytes = std::size_t{1} << 20;
/// A file this many times smaller than most_events_held() needs no summary: every machine reads it whole.
constexpr std::uint64_t kWorthASummary = 16;
constexpr std::size_t kMostPreview = std::size_t{1} << 20;

std::string reason(int error) { return std::error_code(error, std::system_category()).message(); }

std::string advice(int error) {
  if (error == ENOSPC || error == EDQUOT)
    return "Free some space, or write the trace to another place.";
  if (error == EFBIG) return "Raise the limit of file sizes (ulimit -f), or record less.";
  if (error == EACCES || error == EROFS || error == EPERM)
    return "Choose a folder that you may write to.";
  if (error == ENOENT) return "Create the folder first, or choose another one.";
  return "Choose another place for the trace.";
}

/// Appends an event's preview to the block's area; leaves out one that is larger than any recorder makes.
void move_preview(StepEvent& event, const Bytes& from, Bytes& to) {
  const auto contents = preview_of(event, from);
  event.preview = 0;
  if (contents.empty()) return;
  if (contents.size() > kMostPreview) return;
  event.preview = static_cast<std::uint32_t>(to.size() + 1);
  ByteWriter out(to);
  out.put(static_cast<std::uint32_t>(contents.size()));
  out.put_raw(contents);
}

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  throw UserError(fmt::format("cannot write the trace {}: {}. {}", escaped(path.string()),
                              reason(error), advice(error)));
}

}  // namespace

// A flock ends with the process that holds it, however the process ends, and readers can ignore it.
ReservedTrace::ReservedTrace(const std::filesystem::path& path) {
  for (;;) {
    file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    struct stat status {};
    if (!file_ || ::fstat(file_.get(), &status) != 0) cannot_write(path, errno);
    if (!S_ISREG(status.st_mode)) return;  // any number may write to /dev/null
    const bool taken = ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // Its last holder may have removed it before we locked it.
    const bool there = ::fstat(file_.get(), &status) == 0 && status.st_nlink > 0;
    if (!taken && there) return;
    file_.reset();
    if (taken)
      throw UserError(
          fmt::format("cannot write the trace {}: another run is writing it: choose another -o",
                      escaped(path.string())));
  }
}

TraceWriter::TraceWriter(const std::filesystem::path& path, TraceMeta meta, std::uint32_t epoch)
    : TraceWriter(path, ReservedTrace(path), std::move(meta), epoch) {}

TraceWriter::TraceWriter(std::filesystem::path path, ReservedTrace reserved, TraceMeta meta,
                         std::uint32_t epoch)
    : path_(std::move(path)),
      meta_(std::move(meta)),
      epoch_(epoch),
      file_(reserved.take()),
      summary_(meta_.world_size),
      summarised_from_(most_events_held() / kWorthASummary) {
  if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL) cannot_write(path_, errno);
  meta_.complete = false;
  write_meta_locked();
}

TraceWriter::~TraceWriter() {
  try {
    TraceWriter::flush();
  } catch (const UserError&) {  // the file says that it is unfinished
  }
}

std::uint64_t TraceWriter::events() const {
  const std::lock_guard lock(mutex_);
  return events_ + pending_events_;
}

std::uint64_t TraceWriter::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::uint64_t TraceWriter::bytes_written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

void TraceWriter::deliver(EventBatch&& batch) {
  const std::lock_guard lock(mutex_);
  if (batch.rank < 0 || batch.rank >= TraceBuilder::kMostRanks)
    throw FormatError(fmt::format("a batch of events of rank {}", batch.rank));
  if (epoch_ == 0) epoch_ = batch.epoch;
  if (failed_ || closed_ || batch.epoch != epoch_) {
    dropped_ += batch.events.size();
    return;
  }
  take_locked(std::move(batch));
}

void TraceWriter::take_locked(EventBatch&& batch) {
  table_.renumber(batch);
  auto* events = &pending_[batch.rank];
  for (StepEvent& event : batch.events) {
    event.rank = batch.rank;
    move_preview(event, batch.blobs, blobs_);
    events->push_back(event);
    ++pending_events_;
    if (pending_events_ < kBlockEvents && blobs_.size() < kBlockBlobBytes) continue;
    flush_locked();
    events = &pending_[batch.rank];
  }
}

void TraceWriter::flush() {
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void TraceWriter::mark_locked(Definition::Kind kind, std::uint32_t id) {
  const auto& list = table_.lists()[static_cast<std::size_t>(kind)];
  auto& stamps = used_stamp_[static_cast<std::size_t>(kind)];
  if (stamps.size() < list.size() + 1) stamps.resize(list.size() + 1);
  const bool has_parent = kind == Definition::Kind::site || kind == Definition::Kind::phase;
  while (id != 0 && id <= list.size() && stamps[id] != next_block_ + 1) {
    stamps[id] = next_block_ + 1;
    used_[static_cast<std::size_t>(kind)].push_back(id);
    id = has_parent ? list[id - 1].parent : 0;
  }
}

void TraceWriter::mark_used_locked(const StepEvent& event) {
  mark_locked(Definition::Kind::site, event.site);
  mark_locked(Definition::Kind::phase, event.phase);
  mark_locked(Definition::Kind::buffer, event.in_buffer);
  mark_locked(Definition::Kind::buffer, event.out_buffer);
  mark_locked(Definition::Kind::comm, event.comm);
}

void TraceWriter::encode_used_definitions_locked(ByteWriter& out) {
  std::size_t count = 0;
  for (auto& used : used_) {
    ranges::sort(used);
    count += used.size();
  }
  out.put(static_cast<std::uint32_t>(count));
  for (int kind = 0; kind < kDefinitionKinds; ++kind) {
    const auto at = static_cast<std::size_t>(kind);
    for (const auto id : used_[at]) encode(table_.lists()[at][id - 1], out);
    used_[at].clear();
  }
}

void TraceWriter::encode_events_locked(Bytes& raw, std::int64_t& min_ns, std::int64_t& max_ns) {
  std::size_t runs = 0;
  for (const auto& [rank, events] : pending_) {
    runs += (events.size() + kCodecEvents - 1) / kCodecEvents;
    for (const StepEvent& event : events) {
      mark_used_locked(event);
      min_ns = std::min(min_ns, event.time_ns);
      max_ns = std::max(max_ns, event.time_ns);
    }
  }
  ByteWriter out(raw);
  encode_used_definitions_locked(out);
  out.put(static_cast<std::uint32_t>(runs));
  for (const auto& [rank, events] : pending_) {
    for (std::size_t at = 0; at < events.size(); at += kCodecEvents) {
      const auto run = std::span(events).subspan(at, std::min(kCodecEvents, events.size() - at));
      out.put(static_cast<std::uint32_t>(run.size()));
      encode_events(run, out);
      summary_.add(event_blocks_, run);
    }
  }
  out.put_array(std::span<const std::byte>(blobs_));
}

void TraceWriter::flush_locked() {
  if (pending_events_ == 0 || failed_ || closed_) return;
  BlockHeader header;
  header.type = Type::events;
  header.index = next_block_;
  header.events = static_cast<std::uint32_t>(pending_events_);
  header.first_event = events_;
  header.min_time_ns = std::numeric_limits<std::int64_t>::max();
  header.max_time_ns = std::numeric_limits<std::int64_t>::min();
  raw_.clear();
  encode_events_locked(raw_, header.min_time_ns, header.max_time_ns);
  for (auto& [rank, events] : pending_) events.clear();
  blobs_.clear();
  const auto count = std::exchange(pending_events_, 0);
  dropped_ += count;  // until it is written
  write_locked(seal(header, raw_));
  dropped_ -= count;
  events_ += count;
  ++event_blocks_;
}

void TraceWriter::write_meta_locked() {
  BlockHeader header;
  header.type = Type::meta;
  header.index = next_block_;
  header.first_event = events_;
  const auto text = trace_format::meta_to_json(meta_);
  write_locked(seal(header, std::as_bytes(std::span(text.data(), text.size()))));
}

void TraceWriter::write_locked(const Bytes& block) {
  std::size_t done = 0;
  while (done < block.size()) {
    const auto wrote = ::write(file_.get(), block.data() + done, block.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int error = wrote == 0 ? ENOSPC : errno;
      failed_ = true;
      // The partly written block is useless; without it the file ends cleanly.
      if (::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0) { /* readers skip it */
      }
      throw UserError(fmt::format("cannot write the trace {}: {}. {} Its first {} events are kept.",
                                  escaped(path_.string()), reason(error), advice(error), events_));
    }
    done += static_cast<std::size_t>(wrote);
  }
  written_ += block.size();
  ++next_block_;
}

Bytes TraceWriter::end_block_locked() const {
  BlockHeader header;
  header.type = Type::end;
  header.index = next_block_;
  header.first_event = events_;
  if (!summary_.valid() || events_ <= summarised_from_)
    return seal(header, std::as_bytes(std::span(&events_, 1)));
  Bytes raw;
  ByteWriter out(raw);
  summary_.encode(out);
  return trace_format::seal_end(header, events_, raw);
}

void TraceWriter::close(TraceMeta meta) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  flush_locked();
  if (failed_) return;
  meta_ = std::move(meta);
  meta_.complete = true;
  write_meta_locked();
  write_locked(end_block_locked());
  closed_ = true;
  // On stable storage before the trace is announced. Some file systems (pipes, /dev/null) cannot sync, which is not an
  // error.
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) {
    failed_ = true;
    cannot_write(path_, errno);
  }
}

}  // namespace rankscope
