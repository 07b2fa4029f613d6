// Expert parallel (Fedus et al., "Switch Transformers", 2021, section 2; Lepikhin et al., "GShard", 2020, section 3):
// the MLP of each block is a layer of experts, which lie on different ranks; each rank has its own sequences. All other
// parameters, routers too, are on every rank as in data parallelism: their gradients are summed up at the end.
//
//   line of the step    in each block
//   forward             counts, tokens to their experts' ranks, results back
//   backward            derivatives by results to the experts, derivatives by tokens back
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/training/parallel/expert_parallel.h"
#include "engine/training/parallel/form_parts.h"
#include "engine/training/transformer/layers.h"

namespace rankscope::training {
namespace {

constexpr std::string_view kSharedLine = "gradients: sum of what every rank has";

ExpertShape expert_shape(const ParallelSettings& settings) {
  return {settings.shape.width, settings.shape.inner, settings.experts};
}

/// Returns a block's shape without an MLP, of which only fc2.bias remains, for all tokens.
BlockShape without_mlp(BlockShape shape) {
  shape.inner = 0;
  return shape;
}

/// The network's parameters: a Transformer's without its MLPs, then each block's router and experts.
template <class T>
struct ExpertNetwork {
  explicit ExpertNetwork(const ParallelSettings& settings)
      : shape(settings.shape),
        experts(expert_shape(settings)),
        layout(shape, without_mlp(shape.block())),
        parameters(initial_transformer<T>(layout, settings.seed)) {
    RandomNumbers random(settings.seed ^ 0x65787065727473);  // other numbers than the layout's
    for (Count layer = 0; layer < shape.layers; ++layer) {
      AlignedVector<T>& of_layer = layers.emplace_back();
      for (const TensorInfo& one : tensors_of(layer)) {
        const double most = one.rows == 1 ? 0.1 : 1 / std::sqrt(double(one.cols));
        for (std::size_t i = 0; i < one.count(); ++i)
          of_layer.push_back(static_cast<T>(most * (double(random.next() >> 11U) * 0x1p-52 - 1)));
      }
    }
  }

  /// Returns the router's and experts' tensors of a block, with offsets from its router.
  std::vector<TensorInfo> tensors_of(Count layer) const {
    const ExpertShape& s = experts;
    const std::string block = fmt::format("blocks.{}.", layer);
    std::vector<TensorInfo> out{{block + "router.weight", s.experts, s.width, 0}};
    for (int e = 0; e < s.experts; ++e) {
      const std::string expert = fmt::format("{}experts.{}.", block, e);
      std::size_t offset = s.offset_of(e);
      for (auto [name, rows, cols] : {std::tuple{"fc1.weight", s.inner, s.width},
                                      {"fc1.bias", Count{1}, s.inner},
                                      {"fc2.weight", s.width, s.inner}}) {
        out.push_back({expert + name, rows, cols, offset});
        offset += out.back().count();
      }
    }
    return out;
  }

  TransformerShape shape;
  ExpertShape experts;
  TransformerLayout layout;
  AlignedVector<T> parameters;
  std::vector<AlignedVector<T>> layers;
};

/// Puts a layer of experts in place of a block's MLP.
template <class T>
class ExpertOperators : public BlockOperators<T> {
 public:
  Matrix<T> mlp(const BlockShape& /*shape*/, const BlockWeights<T>& weights,
                BlockContext<T>& context) override {
    Matrix<T> y = experts(context.normed2);
    add_bias<T>(y, weights[BlockTensor::fc2_bias]);
    return y;
  }
  Matrix<T> mlp_backward(const BlockShape& /*shape*/, const BlockWeights<T>& /*weights*/,
                         const BlockContext<T>& /*context*/, const Matrix<T>& d_y,
                         const BlockGradients<T>& gradients) override {
    add_bias_backward<T>(d_y, gradients[BlockTensor::fc2_bias]);
    return experts_backward(d_y);
  }

