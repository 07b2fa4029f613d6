// Writes small trace files and cuts them into blocks for tests that damage them.
#include "tests/core/trace_files.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include <unistd.h>

#include "tests/support/catch.h"

namespace rankscope::test {

TemporaryFile::TemporaryFile()
    : path_(std::filesystem::temp_directory_path() /
            ("rankscope-test-" + std::to_string(::getpid()) + "-" +
             std::to_string(std::random_device()()) + ".rankscope")) {}

std::string TemporaryFile::read() const {
  std::ifstream in(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void TemporaryFile::write(std::string_view data) const {
  std::ofstream(path_, std::ios::binary) << data;
}

TraceMeta some_meta() {
  TraceMeta meta;
  meta.job.emplace().call.algorithm = "ring";
  meta.program = "rankscope test";
  meta.started = "2024-01-01T00:00:00Z";
  meta.algorithm = "allreduce.ring";
  meta.world_size = 3;
  meta.hosts = {"a", "b", "a"};
  meta.clock_offset_ns = {0, 5, -3};
  meta.sources = {{"ring.cpp", "int main() {}\n\xff"}};
  meta.network = "title = \"a network\"\n";
  return meta;
}

void write_trace(const std::filesystem::path& path, std::vector<EventBatch> batches, int every) {
  TraceWriter writer(path, some_meta());
  int count = 0;
  for (auto& batch : batches) {
    writer.deliver(std::move(batch));
    if (++count % every == 0) writer.flush();
  }
  auto meta = some_meta();
  meta.outcome.emplace().status = JobResult::Status::ok;
  writer.close(meta);
}

Blocks blocks_of(std::string_view data) {
  Blocks blocks;
  for (std::size_t at = 0; at < data.size();) {
    trace_format::BlockHeader header;
    std::memcpy(&header, data.data() + at, sizeof(header));
    blocks.begin.push_back(at);
    blocks.header.push_back(header);
    at += sizeof(header) + static_cast<std::size_t>(header.stored_size);
  }
  return blocks;
}

std::vector<EventBatch> small_batches(const std::vector<EventBatch>& batches, std::size_t size) {
  std::vector<EventBatch> small;
  for (const auto& batch : batches)
    for (std::size_t at = 0; at < batch.events.size(); at += size) {
      EventBatch part;
      part.rank = batch.rank;
      part.epoch = batch.epoch;
      part.blobs = batch.blobs;
      if (at == 0) part.definitions = batch.definitions;
      const auto end = std::min(at + size, batch.events.size());
      part.events.assign(batch.events.begin() + static_cast<std::ptrdiff_t>(at),
                         batch.events.begin() + static_cast<std::ptrdiff_t>(end));
      small.push_back(std::move(part));
    }
  return small;
}

void check_prefix(const Trace& part, const Trace& whole) {
  std::vector<std::vector<const StepEvent*>> recorded(static_cast<std::size_t>(whole.world_size()));
  for (std::uint64_t k = 0; k < whole.size(); ++k)
    recorded[static_cast<std::size_t>(whole[k].rank)].push_back(&whole[k]);
  for (std::uint64_t k = 0; k < part.size(); ++k) {
    const auto& of_rank = recorded.at(static_cast<std::size_t>(part[k].rank));
    REQUIRE(part[k].seq < of_rank.size());
    REQUIRE(part[k].op == of_rank[part[k].seq]->op);
    REQUIRE(part[k].time_ns == of_rank[part[k].seq]->time_ns);
  }
}

}  // namespace rankscope::test
