// Reads and checks the blocks of a trace file, and accounts for damaged or missing ones.
#include "engine/core/trace/trace_blocks.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope::trace_blocks {

using trace_format::BlockHeader;
using trace_format::Type;

InputFile::InputFile(const std::filesystem::path& path) : name_(escaped(path.string())) {
  // Opening a pipe without a writer would block for ever.
  file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0) fail("cannot open");
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file_);
    throw FormatError(fmt::format("{} is not a file. Name a trace (*.rankscope).", name_));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(file_); }

InputFile::Identity InputFile::identity() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail("cannot read");
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::size_t InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got =
        ::pread(file_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void InputFile::fail(std::string_view what) const {
  throw FormatError(fmt::format("{} {}: {}.", what, name_,
                                std::error_code(errno, std::system_category()).message()));
}

Index::Index(const InputFile& file) : file_(file) {
  std::uint64_t at = 0;
  bool in_damage = false;
  while (at < file_.size()) {
    BlockHeader header;
    if (!read_header(at, header)) {
      const auto next = find_magic(at + 1);
      if (!next) {
        cut = true;
        // The rest is the beginning of a block, or damage; either way its size is not known.
        exact = false;
        return;
      }
      if (!std::exchange(in_damage, true)) ++damaged;
      at = *next;
      continue;
    }
    in_damage = false;
    const auto payload = at + sizeof(BlockHeader);
    if (header.stored_size > file_.size() - payload) {
      cut = true;
      cut_events = header.events;
      return;
    }
    blocks.push_back({header, payload, false, {}, {}, {}, {}, {}});
    at = payload + header.stored_size;
  }
}

bool Index::read_header(std::uint64_t at, BlockHeader& header) {
  if (file_.read(at, std::as_writable_bytes(std::span(&header, 1))) != sizeof(header) ||
      header.magic != trace_format::kMagic)
    return false;
  if (header.version > trace_format::kVersion)
    newer_version = std::max(newer_version, header.version);
  return header.version == trace_format::kVersion &&
         header.header_check == trace_format::header_check(header) &&
         trace_format::has_valid_sizes(header);
}

std::optional<std::uint64_t> Index::find_magic(std::uint64_t from) const {
  constexpr auto kMagic = trace_format::kMagic;
  const auto magic = std::as_bytes(std::span(&kMagic, 1));
  Bytes window(std::size_t{1} << 20);
  while (from < file_.size()) {
    const auto got = file_.read(from, window);
    const auto end = window.begin() + static_cast<std::ptrdiff_t>(got);
    const auto found = std::search(window.begin(), end, magic.begin(), magic.end());
    if (found != end) return from + static_cast<std::uint64_t>(found - window.begin());
    if (got < window.size()) break;
    from += got - (magic.size() - 1);
  }
  return std::nullopt;
}

namespace {

void decode_event_block(Block& block, std::span<const std::byte> raw) {
  ByteReader in(raw);
  const auto definitions = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < definitions; ++i)
    block.definitions.push_back(decode_definition(in));
  auto chunk = std::make_shared<EventChunk>(block.header.events);
  auto rest = chunk->events();
  const auto runs = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto count = in.get<std::uint32_t>();
    if (count == 0 || count > kCodecEvents || count > rest.size())
      throw FormatError("a block has another number of events than it says");
    const auto run = rest.first(count);
    decode_events(in, run);
    if (!is_sound(run)) throw FormatError("an event with a field out of range");
    block.runs.emplace_back(run);
    rest = rest.subspan(count);
  }
  if (!rest.empty()) throw FormatError("a block has fewer events than it says");
  const auto blobs = in.take(static_cast<std::size_t>(in.get<std::uint64_t>()));
  chunk->blobs.assign(blobs.begin(), blobs.end());
  block.chunk = std::move(chunk);
}

