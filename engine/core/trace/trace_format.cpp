// Seals blocks with checksums, checks headers, and converts metadata to JSON and back.
#include "engine/core/trace/trace_format.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>
#include <zstd.h>

#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/old_algorithms.h"

namespace rankscope::trace_format {
namespace {

constexpr int kLevel = 1;

// Returns the number of bytes to add so that the block keeps the header's bounds.
std::size_t missing_bytes(const BlockHeader& header, std::size_t stored) noexcept {
  std::uint64_t least = (header.events + kMostEventsPerByte - 1) / kMostEventsPerByte;
  if (header.raw_size > kFreeExpansion)
    least = std::max(least, (header.raw_size - kFreeExpansion) / kMostExpansion + 1);
  return least > stored ? static_cast<std::size_t>(least) - stored : 0;
}

void pad(Bytes& block, std::size_t bytes) {
  constexpr std::size_t kFrameHead = 8;
  const auto content = bytes > kFrameHead ? bytes - kFrameHead : 0;
  ByteWriter out(block);
  out.put(static_cast<std::uint32_t>(ZSTD_MAGIC_SKIPPABLE_START));
  out.put(static_cast<std::uint32_t>(content));
  block.resize(block.size() + content);
}

struct Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }
};

}  // namespace

std::uint64_t checksum(std::span<const std::byte> data) noexcept {
  return XXH3_64bits(data.data(), data.size());
}

std::uint32_t header_check(BlockHeader header) noexcept {
  header.header_check = 0;
  return static_cast<std::uint32_t>(checksum(std::as_bytes(std::span(&header, 1))));
}

bool has_valid_sizes(const BlockHeader& header) noexcept {
  if (header.type < Type::meta || header.type > Type::end || header.codec > Codec::zstd)
    return false;
  if (header.raw_size > kMostRawSize || header.events > kMostEvents) return false;
  if (header.type != Type::events && header.events > 0) return false;
  if (header.codec == Codec::none && header.raw_size != header.stored_size) return false;
  return missing_bytes(header, header.stored_size) == 0;
}

Bytes seal(BlockHeader header, std::span<const std::byte> raw) {
  header.raw_size = raw.size();
  Bytes block(sizeof(BlockHeader) + ZSTD_compressBound(raw.size()));
  thread_local Compressor compressor;
  const auto size =
      ZSTD_compressCCtx(compressor.context, block.data() + sizeof(BlockHeader),
                        block.size() - sizeof(BlockHeader), raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(size) || size >= raw.size()) {
    header.codec = Codec::none;
    block.resize(sizeof(BlockHeader) + raw.size());
    ranges::copy(raw, block.begin() + sizeof(BlockHeader));
  } else {
    header.codec = Codec::zstd;
    block.resize(sizeof(BlockHeader) + size);
    if (const auto missing = missing_bytes(header, size); missing > 0) pad(block, missing);
  }
  const auto stored = std::span<const std::byte>(block).subspan(sizeof(BlockHeader));
  header.stored_size = stored.size();
  header.checksum = checksum(stored);
  header.header_check = header_check(header);
  std::memcpy(block.data(), &header, sizeof(header));
  return block;
}

Bytes unseal(const BlockHeader& header, std::span<const std::byte> stored) {
  if (checksum(stored) != header.checksum) throw FormatError("a block fails its checksum");
  if (header.codec == Codec::none) return {stored.begin(), stored.end()};
  Bytes raw(static_cast<std::size_t>(header.raw_size));
  const auto size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != raw.size()) throw FormatError("a block does not decompress");
  return raw;
}

namespace {

constexpr std::uint32_t kSummaryFrame =
    ZSTD_MAGIC_SKIPPABLE_START + 1;  // padding has the first one
constexpr std::uint64_t kMostSummary = std::uint64_t{128} << 20;

void append_zstd(std::span<const std::byte> raw, Bytes& to) {
  const auto from = to.size();
  to.resize(from + ZSTD_compressBound(raw.size()));
  const auto size =
      ZSTD_compress(to.data() + from, to.size() - from, raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(size)) throw FormatError("a block cannot be compressed");
  to.resize(from + size);
}

}  // namespace

