// Which layers' gradients are averaged together: buckets as DistributedDataParallel makes them (Li et al., PyTorch
// Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020, section 3.2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/base/partition.h"

namespace rankscope::training {

/// A part of the gradient that is averaged by one allreduce.
struct Bucket {
  Range range;  ///< Elements of the gradient.
  /// The bucket is full when the backward pass has done this layer.
  std::size_t last_layer = 0;
};

/// Buckets in the order in which they become full. `layers` are the layers' ranges in the gradient, first layer first,
/// each behind the one before. The backward pass begins with the last layer, so buckets are filled from there: a
/// bucket is full once it has at least `bucket_bytes`, and the one with the first layer takes what is left. A layer
/// is not divided (there, a parameter is not).
std::vector<Bucket> gradient_buckets(std::span<const Range> layers, std::size_t element_bytes,
                                     std::uint64_t bucket_bytes);

/// "bucket 1" for index 0: the name of its phase in a trace.
std::string bucket_name(std::size_t index);

}  // namespace rankscope::training