/// Accepts the same blocks as decode_event_block().
void digest_event_block(Block& block, std::span<const std::byte> raw) {
  ByteReader in(raw);
  const auto definitions = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < definitions; ++i) (void)decode_definition(in);
  std::uint32_t left = block.header.events;
  const auto runs = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto count = in.get<std::uint32_t>();
    if (count == 0 || count > kCodecEvents || count > left)
      throw FormatError("a block has another number of events than it says");
    block.digests.push_back(decode_digest(in, count));
    left -= count;
  }
  if (left != 0) throw FormatError("a block has fewer events than it says");
  (void)in.take(static_cast<std::size_t>(in.get<std::uint64_t>()));
}

void decode(const InputFile& file, Block& block,
            void (*events)(Block&, std::span<const std::byte>)) try {
  Bytes stored(static_cast<std::size_t>(block.header.stored_size));
  if (file.read(block.payload, stored) != stored.size()) return;  // it shrank while we read
  const auto raw = trace_format::unseal(block.header, stored);
  if (block.header.type == Type::meta)
    block.meta =
        trace_format::meta_from_json({reinterpret_cast<const char*>(raw.data()), raw.size()});
  else if (block.header.type == Type::events) events(block, raw);
  block.good = true;
} catch (const FormatError&) {  // counted as damaged
  block.chunk = nullptr;
  block.runs.clear();
  block.definitions.clear();
  block.digests.clear();
}

}  // namespace

void decode(const InputFile& file, Block& block) { decode(file, block, decode_event_block); }
void digest(const InputFile& file, Block& block) { decode(file, block, digest_event_block); }

Account::Account(const Index& index) {
  issues_.damaged_blocks = index.damaged;
  issues_.cut = index.cut;
  issues_.lost_events = index.cut_events;
  issues_.lost_exactly = index.exact;
  issues_.unclosed = true;
}

bool Account::accept(const Block& block) noexcept {
  const bool next = block.good && block.header.first_event >= expected_;
  if (!next) ++issues_.damaged_blocks;
  return next;
}

void Account::enter(const Block& block) noexcept {
  readable_ = true;
  if (block.header.type == Type::end) issues_.unclosed = false;
  issues_.lost_events += block.header.first_event - expected_;
  expected_ = block.header.first_event + block.header.events;
}

TraceIssues Account::finish(const InputFile& file) {
  if (!readable_)
    throw FormatError(fmt::format(
        "nothing in {} is readable: all of its blocks are damaged. Copy the file again (in binary "
        "mode), or record the run again.",
        file.name()));
  if (!issues_.unclosed) issues_.lost_exactly = true;  // the end says how many there were
  return issues_;
}

namespace {

// Looks for keys that every dump has, whether a pickle or JSON.
bool is_flight_recorder_dump(const InputFile& file) {
  std::string head(std::size_t{1} << 16, '\0');
  head.resize(file.read(0, std::as_writable_bytes(std::span(head))));
  return head.find("collective_seq_id") != std::string::npos ||
         head.find("pg_config") != std::string::npos;
}

}  // namespace

void check_readable(const InputFile& file, const Index& index) {
  if (file.size() == 0)
    throw FormatError(
        fmt::format("{} is empty: its recorder was stopped before it wrote anything. "
                    "Record the run again.",
                    file.name()));
  if (index.blocks.empty() && index.newer_version > 0)
    throw FormatError(
        fmt::format("{} was written by a newer rankscope (format {}, this one reads up to {}). "
                    "Update rankscope.",
                    file.name(), index.newer_version, trace_format::kVersion));
  if (index.blocks.empty() && is_flight_recorder_dump(file))
    throw FormatError(
        fmt::format("{} is a dump of torch's Flight Recorder (NCCL), which is not supported yet. "
                    "rankscope reads the traces that it writes: run the program with rankscope "
                    "exec, with backend gloo.",
                    file.name()));
  if (index.blocks.empty() && index.damaged == 0)
    throw FormatError(
        fmt::format("{} is not a rankscope trace, or nothing but its beginning is "
                    "left. Name a *.rankscope file that `rankscope run` wrote.",
                    file.name()));
}

}  // namespace rankscope::trace_blocks