 private:
  virtual Matrix<T> experts(const Matrix<T>& x) = 0;
  virtual Matrix<T> experts_backward(const Matrix<T>& d_y) = 0;
};

template <class T>
class SerialExperts final : public ExpertOperators<T> {
 public:
  SerialExperts(const ExpertShape& shape, std::span<const T> parameters)
      : shape_(shape), parameters_(parameters), gradients_(parameters.size()) {}
  const AlignedVector<T>& gradients() const noexcept { return gradients_; }
  const Routing<T>& routing() const noexcept { return context_.routing; }

 private:
  Matrix<T> experts(const Matrix<T>& x) override {
    return expert_layer<T>(shape_, parameters_, x, context_);
  }
  Matrix<T> experts_backward(const Matrix<T>& d_y) override {
    return expert_layer_backward<T>(shape_, parameters_, context_, d_y, gradients_);
  }
  ExpertShape shape_;
  std::span<const T> parameters_;
  AlignedVector<T> gradients_;
  ExpertLayerContext<T> context_;
};

template <class T>
class ParallelExperts final : public ExpertOperators<T> {
 public:
  /// `parameters`: the whole layer's; the router and own experts are used.
  ParallelExperts(Communicator& comm, const ExpertShape& shape, std::span<const T> parameters)
      : layer_(comm, shape),
        router_(parameters.first(shape.router_parameters())),
        own_begin_(shape.offset_of(static_cast<int>(layer_.own().offset))),
        own_(parameters.subspan(
            own_begin_, static_cast<std::size_t>(layer_.own().count) * shape.parameters_of_one())),
        d_router_(router_.size()),
        d_own_(own_.size()) {}

  std::span<T> router_gradient() noexcept { return d_router_; }
  /// Adds the gradients of own experts.
  void add_pieces(std::span<const TensorInfo> tensors, StepResult<T>& out) const {
    for (TensorInfo one : tensors) {
      if (one.offset < own_begin_ || one.offset >= own_begin_ + d_own_.size()) continue;
      one.offset -= own_begin_;
      add_gradients<T>(out, std::span(&one, 1), d_own_);
    }
  }

 private:
  Matrix<T> experts(const Matrix<T>& x) override {
    return layer_.forward(router_, own_, x, context_);
  }
  Matrix<T> experts_backward(const Matrix<T>& d_y) override {
    return layer_.backward(router_, own_, context_, d_y, d_router_, d_own_);
  }
  ExpertParallel<T> layer_;
  std::span<const T> router_;
  std::size_t own_begin_;
  std::span<const T> own_;
  AlignedVector<T> d_router_, d_own_;
  ExpertParallelContext<T> context_;
};

/// Passes through all layers, forward and backward, for some rows of the batch.
template <class T, class Operators>
class ExpertPasses {
 public:
  ExpertPasses(const ExpertNetwork<T>& network, TransformerPart part,
               const std::vector<std::unique_ptr<Operators>>& operators)
      : network_(network), part_(std::move(part)), contexts_(operators.size()) {
    for (const auto& one : operators) blocks_.emplace_back(without_mlp(part_.block), *one);
  }

  HeadResult<T> forward() {
    Matrix<T> x = embed<T>(network_.shape, parameters(network_.layout.embedding()), part_.tokens,
                           part_.positions);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      x = blocks_[i].forward(parameters(of_block(i)), x, contexts_[i]);
    return head_forward<T>(network_.shape, parameters(network_.layout.head()), x, part_.targets,
                           1 / double(network_.shape.tokens()), head_);
  }
  void backward(std::span<T> gradients) {
    Matrix<T> d = head_backward<T>(network_.shape, parameters(network_.layout.head()), head_,
                                   part_of(gradients, network_.layout.head()));
    for (std::size_t i = blocks_.size(); i-- > 0;)
      d = blocks_[i].backward(parameters(of_block(i)), contexts_[i], d,
                              part_of(gradients, of_block(i)));
    embed_backward<T>(network_.shape, part_.tokens, part_.positions, d,
                      part_of(gradients, network_.layout.embedding()));
  }

