// Ring attention (Liu, Zaharia, Abbeel: Ring Attention with Blockwise Transformers for Near-Infinite Context, 2023,
// section 3): each rank has some tokens of every sequence, and keeps their queries. Blocks of keys and values go round
// the ring; a rank attends to a block while it sends it on. The softmax over blocks is kept as a running maximum and
// sum (Milakov, Gimelshein: Online normalizer calculation for softmax, 2018, section 3), so that no rank ever has the
// scores of a whole row.
//
//   step    rank 0 attends to    rank 1      rank 2      rank 3     (whose keys and values its queries attend to)
//   0       0, sends it on       1           2           3
//   1       3                    0           1           2
//   2       2                    3           0           1
//   3       1                    2           3           0
//
// Forward that is N-1 messages. Backward the blocks go round again, and after each of them the derivative by its keys
// and values, to which every rank adds its part: N messages, the last of which brings it to its owner.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/training/parallel/form_parts.h"
#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

constexpr std::string_view kForwardRing = "forward: keys and values round the ring";
constexpr std::string_view kBackwardRing = "backward: keys and values round the ring";
constexpr std::string_view kDerivativeRing = "backward: their derivatives round the ring";

/// Keys and values of one rank's tokens, or the derivatives by them: two matrices after each other in a buffer.
template <class T>
class KvBlock {
 public:
  KvBlock(Communicator& comm, std::string_view name, const AttentionShape& shape, Count longest)
      : shape_(shape),
        buffer_(Buffer::allocate(dtype_of<T>(), 2 * shape.batch * longest * shape.width())) {
    comm.watch(name, buffer_);
  }
  void hold(Range tokens) { tokens_ = tokens; }
  Range tokens() const noexcept { return tokens_; }
  Slice slice() const { return buffer_.all().first(2 * elements()); }
  auto keys(Count batch, Count head) const { return head_of_half(0, batch, head); }
  auto values(Count batch, Count head) const { return head_of_half(1, batch, head); }
  Matrix<T> half(int which) const {
    Matrix<T> out(shape_.batch * tokens_.count, shape_.width());
    const auto from = buffer_.as<T>().subspan(static_cast<std::size_t>(which * elements()));
    std::copy_n(from.begin(), out.at.size(), out.at.begin());
    return out;
  }
  void fill(const Matrix<T>& keys, const Matrix<T>& values) {
    ranges::copy(keys.at, buffer_.as<T>().begin());
    ranges::copy(values.at, buffer_.as<T>().begin() + elements());
  }
  void clear() { ranges::fill(slice().template as<T>(), T(0)); }

 private:
  Count elements() const noexcept { return shape_.batch * tokens_.count * shape_.width(); }
  auto head_of_half(int which, Count batch, Count head) const {
    const auto all = buffer_.as<T>().subspan(static_cast<std::size_t>(which * elements()));
    return map_of(all, shape_.batch * tokens_.count, shape_.width())
        .block(batch * tokens_.count, head * shape_.head_width, tokens_.count, shape_.head_width);
  }

  AttentionShape shape_;
  Buffer buffer_;
  Range tokens_;
};

/// The running softmax and result of a rank's queries over the blocks so far.
template <class T>
struct OnlineSoftmax {
  OnlineSoftmax(const AttentionShape& shape)
      : largest(shape.batch * shape.heads, shape.sequence),
        sum(shape.batch * shape.heads, shape.sequence),
        weighted(shape.tokens(), shape.width()) {
    ranges::fill(largest.at, -std::numeric_limits<T>::infinity());
  }
  Matrix<T> largest, sum;  ///< [batch * heads, tokens]
  Matrix<T> weighted;      ///< Weighted sum of the values; [tokens, width]
};

template <class T>
class RingOperators final : public BlockOperators<T> {
 public:
  RingOperators(Communicator& comm, const ParallelSettings& settings)
      : comm_(comm),
        shape_(settings.shape),
        mine_(tokens_of(shape_, comm.size(), comm.rank())),
        longest_(Partition(shape_.sequence, comm.size()).longest()),
        computing_(comm) {}
  Computing& computing() { return computing_; }

  Matrix<T> attend(const BlockShape& block, BlockContext<T>& context) override {
    const AttentionShape shape = block.attention();
    OnlineSoftmax<T> state(shape);
    go_round(kForwardRing, shape, context.qkv, [&](const KvBlock<T>& kv, int) {
      for (Count b = 0; b < shape.batch; ++b)
        for (Count h = 0; h < shape.heads; ++h) take_in(shape, context.qkv.q, kv, b, h, state);
    });
    // Each row's maximum plus the logarithm of its sum: the softmax is recomputed from it.
    context.attention = {Matrix<T>(state.sum.rows, state.sum.cols)};
    for (std::size_t i = 0; i < state.sum.at.size(); ++i)
      context.attention[0].at[i] = state.largest.at[i] + std::log(state.sum.at[i]);
    for (Count b = 0; b < shape.batch; ++b)
      for (Count h = 0; h < shape.heads; ++h)
        for (Count i = 0; i < shape.sequence; ++i)
          for (T& value : head_of_row(shape, state.weighted, b, h, i))
            value /= state.sum(b * shape.heads + h, i);
    return std::move(state.weighted);
  }

