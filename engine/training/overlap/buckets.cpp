// Fills buckets from the last layer on.
#include "engine/training/overlap/buckets.h"

#include <fmt/format.h>

namespace rankscope::training {

std::vector<Bucket> gradient_buckets(std::span<const Range> layers, std::size_t element_bytes,
                                     std::uint64_t bucket_bytes) {
  std::vector<Bucket> out;
  bool full = true;
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const Range& range = layers[layer];
    if (full) out.push_back({.range = {range.end(), 0}});
    Bucket& bucket = out.back();
    bucket.range = {range.offset, bucket.range.end() - range.offset};
    bucket.last_layer = layer;
    full = static_cast<std::uint64_t>(bucket.range.count) * element_bytes >= bucket_bytes;
  }
  return out;
}

std::string bucket_name(std::size_t index) { return fmt::format("bucket {}", index + 1); }

}  // namespace rankscope::training