 private:
  Range of_block(std::size_t i) const { return network_.layout.block(static_cast<Count>(i)); }
  std::span<const T> parameters(Range range) const {
    return part_of(std::span<const T>(network_.parameters), range);
  }
  const ExpertNetwork<T>& network_;
  TransformerPart part_;
  std::vector<Block<T>> blocks_;
  std::vector<BlockContext<T>> contexts_;
  HeadContext<T> head_;
};

/// Returns the tensors that are not empty.
std::vector<TensorInfo> shared_tensors(const TransformerLayout& layout) {
  std::vector<TensorInfo> out(layout.tensors().begin(), layout.tensors().end());
  std::erase_if(out, [](const TensorInfo& one) { return one.count() == 0; });
  return out;
}

template <class T>
std::vector<std::unique_ptr<SerialExperts<T>>> serial_experts(const ExpertNetwork<T>& network) {
  std::vector<std::unique_ptr<SerialExperts<T>>> out;
  for (const auto& layer : network.layers)
    out.push_back(std::make_unique<SerialExperts<T>>(network.experts, layer));
  return out;
}

/// Returns the number of tokens by block, rank and expert, as the serial network's routers choose.
template <class T>
std::vector<std::vector<std::vector<Count>>> loads_of(const ParallelSettings& settings, int ranks) {
  const ExpertNetwork<T> network(settings);
  const auto experts = serial_experts(network);
  const TokenBatch batch = random_tokens(settings.shape, settings.seed);
  ExpertPasses<T, SerialExperts<T>>(network, whole_transformer(settings.shape, batch), experts)
      .forward();
  std::vector<std::vector<std::vector<Count>>> out;
  for (const auto& layer : experts) {
    auto& of_layer = out.emplace_back();
    auto at = layer->routing().experts.begin();
    for (Rank rank = 0; rank < ranks; ++rank) {
      auto& load = of_layer.emplace_back(static_cast<std::size_t>(settings.experts));
      Count tokens = Partition(settings.shape.batch, ranks)[rank].count * settings.shape.sequence;
      for (; tokens > 0; --tokens) ++load[static_cast<std::size_t>(*at++)];
    }
  }
  return out;
}

void check_experts(const ParallelSettings& settings, int ranks) {
  check_own_sequences(settings.shape, ranks);
  expert_shape(settings).validate();
  check_expert_ranks(settings.experts, ranks);
}

std::vector<CommunicationLine> expert_lines(const ParallelSettings& settings, int ranks) {
  const auto loads =
      settings.float64 ? loads_of<double>(settings, ranks) : loads_of<float>(settings, ranks);
  std::vector<ExpertTraffic> of_rank(static_cast<std::size_t>(ranks));
  for (const auto& load : loads)
    for (Rank rank = 0; rank < ranks; ++rank)
      of_rank[static_cast<std::size_t>(rank)] += expert_traffic(load, rank);
  const auto most = [&](Count ExpertTraffic::*what) {
    return static_cast<std::uint64_t>(std::ranges::max(of_rank, {}, what).*what);
  };
  const auto line = [&](std::string_view name, std::string shape, std::uint64_t bytes,
                        std::string formula) {
    return CommunicationLine{.name = std::string(name),
                             .verb = "send, recv",
                             .shape = std::move(shape),
                             .calls = settings.shape.layers,
                             .bytes = bytes,
                             .formula = std::move(formula)};
  };
  const std::uint64_t row =
      static_cast<std::uint64_t>(settings.shape.width) * settings.element_bytes();
  const std::string rows = fmt::format("[its tokens, {}]", settings.shape.width);
  const std::string away = "d·E for each own token whose expert is elsewhere",
                    back = "d·E for each token of others whose expert is here";
  const ExpertShape experts = expert_shape(settings);
  const auto shared = static_cast<Count>(
      TransformerLayout(settings.shape, without_mlp(settings.shape.block())).count() +
      static_cast<std::size_t>(settings.shape.layers) * experts.router_parameters());
  return {line(kExpertCounts, fmt::format("[{}]", settings.experts),
               most(&ExpertTraffic::counts) * sizeof(Count),
               "8 bytes for each expert elsewhere, L times"),
          line(kExpertTokens, rows, most(&ExpertTraffic::away) * row, away),
          line(kExpertResults, rows, most(&ExpertTraffic::back) * row, back),
          loss_line(settings, ranks),
          line(kExpertDerivatives, rows, most(&ExpertTraffic::away) * row, away),
          line(kExpertBack, rows, most(&ExpertTraffic::back) * row, back),
          collective_line(settings, kSharedLine, settings.allreduce, Shape({shared}), 1, ranks,
                          fmt::format("allreduce of {}·E", shared))};
}

std::vector<MemoryLine> expert_memory(const ParallelSettings& settings, int ranks) {
  const ExpertShape shape = expert_shape(settings);
  const std::size_t layers = static_cast<std::size_t>(settings.shape.layers);
  const std::size_t shared =
      TransformerLayout(settings.shape, without_mlp(settings.shape.block())).count() +
      layers * shape.router_parameters();
  const auto with = [&](Count experts) {
    return shared + layers * static_cast<std::size_t>(experts) * shape.parameters_of_one();
  };
  return {{"parameters, and as many gradients", with(Partition(shape.experts, ranks).longest()),
           with(shape.experts), "what every rank has, and ⌈X/N⌉ of X experts in each block"}};
}

template <class T>
StepResult<T> serial_expert_step(const ParallelSettings& settings) {
  const ExpertNetwork<T> network(settings);
  const auto experts = serial_experts(network);
  ExpertPasses<T, SerialExperts<T>> passes(
      network, whole_transformer(settings.shape, random_tokens(settings.shape, settings.seed)),
      experts);
  AlignedVector<T> gradients(network.parameters.size());
  StepResult<T> out;
  add_outputs(out, passes.forward());
  passes.backward(gradients);
  add_gradients<T>(out, shared_tensors(network.layout), gradients);
  for (std::size_t i = 0; i < experts.size(); ++i)
    add_gradients<T>(out, network.tensors_of(static_cast<Count>(i)), experts[i]->gradients());
  return out;
}

template <class T>
StepResult<T> expert_step(Communicator& comm, const ParallelSettings& settings) {
  check_experts(settings, comm.size());
  const ExpertNetwork<T> network(settings);
  std::vector<std::unique_ptr<ParallelExperts<T>>> experts;
  for (const auto& layer : network.layers)
    experts.push_back(std::make_unique<ParallelExperts<T>>(comm, network.experts, layer));
  ExpertPasses<T, ParallelExperts<T>> passes(
      network,
      own_sequences(settings.shape, random_tokens(settings.shape, settings.seed), comm.size(),
                    comm.rank()),
      experts);
  StepResult<T> out;
  add_own_outputs(comm, settings, passes.forward(), out);

  const std::size_t base = network.parameters.size(), router = network.experts.router_parameters();
  AlignedVector<T> shared(base + experts.size() * router);
  passes.backward(std::span(shared).first(base));
  for (std::size_t i = 0; i < experts.size(); ++i)
    ranges::copy(experts[i]->router_gradient(),
                 shared.begin() + static_cast<std::ptrdiff_t>(base + i * router));
  all_reduce<T>(comm, settings.allreduce, kSharedLine, shared);

  add_gradients<T>(out, shared_tensors(network.layout), shared);
  for (std::size_t i = 0; i < experts.size(); ++i) {
    const auto tensors = network.tensors_of(static_cast<Count>(i));
    add_gradients<T>(out, std::span(tensors).first(1),
                     std::span<const T>(shared).subspan(base + i * router));
    experts[i]->add_pieces(tensors, out);
  }
  return out;
}

}  // namespace

ParallelForm expert_form() {
  return {.name = "experts",
          .title = "expert parallel",
          .divides =
              "batch and experts: a token goes to the rank of the expert that its router chooses",
          .source =
              "Fedus et al.: Switch Transformers, 2021, section 2; Lepikhin et al.: GShard, 2020, "
              "section 3",
          .check = check_experts,
          .lines = expert_lines,
          .of_float = {expert_step<float>, serial_expert_step<float>},
          .of_double = {expert_step<double>, serial_expert_step<double>},
          .memory = expert_memory};
}

}  // namespace rankscope::training