Bytes seal_end(BlockHeader header, std::uint64_t events, std::span<const std::byte> summary) {
  Bytes stored;
  append_zstd(std::as_bytes(std::span(&events, 1)), stored);
  Bytes content;
  ByteWriter out(content);
  out.put(kSummaryMagic);
  out.put(static_cast<std::uint64_t>(summary.size()));
  append_zstd(summary, content);
  ByteWriter frame(stored);
  frame.put(kSummaryFrame);
  frame.put(static_cast<std::uint32_t>(content.size()));
  frame.put_raw(content);
  header.codec = Codec::zstd;
  header.raw_size = sizeof(events);
  header.stored_size = stored.size();
  header.checksum = checksum(stored);
  header.header_check = header_check(header);
  Bytes block;
  ByteWriter whole(block);
  whole.put(header);
  whole.put_raw(stored);
  return block;
}

Bytes summary_in_end(const BlockHeader& header, std::span<const std::byte> stored) try {
  if (header.codec != Codec::zstd || checksum(stored) != header.checksum) return {};
  const auto first = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
  if (ZSTD_isError(first)) return {};
  ByteReader in(stored);
  in.take(first);
  if (in.get<std::uint32_t>() != kSummaryFrame) return {};
  ByteReader content(in.take(in.get<std::uint32_t>()));
  if (content.get<std::uint64_t>() != kSummaryMagic) return {};
  const auto raw_size = content.get<std::uint64_t>();
  const auto packed = content.take(content.left());
  if (raw_size > kMostSummary || raw_size / kMostExpansion > packed.size()) return {};
  Bytes raw(static_cast<std::size_t>(raw_size));
  const auto size = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
  return ZSTD_isError(size) || size != raw.size() ? Bytes{} : raw;
} catch (const FormatError&) {  // cut
  return {};
}

std::string meta_to_json(const TraceMeta& meta) {
  nlohmann::json sources = nlohmann::json::array();
  for (const auto& [name, text] : meta.sources) sources.push_back({{"name", name}, {"text", text}});
  nlohmann::json json{{"job", job_text(meta)},         {"result", result_text(meta)},
                      {"program", meta.program},       {"started", meta.started},
                      {"algorithm", meta.algorithm},   {"world_size", meta.world_size},
                      {"hosts", meta.hosts},           {"clock_offset_ns", meta.clock_offset_ns},
                      {"sources", std::move(sources)}, {"lost_events", meta.lost_events},
                      {"complete", meta.complete}};
  if (!meta.network.empty()) json["network"] = meta.network;
  if (meta.in_network) json["in_network"] = true;
  if (!meta.record.empty()) json["record"] = meta.record;
  if (meta.collective) json["collective"] = traits(*meta.collective).key;
  // A student's file may contain any bytes.
  return dump_json(json);
}

TraceMeta meta_from_json(std::string_view text) try {
  const auto json = parse_json(text);
  TraceMeta meta;
  meta.world_size = json.value("world_size", 0);
  read_job_text(json.value("job", ""), meta);
  read_result_text(json.value("result", ""), meta);
  meta.program = json.value("program", "");
  meta.started = json.value("started", "");
  meta.algorithm = json.value("algorithm", "");
  meta.collective = json.contains("collective") ? collective_of_key(json.value("collective", ""))
                                                : collective_of_old_trace(meta);
  meta.hosts = json.value("hosts", meta.hosts);
  meta.clock_offset_ns = json.value("clock_offset_ns", meta.clock_offset_ns);
  for (const auto& source : json.value("sources", nlohmann::json::array()))
    meta.sources.emplace_back(source.value("name", ""), source.value("text", ""));
  meta.network = json.value("network", "");
  meta.in_network = json.value("in_network", false);
  meta.record = json.value("record", "");
  meta.lost_events = json.value("lost_events", std::uint64_t{0});
  meta.complete = json.value("complete", false);
  return meta;
} catch (const nlohmann::json::exception& e) {
  throw FormatError(fmt::format("the description of the job is damaged: {}", e.what()));
}

}  // namespace rankscope::trace_format
