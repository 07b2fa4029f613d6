// Ulysses (Jacobs et al.: DeepSpeed Ulysses, 2023, section 3): each rank has some tokens of every sequence. Before the
// attention an all-to-all turns "all heads of some tokens" into "some heads of all tokens", and after it another one
// turns its result back.
//
//                              [batch, tokens, heads, head width]
//   q_proj, k_proj, v_proj     [b, s/N, h, w]
//   all-to-all (2, 1)          [b, s, h/N, w]     attention, a head at a time
//   all-to-all (1, 2)          [b, s/N, h, w]     o_proj, MLP
//
// Derivatives go the same way backward. All parameters are on every rank, so their gradients are summed up.
#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/training/parallel/form_parts.h"

namespace rankscope::training {
namespace {

constexpr int kTokens = 1, kHeads = 2;  // dimensions
constexpr std::string_view kToHeads = "forward: q, k, v to heads";
constexpr std::string_view kToTokens = "forward: result to tokens";
constexpr std::string_view kBackToHeads = "backward: its derivative to heads";
constexpr std::string_view kBackToTokens = "backward: those of q, k, v to tokens";

template <class T>
class UlyssesOperators final : public BlockOperators<T> {
 public:
  UlyssesOperators(Communicator& comm, const ParallelSettings& settings)
      : comm_(comm),
        alltoall_(settings.alltoall),
        computing_(comm),
        by_heads_{settings.shape.batch, settings.shape.sequence, settings.shape.heads / comm.size(),
                  settings.shape.head_width()} {}

  Computing& computing() { return computing_; }

  Matrix<T> attend(const BlockShape& shape, BlockContext<T>& context) override {
    const AttentionShape by_tokens = shape.attention();
    Qkv<T> all;
    const auto to_heads = [&](const Matrix<T>& mine) {
      return turn(kToHeads, by_tokens, mine, kHeads, kTokens);
    };
    all.q = to_heads(context.qkv.q);
    all.k = to_heads(context.qkv.k);
    all.v = to_heads(context.qkv.v);
    Matrix<T> probabilities;
    const Matrix<T> out = training::attend(by_heads_, all, probabilities);
    context.attention = {std::move(all.q), std::move(all.k), std::move(all.v),
                         std::move(probabilities)};
    return turn(kToTokens, by_heads_, out, kTokens, kHeads);
  }

  Qkv<T> attend_backward(const BlockShape& shape, const BlockContext<T>& context,
                         const Matrix<T>& d_heads) override {
    const auto& kept = context.attention;
    const Matrix<T> d_out = turn(kBackToHeads, shape.attention(), d_heads, kHeads, kTokens);
    const Qkv<T> d =
        training::attend_backward(by_heads_, {kept[0], kept[1], kept[2]}, kept[3], d_out);
    const auto to_tokens = [&](const Matrix<T>& mine) {
      return turn(kBackToTokens, by_heads_, mine, kTokens, kHeads);
    };
    Qkv<T> out;
    out.q = to_tokens(d.q);
    out.k = to_tokens(d.k);
    out.v = to_tokens(d.v);
    return out;
  }

 private:
  Matrix<T> turn(std::string_view line, const AttentionShape& shape, const Matrix<T>& mine,
                 int scatter_dim, int gather_dim) {
    const Buffer in = Buffer::allocate(
        dtype_of<T>(), Shape({shape.batch, shape.sequence, shape.heads, shape.head_width}));
    ranges::copy(mine.at, in.as<T>().begin());
    const Buffer out = computing_.except(
        [&] { return all_to_all(comm_, alltoall_, line, in, scatter_dim, gather_dim); });
    Matrix<T> turned(out.shape()[0] * out.shape()[1], out.shape()[2] * out.shape()[3]);
    ranges::copy(out.as<T>(), turned.at.begin());
    return turned;
  }

  Communicator& comm_;
  const std::string& alltoall_;
  Computing computing_;
  AttentionShape by_heads_;  ///< This rank's: some heads of all tokens.
};

void check_ulysses(const ParallelSettings& settings, int ranks) {
  const auto divides = [&](Count value, std::string_view what) {
    if (value % ranks != 0)
      throw UserError(
          fmt::format("Ulysses divides the {} evenly: {} ranks do not divide {}; "
                      "choose a multiple, or other ranks",
                      what, ranks, value));
  };
  divides(settings.shape.heads, "heads");
  divides(settings.shape.sequence, "sequence");
}

std::vector<CommunicationLine> ulysses_lines(const ParallelSettings& settings, int ranks) {
  const TransformerShape& s = settings.shape;
  const Shape tokens({s.batch, s.sequence / ranks, s.heads, s.head_width()});
  const Shape heads({s.batch, s.sequence, s.heads / ranks, s.head_width()});
  const auto line = [&](std::string_view name, const Shape& shape, Count calls, int scatter_dim) {
    return collective_line(
        settings, name, settings.alltoall, shape, calls, ranks,
        calls == s.layers ? "L · all-to-all of B·S·d·E/N" : "3L · all-to-all of B·S·d·E/N",
        scatter_dim);
  };
  return {line(kToHeads, tokens, 3 * s.layers, kHeads), line(kToTokens, heads, s.layers, kTokens),
          line(kBackToHeads, tokens, s.layers, kHeads),
          line(kBackToTokens, heads, 3 * s.layers, kTokens), gradients_line(settings, ranks)};
}

template <class T>
StepResult<T> ulysses_step(Communicator& comm, const ParallelSettings& settings) {
  check_ulysses(settings, comm.size());
  UlyssesOperators<T> operators(comm, settings);
  return sequence_step<T>(comm, settings, operators, operators.computing());
}

}  // namespace

ParallelForm ulysses_form() {
  return {.name = "ulysses",
          .title = "Ulysses",
          .divides = "the sequence: each rank has some tokens, and in the attention some heads",
          .source = "Jacobs et al.: DeepSpeed Ulysses, 2023, section 3",
          .check = check_ulysses,
          .lines = ulysses_lines,
          .of_float = {ulysses_step<float>, serial_step<float>},
          .of_double = {ulysses_step<double>, serial_step<double>}};
}

}  // namespace rankscope::training
