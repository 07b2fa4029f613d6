// Sharded parameters (Rajbhandari et al., "ZeRO", SC 2020, section 5.3: stage 3; also FSDP, Zhao et al. 2023): each
// rank has its own sequences of the batch, as in data parallelism, but only 1/N of each block's parameters, gradients
// and optimiser's numbers. A block is gathered before each use, forward and backward, and dropped after it; its
// gradients are reduced at once to the ranks that own them.
//
// The embedding is used forward only, as its derivative does not need it, and nothing else is gathered between the
// head's two passes, so each of them is gathered once. With P elements in blocks a rank sends 3 P (N-1)/N elements, in
// data parallelism 2 P (N-1)/N (section 7.2.2).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/training/parallel/form_parts.h"

namespace rankscope::training {
namespace {

constexpr std::string_view kGatherEmbedding = "forward: gather the embedding",
                           kGatherBlock = "forward: gather each block",
                           kGatherHead = "forward: gather the head",
                           kScatterHead = "backward: reduce-scatter the head's gradient",
                           kGatherAgain = "backward: gather each block again",
                           kScatterBlock = "backward: reduce-scatter each block's gradient",
                           kScatterEmbedding = "backward: reduce-scatter the embedding's gradient";

/// Parameters that are gathered together. Each rank owns `each` elements, of which the last may be padding.
struct ShardUnit {
  ShardUnit(Range r, int ranks) : range(r), each((r.count + ranks - 1) / ranks) {}
  Range range;  ///< In the vector of all parameters.
  Count each;
  Count padded(int ranks) const noexcept { return each * ranks; }
  /// Returns the part that `rank` owns, in the vector of all parameters.
  Range of(Rank rank) const noexcept {
    const Count begin = std::min(range.offset + rank * each, range.end());
    return {begin, std::min(begin + each, range.end()) - begin};
  }
};

std::vector<ShardUnit> units_of(const TransformerShape& shape, int ranks) {
  const TransformerLayout layout(shape);
  std::vector<ShardUnit> out{{layout.embedding(), ranks}};
  for (Count layer = 0; layer < shape.layers; ++layer) out.emplace_back(layout.block(layer), ranks);
  out.emplace_back(layout.head(), ranks);
  return out;
}

template <class T>
class ShardedStep {
 public:
  ShardedStep(Communicator& comm, const ParallelSettings& settings)
      : comm_(comm),
        settings_(settings),
        shape_(settings.shape),
        layout_(shape_),
        units_(units_of(shape_, comm.size())),
        part_(
            own_sequences(shape_, random_tokens(shape_, settings.seed), comm.size(), comm.rank())),
        block_(part_.block, operators_) {
    const auto all = initial_transformer<T>(layout_, settings.seed);
    for (const ShardUnit& unit : units_) {
      const auto own = part_of(std::span<const T>(all), unit.of(comm.rank()));
      AlignedVector<T>& shard = shards_.emplace_back(own.begin(), own.end());
      shard.resize(static_cast<std::size_t>(unit.each));
      gradients_.emplace_back(shard.size());
    }
  }

  StepResult<T> run() {
    StepResult<T> out;
    Matrix<T> d = backward_of_head(forward(), out);
    for (std::size_t layer = contexts_.size(); layer-- > 0;) {
      const auto parameters = gather(layer + 1, kGatherAgain);
      auto gradient = empty_gradient(layer + 1);
      {
        const ComputeSpan span(comm_, fmt::format("backward, block {}", layer));
        d = block_.backward(of_unit<const T>(parameters, layer + 1), contexts_[layer], d,
                            of_unit<T>(gradient, layer + 1));
      }
      scatter(layer + 1, kScatterBlock, gradient);
    }
    auto gradient = empty_gradient(0);
    {
      const ComputeSpan span(comm_, "backward, embedding");
      embed_backward<T>(shape_, part_.tokens, part_.positions, d, of_unit<T>(gradient, 0));
    }
    scatter(0, kScatterEmbedding, gradient);
    add_gradient_shards(out);
    return out;
  }

 private:
  Matrix<T> forward() {
    Matrix<T> x;
    {
      const auto parameters = gather(0, kGatherEmbedding);
      const ComputeSpan span(comm_, "forward, embedding");
      x = embed<T>(shape_, of_unit<const T>(parameters, 0), part_.tokens, part_.positions);
    }
    contexts_.resize(static_cast<std::size_t>(shape_.layers));
    for (std::size_t layer = 0; layer < contexts_.size(); ++layer) {
      const auto parameters = gather(layer + 1, kGatherBlock);
      const ComputeSpan span(comm_, fmt::format("forward, block {}", layer));
      x = block_.forward(of_unit<const T>(parameters, layer + 1), x, contexts_[layer]);
    }
    return x;
  }

  Matrix<T> backward_of_head(const Matrix<T>& x, StepResult<T>& out) {
    const std::size_t head = units_.size() - 1;
    const auto parameters = gather(head, kGatherHead);
    auto gradient = empty_gradient(head);
    HeadContext<T> context;
    HeadResult<T> result;
    Matrix<T> d;
    {
      const ComputeSpan span(comm_, "forward and backward, head");
      result = head_forward<T>(shape_, of_unit<const T>(parameters, head), x, part_.targets,
                               1 / double(shape_.tokens()), context);
      d = head_backward<T>(shape_, of_unit<const T>(parameters, head), context,
                           of_unit<T>(gradient, head));
    }
    add_own_outputs(comm_, settings_, std::move(result), out);
    scatter(head, kScatterHead, gradient);
    return d;
  }