  Qkv<T> attend_backward(const BlockShape& block, const BlockContext<T>& context,
                         const Matrix<T>& d_heads) override {
    const AttentionShape shape = block.attention();
    const int n = comm_.size();
    Qkv<T> d;
    d.q = Matrix<T>(shape.tokens(), shape.width());
    KvBlock<T> held(comm_, "derivatives by keys and values", shape, longest_);
    KvBlock<T> next(comm_, "the next block's", shape, longest_);
    held.hold(mine_);
    held.clear();
    go_round(kBackwardRing, shape, context.qkv, [&](const KvBlock<T>& kv, int step) {
      for (Count b = 0; b < shape.batch; ++b)
        for (Count h = 0; h < shape.heads; ++h)
          add_derivatives(shape, context, d_heads, kv, b, h, d.q, held);
      if (n == 1) return;
      computing_.except([&] {
        comm_.touch(held.slice());
        const auto phase = comm_.phase(kDerivativeRing);
        next.hold(tokens_of(shape_, n, wrap(comm_.rank() - step - 1, n)));
        comm_.sendrecv(wrap(comm_.rank() + 1, n), held.slice(), wrap(comm_.rank() - 1, n),
                       next.slice());
      });
      std::swap(held, next);
    });
    d.k = held.half(0);
    d.v = held.half(1);
    return d;
  }

 private:
  /// Calls `use` with each rank's keys and values, the own ones first, while they are sent on.
  template <class Use>
  void go_round(std::string_view line, const AttentionShape& shape, const Qkv<T>& qkv,
                const Use& use) {
    const int n = comm_.size();
    KvBlock<T> held(comm_, "keys and values", shape, longest_);
    KvBlock<T> next(comm_, "the next keys and values", shape, longest_);
    held.hold(mine_);
    held.fill(qkv.k, qkv.v);
    comm_.touch(held.slice());
    for (const int step : steps(n)) {
      Request received, sent;
      if (step + 1 < n)
        computing_.except([&] {
          const auto phase = comm_.phase(line);
          next.hold(tokens_of(shape_, n, wrap(comm_.rank() - step - 1, n)));
          received = comm_.irecv(wrap(comm_.rank() - 1, n), next.slice(), kBlockTag);
          sent = comm_.isend(wrap(comm_.rank() + 1, n), held.slice(), kBlockTag);
        });
      use(held, step);
      if (step + 1 == n) break;
      computing_.except([&] {
        const auto phase = comm_.phase(line);
        comm_.wait(received);
        comm_.wait(sent);
      });
      std::swap(held, next);
    }
  }

  /// Returns how many of the block's keys query `i` sees: those up to its own position.
  Count seen_by(Count i, Range keys) const noexcept {
    return std::clamp<Count>(mine_.offset + i - keys.offset + 1, 0, keys.count);
  }
  static T scale(const AttentionShape& shape) {
    return 1 / std::sqrt(static_cast<T>(shape.head_width));
  }
  static auto rows_of(const AttentionShape& shape, const Matrix<T>& m, Count b, Count h) {
    return map_of(m).block(b * shape.sequence, h * shape.head_width, shape.sequence,
                           shape.head_width);
  }
  /// Returns the numbers of one token in a head.
  static std::span<T> head_of_row(const AttentionShape& shape, Matrix<T>& m, Count b, Count h,
                                  Count token) {
    return m.row(b * shape.sequence + token)
        .subspan(static_cast<std::size_t>(h * shape.head_width),
                 static_cast<std::size_t>(shape.head_width));
  }

  void take_in(const AttentionShape& shape, const Matrix<T>& q, const KvBlock<T>& kv, Count b,
               Count h, OnlineSoftmax<T>& state) const {
    const auto keys = kv.keys(b, h), values = kv.values(b, h);
    Matrix<T> scores(shape.sequence, keys.rows());
    add_product_bt<T>(map_of(scores), rows_of(shape, q, b, h), keys, scale(shape));
    const Count row = b * shape.heads + h;
    for (Count i = 0; i < shape.sequence; ++i) {
      const std::span<T> score = scores.row(i);
      const auto seen = score.first(static_cast<std::size_t>(seen_by(i, kv.tokens())));
      ranges::fill(score.subspan(seen.size()), T(0));
      if (seen.empty()) continue;
      T& largest = state.largest(row, i);
      const T larger = std::max(largest, std::ranges::max(seen));
      const T correction = std::exp(largest - larger);
      take_exponentials(seen, larger);
      largest = larger;
      state.sum(row, i) =
          state.sum(row, i) * correction + std::accumulate(seen.begin(), seen.end(), T(0));
      for (T& value : head_of_row(shape, state.weighted, b, h, i)) value *= correction;
    }
    add_product<T>(
        map_of(state.weighted)
            .block(b * shape.sequence, h * shape.head_width, shape.sequence, shape.head_width),
        map_of(scores), values);
  }

