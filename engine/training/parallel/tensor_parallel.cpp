// Tensor parallel (Shoeybi et al.: Megatron-LM, 2019, section 3): in each half block the first product is divided by
// its outputs and the second one by its inputs, so that each rank has some heads, and some of the MLP's inner width.
// Ranks communicate twice in a half block: they sum up the second product's partial results forward (g), and the
// derivative by the first one's input backward (f).
//
//   half block     first product, by rows of [out, in]    second product, by columns
//   attention      q_proj, k_proj, v_proj: whole heads    o_proj
//   MLP            fc1                                    fc2
//
// Norms, residuals, the biases of o_proj and fc2, embeddings and the head are the same on every rank.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/training/parallel/form_parts.h"

namespace rankscope::training {
namespace {

constexpr std::string_view kForward[] = {"forward: sum after o_proj", "forward: sum after fc2"};
constexpr std::string_view kBackward[] = {"backward: sum before q, k, v",
                                          "backward: sum before fc1"};

template <class T>
class TensorOperators final : public BlockOperators<T> {
 public:
  TensorOperators(Communicator& comm, const ParallelSettings& settings)
      : comm_(comm), allreduce_(settings.allreduce), computing_(comm) {}
  Computing& computing() { return computing_; }

  void complete_forward(HalfBlock half, Matrix<T>& partial) override {
    sum(kForward[static_cast<std::size_t>(half)], partial);
  }
  void complete_backward(HalfBlock half, Matrix<T>& partial) override {
    sum(kBackward[static_cast<std::size_t>(half)], partial);
  }

 private:
  void sum(std::string_view line, Matrix<T>& partial) {
    computing_.except([&] { all_reduce<T>(comm_, allreduce_, line, partial.at); });
  }
  Communicator& comm_;
  const std::string& allreduce_;
  Computing computing_;
};

/// The division of each tensor of a block, by BlockTensor.
enum class Cut : std::uint8_t { none, head_rows, head_cols, inner_rows, inner_cols };
constexpr std::array<Cut, kBlockTensors> kCuts{
    Cut::none,       Cut::none,        // ln1
    Cut::head_rows,  Cut::head_cols,   // q_proj: a bias is one row
    Cut::head_rows,  Cut::head_cols,   // k_proj
    Cut::head_rows,  Cut::head_cols,   // v_proj
    Cut::head_cols,  Cut::none,        // o_proj
    Cut::none,       Cut::none,        // ln2
    Cut::inner_rows, Cut::inner_cols,  // fc1
    Cut::inner_cols, Cut::none,        // fc2
};

/// A rank's part of one tensor.
struct TensorShard {
  const TensorInfo* own;
  const TensorInfo* whole;
  std::size_t offset = 0;  ///< Of the first element in the whole tensor.
};

/// One rank's share of the network.
class TensorPart {
 public:
  TensorPart(const TransformerShape& shape, int ranks, Rank rank)
      : heads_(Partition(shape.heads, ranks)[rank]),
        inner_(Partition(shape.inner, ranks)[rank]),
        block_(shape.block()),
        whole_(shape),
        own_(shape, cut(block_)) {
    const Count first_head = heads_.offset * shape.head_width();
    const auto places = whole_.tensors();
    const std::size_t first = index_of_blocks(), last = places.size() - kHeadTensors;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool in_block = i >= first && i < last;
      const Cut cut = in_block ? kCuts.at((i - first) % kBlockTensors) : Cut::none;
      Count row = 0, col = 0;
      if (cut == Cut::head_rows) row = first_head;
      if (cut == Cut::head_cols) col = first_head;
      if (cut == Cut::inner_rows) row = inner_.offset;
      if (cut == Cut::inner_cols) col = inner_.offset;
      shards_.push_back(
          {&own_.tensors()[i], &places[i], static_cast<std::size_t>(row * places[i].cols + col)});
    }
  }

  const BlockShape& block() const noexcept { return block_; }
  const TransformerLayout& whole() const noexcept { return whole_; }
  const TransformerLayout& own() const noexcept { return own_; }