  AlignedVector<T> gather(std::size_t unit, std::string_view line) {
    auto all = empty_gradient(unit);
    all_gather<T>(comm_, settings_.allgather, line, shards_[unit], all);
    return all;
  }
  void scatter(std::size_t unit, std::string_view line, const AlignedVector<T>& gradient) {
    reduce_scatter<T>(comm_, settings_.reduce_scatter, line, gradient, gradients_[unit]);
  }
  AlignedVector<T> empty_gradient(std::size_t unit) const {
    return AlignedVector<T>(static_cast<std::size_t>(units_[unit].padded(comm_.size())));
  }
  /// Returns the elements without the padding.
  template <class U, class Vector>
  std::span<U> of_unit(Vector& padded, std::size_t unit) const {
    return std::span<U>(padded).first(static_cast<std::size_t>(units_[unit].range.count));
  }

  /// Adds the own shards, cut where tensors end.
  void add_gradient_shards(StepResult<T>& out) const {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const Range own = units_[i].of(comm_.rank());
      for (const TensorInfo& tensor : layout_.tensors()) {
        const auto offset = static_cast<Count>(tensor.offset);
        const Count begin = std::max(own.offset, offset),
                    end = std::min(own.end(), offset + static_cast<Count>(tensor.count()));
        if (begin >= end) continue;
        Matrix<T> values(1, end - begin);
        std::copy_n(gradients_[i].begin() + (begin - own.offset), end - begin, values.at.begin());
        out.gradients.push_back({tensor.name, std::move(values),
                                 static_cast<std::size_t>(begin - offset),
                                 static_cast<std::size_t>(end - begin)});
      }
    }
  }

  Communicator& comm_;
  const ParallelSettings& settings_;
  TransformerShape shape_;
  TransformerLayout layout_;
  std::vector<ShardUnit> units_;  ///< Embedding, blocks, head.
  TransformerPart part_;
  BlockOperators<T> operators_;
  Block<T> block_;
  std::vector<AlignedVector<T>> shards_, gradients_;  ///< By unit.
  std::vector<BlockContext<T>> contexts_;
};

void check_sharded(const ParallelSettings& settings, int ranks) {
  check_own_sequences(settings.shape, ranks);
}

std::vector<CommunicationLine> sharded_lines(const ParallelSettings& settings, int ranks) {
  const auto units = units_of(settings.shape, ranks);
  const ShardUnit &embedding = units.front(), &block = units[1], &head = units.back();
  const Count layers = settings.shape.layers;
  const auto gather = [&](std::string_view name, const ShardUnit& unit, Count calls) {
    return collective_line(
        settings, name, settings.allgather, Shape({unit.each}), calls, ranks,
        fmt::format("{}allgather of ⌈{}/N⌉·E", calls > 1 ? "L · " : "", unit.range.count));
  };
  const auto scatter = [&](std::string_view name, const ShardUnit& unit, Count calls) {
    return collective_line(
        settings, name, settings.reduce_scatter, Shape({unit.padded(ranks)}), calls, ranks,
        fmt::format("{}reduce-scatter of N·⌈{}/N⌉·E", calls > 1 ? "L · " : "", unit.range.count));
  };
  return {gather(kGatherEmbedding, embedding, 1), gather(kGatherBlock, block, layers),
          gather(kGatherHead, head, 1),           loss_line(settings, ranks),
          scatter(kScatterHead, head, 1),         gather(kGatherAgain, block, layers),
          scatter(kScatterBlock, block, layers),  scatter(kScatterEmbedding, embedding, 1)};
}

std::vector<MemoryLine> sharded_memory(const ParallelSettings& settings, int ranks) {
  std::uint64_t all = 0, own = 0, largest = 0;
  for (const ShardUnit& unit : units_of(settings.shape, ranks)) {
    all += static_cast<std::uint64_t>(unit.range.count);
    own += static_cast<std::uint64_t>(unit.each);
    largest = std::max(largest, static_cast<std::uint64_t>(unit.padded(ranks)));
  }
  return {
      {"parameters, and as many gradients", own, all, "Σ ⌈P_unit/N⌉ over embedding, blocks, head"},
      {"gathered for a while, and its gradient", largest, 0, "N·⌈P_unit/N⌉ of the largest"}};
}

template <class T>
StepResult<T> sharded_step(Communicator& comm, const ParallelSettings& settings) {
  check_sharded(settings, comm.size());
  return ShardedStep<T>(comm, settings).run();
}

}  // namespace

ParallelForm sharded_form() {
  return {
      .name = "sharded",
      .title = "sharded parameters",
      .divides =
          "batch and parameters: a block is gathered to be used, its gradient reduced to shards",
      .source = "Rajbhandari et al.: ZeRO, SC 2020, section 5.3",
      .check = check_sharded,
      .lines = sharded_lines,
      .of_float = {sharded_step<float>, serial_step<float>},
      .of_double = {sharded_step<double>, serial_step<double>},
      .memory = sharded_memory};
}

}  // namespace rankscope::training