  void add_derivatives(const AttentionShape& shape, const BlockContext<T>& context,
                       const Matrix<T>& d_heads, const KvBlock<T>& kv, Count b, Count h,
                       Matrix<T>& d_q, KvBlock<T>& d_kv) const {
    const auto keys = kv.keys(b, h), values = kv.values(b, h);
    const auto q = rows_of(shape, context.qkv.q, b, h), d_out = rows_of(shape, d_heads, b, h);
    const auto out = rows_of(shape, context.heads, b, h);
    Matrix<T> p(shape.sequence, keys.rows());
    add_product_bt<T>(map_of(p), q, keys, scale(shape));
    for (Count i = 0; i < shape.sequence; ++i) {
      const std::span<T> row = p.row(i);
      const auto seen = row.first(static_cast<std::size_t>(seen_by(i, kv.tokens())));
      take_exponentials(seen, context.attention[0](b * shape.heads + h, i));
      ranges::fill(row.subspan(seen.size()), T(0));
    }
    add_product_at<T>(d_kv.values(b, h), map_of(p), d_out);
    EigenMatrix<T> d_score = EigenMatrix<T>::Zero(p.rows, p.cols);
    add_product_bt<T>(d_score, d_out, values);
    softmax_backward<T>(d_score, map_of(p), d_out, out, scale(shape));
    add_product<T>(map_of(d_q).block(b * shape.sequence, h * shape.head_width, shape.sequence,
                                     shape.head_width),
                   d_score, keys);
    add_product_at<T>(d_kv.keys(b, h), d_score, q);
  }

  static constexpr Tag kBlockTag = 1;  ///< The derivatives have another one, 0.
  Communicator& comm_;
  TransformerShape shape_;
  Range mine_;  ///< This rank's tokens of each sequence.
  Count longest_;
  Computing computing_;
};

void check_ring_attention(const ParallelSettings& settings, int ranks) {
  if (settings.shape.sequence < ranks)
    throw UserError(
        fmt::format("ring attention gives each rank tokens of its own: a sequence of {} "
                    "is too short for {} ranks",
                    settings.shape.sequence, ranks));
}

std::vector<CommunicationLine> ring_attention_lines(const ParallelSettings& settings, int ranks) {
  const TransformerShape& s = settings.shape;
  const Partition tokens(s.sequence, ranks);
  // A rank sends all blocks but its right neighbour's; the last chunk is the shortest one.
  const Count without_shortest = s.sequence - tokens[ranks - 1].count;
  const auto line = [&](std::string_view name, Count messages, Count sequence,
                        std::string_view formula) {
    return CommunicationLine{
        std::string(name),
        "isend, irecv",
        Shape({2, s.batch, tokens.longest(), s.width}).to_string(),
        messages * s.layers,
        static_cast<std::uint64_t>(2 * s.layers * s.batch * sequence * s.width) *
            settings.element_bytes(),
        std::string(formula)};
  };
  constexpr std::string_view kRound = "2L·B·(S - s)·d·E, with s tokens in the shortest part: S/N";
  return {line(kForwardRing, ranks - 1, without_shortest, kRound),
          line(kBackwardRing, ranks - 1, without_shortest, kRound),
          line(kDerivativeRing, ranks > 1 ? ranks : 0, ranks > 1 ? s.sequence : 0, "2L·B·S·d·E"),
          gradients_line(settings, ranks)};
}

template <class T>
StepResult<T> ring_attention_step(Communicator& comm, const ParallelSettings& settings) {
  check_ring_attention(settings, comm.size());
  RingOperators<T> operators(comm, settings);
  return sequence_step<T>(comm, settings, operators, operators.computing());
}

}  // namespace

ParallelForm ring_attention_form() {
  return {.name = "ring-attention",
          .title = "ring attention",
          .divides = "the sequence: each rank has some tokens, and all keys and values come by",
          .source = "Liu, Zaharia, Abbeel: Ring Attention, 2023, section 3",
          .check = check_ring_attention,
          .lines = ring_attention_lines,
          .of_float = {ring_attention_step<float>, serial_step<float>},
          .of_double = {ring_attention_step<double>, serial_step<double>}};
}

}  // namespace rankscope::training