  /// Returns this rank's elements of a vector of all parameters.
  template <class T>
  AlignedVector<T> own_of(const AlignedVector<T>& all) const {
    AlignedVector<T> out(own_.count());
    for (const TensorShard& one : shards_)
      for (Count r = 0; r < one.own->rows; ++r)
        std::copy_n(all.begin() + position(one.whole->offset + one.offset, r, one.whole->cols),
                    one.own->cols, out.begin() + position(one.own->offset, r, one.own->cols));
    return out;
  }

  template <class T>
  void add_pieces(StepResult<T>& out, const AlignedVector<T>& gradients) const {
    add_gradients<T>(out, own_.tensors(), gradients);
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      out.gradients[i].offset = shards_[i].offset;
      out.gradients[i].stride = static_cast<std::size_t>(shards_[i].whole->cols);
    }
  }

 private:
  static constexpr std::size_t kHeadTensors = 4;
  static std::ptrdiff_t position(std::size_t offset, Count row, Count cols) {
    return static_cast<std::ptrdiff_t>(offset) + row * cols;
  }
  std::size_t index_of_blocks() const {
    const auto first = ranges::find(
        whole_.tensors(), static_cast<std::size_t>(whole_.embedding().end()), &TensorInfo::offset);
    return static_cast<std::size_t>(first - whole_.tensors().begin());
  }
  const BlockShape& cut(BlockShape& block) const {
    block.heads = heads_.count;
    block.inner = inner_.count;
    return block;
  }

  Range heads_, inner_;
  BlockShape block_;
  TransformerLayout whole_, own_;
  std::vector<TensorShard> shards_;
};

void check_tensor(const ParallelSettings& settings, int ranks) {
  const auto [heads, inner] = std::pair(settings.shape.heads, settings.shape.inner);
  if (heads < ranks || inner < ranks)
    throw UserError(
        fmt::format("tensor parallel gives each rank heads and inner width of its own: {} and {} "
                    "are too few for {} ranks; choose more, or fewer ranks",
                    heads, inner, ranks));
}

std::vector<CommunicationLine> tensor_lines(const ParallelSettings& settings, int ranks) {
  const TransformerShape& s = settings.shape;
  std::vector<CommunicationLine> out;
  for (const std::string_view name : {kForward[0], kForward[1], kBackward[1], kBackward[0]})
    out.push_back(collective_line(settings, name, settings.allreduce, Shape({s.tokens(), s.width}),
                                  s.layers, ranks, "L · allreduce of B·S·d·E"));
  return out;
}

template <class T>
StepResult<T> tensor_step(Communicator& comm, const ParallelSettings& settings) {
  check_tensor(settings, comm.size());
  const TransformerShape& shape = settings.shape;
  const TensorPart part(shape, comm.size(), comm.rank());
  const auto parameters = part.own_of(initial_transformer<T>(part.whole(), settings.seed));
  TransformerPart all = whole_transformer(shape, random_tokens(shape, settings.seed));
  all.block = part.block();
  TensorOperators<T> operators(comm, settings);
  Transformer<T> network(shape, std::move(all), operators);
  AlignedVector<T> gradients(parameters.size());
  StepResult<T> out;
  operators.computing().begin("forward");
  add_outputs(out, network.forward(parameters));
  operators.computing().begin("backward");
  network.backward(parameters, std::span(gradients));
  operators.computing().pause();
  part.add_pieces(out, gradients);
  return out;
}

}  // namespace

ParallelForm tensor_form() {
  return {.name = "tensor",
          .title = "tensor parallel",
          .divides = "the layers: each rank has some heads and some of the MLP's inner width",
          .source = "Shoeybi et al.: Megatron-LM, 2019, section 3",
          .check = check_tensor,
          .lines = tensor_lines,
          .of_float = {tensor_step<float>, serial_step<float>},
          .of_double = {tensor_step<double>, serial_step<double>}};
}

}  // namespace rankscope::training
