// Computes the Transformer block, cut by tensor parallelism and by Ulysses, with its typical
// mistakes.
#include "lessons/coding/block_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/training/transformer/layers.h"

namespace rankscope {
namespace {

struct Layers {
  explicit Layers(const std::vector<BlockParameter>& all) : all_(all) {}
  const Matrix& operator()(std::string_view name) const {
    return ranges::find(all_, name, &BlockParameter::name)->values;
  }

 private:
  const std::vector<BlockParameter>& all_;
};

/// Some of a matrix's columns, as a rank has them of its own.
Matrix columns(const Matrix& of, Count from, Count count) {
  Matrix out(of.rows, count);
  for (Count r = 0; r < of.rows; ++r)
    ranges::copy(of.row(r).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count)),
                 out.row(r).begin());
  return out;
}

void add(Matrix& to, const Matrix& other, double times = 1) {
  for (std::size_t i = 0; i < to.at.size(); ++i) to.at[i] += times * other.at[i];
}

Matrix linear(const Matrix& x, const Matrix& w, const Matrix& bias = {}) {
  return training::linear<double>(x, w.at, bias.at);
}

Matrix normed(const Matrix& x, const Matrix& weight, const Matrix& bias) {
  training::NormContext<double> context;
  return training::layer_norm<double>(x, weight.at, bias.at, context);
}

Matrix rectified(Matrix x) {
  for (double& value : x.at) value = std::max(value, 0.0);
  return x;
}

/// Softmax attention among `group` rows after each other, with each head for itself.
Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, Count group, Count heads,
              double scale) {
  Matrix out(q.rows, q.cols);
  const Count each = q.cols / heads;
  std::vector<double> score(static_cast<std::size_t>(group));
  for (Count r = 0; r < q.rows; ++r)
    for (Count head = 0; head < heads; ++head) {
      const Count first = r / group * group;
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (Count j = 0; j < group; ++j) {
        double dot = 0;
        for (Count c = head * each; c < (head + 1) * each; ++c) dot += q(r, c) * k(first + j, c);
        score[static_cast<std::size_t>(j)] = dot / scale;
        largest = std::max(largest, dot / scale);
      }
      for (double& s : score) sum += s = std::exp(s - largest);
      for (Count j = 0; j < group; ++j)
        for (Count c = head * each; c < (head + 1) * each; ++c)
          out(r, c) += score[static_cast<std::size_t>(j)] / sum * v(first + j, c);
    }
  return out;
}

using Sum = TensorParallelFault::Sum;

/// The ranks' parts of a product, put together with bias and residual.
Matrix summed(const std::vector<Matrix>& parts, const Matrix& bias, const Matrix& residual, Sum how,
              std::size_t rank) {
  const auto n = static_cast<double>(parts.size());
  Matrix out(parts[0].rows, parts[0].cols);
  const bool alone = how == Sum::own_part || (how == Sum::only_root && rank != 0);
  if (alone) out = parts[rank];
  else
    for (const Matrix& part : parts) add(out, part, how == Sum::average ? 1 / n : 1);
  const int biases = how == Sum::no_bias ? 0 : how == Sum::bias_each ? static_cast<int>(n) : 1;
  for (int times = 0; times < biases; ++times) training::add_bias<double>(out, bias.at);
  add(out, residual, how == Sum::residual_each ? n : 1);
  return out;
}

Matrix through_fc1(const Layers& layer, const Matrix& x) {
  return rectified(linear(normed(x, layer("ln2.weight"), layer("ln2.bias")), layer("fc1.weight"),
                          layer("fc1.bias")));
}

/// The block after its attention, on one rank.
Matrix rest_of(const Layers& layer, const Matrix& x, const Matrix& context) {
  Matrix mid = linear(context, layer("o_proj.weight"), layer("o_proj.bias"));
  training::add_to(mid, x);
  Matrix out = linear(through_fc1(layer, mid), layer("fc2.weight"), layer("fc2.bias"));
  training::add_to(out, mid);
  return out;
}

}  // namespace

std::vector<BlockParameter> block_parameters(const BlockSize& size, std::uint64_t seed) {
  RandomNumbers random(seed * 2'000'003 + 5);
  // Multiples of 1/256, which every floating-point type holds, of about +-`most`.
  const auto number = [&](double most) {
    return (static_cast<double>(random.below(257)) - 128) / 128 * most;
  };
  std::vector<BlockParameter> out;
  const auto parameter = [&](std::string name, Count rows, Count cols, double middle, double most,
                             bool bias, BlockCut cut) {
    BlockParameter one{std::move(name), Matrix(rows, cols), bias, cut};
    for (double& value : one.values.at) value = middle + number(most);
    out.push_back(std::move(one));
  };
  const Count d = size.width;
  for (const std::string name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    const bool last = name == "o_proj";
    parameter(name + ".weight", d, d, 0, 0.5, false, last ? BlockCut::columns : BlockCut::rows);
    parameter(name + ".bias", 1, d, 0, 1, true, last ? BlockCut::whole : BlockCut::columns);
  }
  parameter("fc1.weight", size.inner, d, 0, 0.5, false, BlockCut::rows);
  parameter("fc1.bias", 1, size.inner, 0, 1, true, BlockCut::columns);
  parameter("fc2.weight", d, size.inner, 0, 0.5, false, BlockCut::columns);
  parameter("fc2.bias", 1, d, 0, 1, true, BlockCut::whole);
  for (const std::string name : {"ln1", "ln2"}) {
    parameter(name + ".weight", 1, d, 1, 0.5, true, BlockCut::whole);
    parameter(name + ".bias", 1, d, 0, 0.5, true, BlockCut::whole);
  }
  return out;
}

std::string shard_name(const BlockParameter& parameter) {
  const auto dot = parameter.name.find('.');
  const std::string layer = parameter.name.substr(0, dot);
  if (parameter.cut == BlockCut::whole) return {};
  if (!parameter.is_bias) return layer + "_shard";
  return layer == "fc1" ? "fc1_bias_shard" : "";
}

Matrix shard_of(const BlockParameter& parameter, int rank, int ranks) {
  const Matrix& whole = parameter.values;
  if (parameter.cut == BlockCut::whole) return whole;
  if (parameter.cut == BlockCut::columns)
    return columns(whole, rank * (whole.cols / ranks), whole.cols / ranks);
  Matrix out(whole.rows / ranks, whole.cols);
  for (Count r = 0; r < out.rows; ++r)
    ranges::copy(whole.row(rank * out.rows + r), out.row(r).begin());
  return out;
}

Matrix only_own(const BlockParameter& parameter, int rank, int ranks) {
  Matrix out = parameter.values;
  if (parameter.cut == BlockCut::whole) return out;
  const bool by_rows = parameter.cut == BlockCut::rows;
  const Count each = (by_rows ? out.rows : out.cols) / ranks;
  for (Count r = 0; r < out.rows; ++r)
    for (Count c = 0; c < out.cols; ++c)
      if ((by_rows ? r : c) / each != rank) out(r, c) = std::numeric_limits<double>::quiet_NaN();
  return out;
}

std::vector<Matrix> tensor_parallel(const BlockSize& size,
                                    const std::vector<BlockParameter>& parameters, const Matrix& x,
                                    const TensorParallelFault& fault) {
  const Layers layer(parameters);
  const Matrix h = normed(x, layer("ln1.weight"), layer("ln1.bias"));
  using Heads = TensorParallelFault::Heads;
  Count heads = size.heads;
  if (fault.heads == Heads::one) heads = size.ranks;
  if (fault.heads == Heads::cut && size.width % (size.heads * size.ranks) == 0) heads *= size.ranks;
  const Count width = fault.scaled_by_shard ? size.width / size.ranks : size.width / size.heads;
  const Matrix context =
      attend(linear(h, layer("q_proj.weight"), layer("q_proj.bias")),
             linear(h, layer("k_proj.weight"), layer("k_proj.bias")),
             linear(h, layer("v_proj.weight"), layer("v_proj.bias")), size.sequence, heads,
             fault.no_scale ? 1 : std::sqrt(static_cast<double>(width)));
  const Count own = size.width / size.ranks, own_inner = size.inner / size.ranks;
  std::vector<Matrix> parts, mid, inner_parts, out;
  for (int r = 0; r < size.ranks; ++r)
    parts.push_back(
        linear(columns(context, r * own, own), columns(layer("o_proj.weight"), r * own, own)));
  for (std::size_t r = 0; r < parts.size(); ++r)
    mid.push_back(summed(parts, layer("o_proj.bias"), x, fault.after_o, r));
  for (int r = 0; r < size.ranks; ++r)
    inner_parts.push_back(linear(
        columns(through_fc1(layer, mid[static_cast<std::size_t>(r)]), r * own_inner, own_inner),
        columns(layer("fc2.weight"), r * own_inner, own_inner)));
  for (std::size_t r = 0; r < parts.size(); ++r)
    out.push_back(summed(inner_parts, layer("fc2.bias"), mid[r], fault.after_fc2, r));
  return out;
}

const std::vector<TensorParallelFault>& tensor_parallel_faults() {
  using Heads = TensorParallelFault::Heads;
  static const std::vector<TensorParallelFault> kFaults = {
      {Sum::bias_each, Sum::bias_each, false, false, "the biases of O and FC2 are added N times"},
      {Sum::bias_each, Sum::right, false, false, "the bias of O is added N times"},
      {Sum::right, Sum::bias_each, false, false, "the bias of FC2 is added N times"},
      {Sum::no_bias, Sum::no_bias, false, false, "the biases of O and FC2 are never added"},
      {Sum::no_bias, Sum::right, false, false, "the bias of O is never added"},
      {Sum::right, Sum::no_bias, false, false, "the bias of FC2 is never added"},
      {Sum::residual_each, Sum::residual_each, false, false, "the residual is added N times"},
      {Sum::residual_each, Sum::right, false, false, "the residual after O is added N times"},
      {Sum::right, Sum::residual_each, false, false, "the residual after FC2 is added N times"},
      {Sum::average, Sum::average, false, false,
       "the ranks' parts are averaged after O and after FC2, not summed"},
      {Sum::average, Sum::right, false, false, "the ranks' parts are averaged after O, not summed"},
      {Sum::right, Sum::average, false, false,
       "the ranks' parts are averaged after FC2, not summed"},
      {Sum::own_part, Sum::own_part, false, false,
       "the sums over the ranks are missing: each has its own part only"},
      {Sum::own_part, Sum::right, false, false, "the sum over the ranks after O is missing"},
      {Sum::right, Sum::own_part, false, false, "the sum over the ranks after FC2 is missing"},
      {Sum::only_root, Sum::only_root, false, false,
       "only rank 0 has the sums over the ranks; the others go on with their own part"},
      {Sum::right, Sum::only_root, false, false,
       "only rank 0 has the sum over the ranks after FC2"},
      {Sum::right, Sum::right, true, false,
       "the scores are divided by the root of the shard's width, not of a head's"},
      {Sum::right, Sum::right, false, true,
       "the scores are not divided by the root of a head's width"},
      {.says = "the heads are cut: each rank attends with parts of all heads, not with whole ones",
       .heads = Heads::cut},
      {.says = "each rank takes all of its heads for a single one", .heads = Heads::one},
  };
  return kFaults;
}

std::vector<Matrix> ulysses(const BlockSize& size, const std::vector<BlockParameter>& parameters,
                            const std::vector<Matrix>& x, const UlyssesFault& fault) {
  using Kind = UlyssesFault::Kind;
  const Layers layer(parameters);
  const Count s = size.sequence, n = size.ranks, own = size.width / n;
  // The whole sequence of each batch: row (b, rank, i).
  const auto row_of = [&](Count b, Count rank, Count i) { return (b * n + rank) * s + i; };
  Matrix whole(size.batch * n * s, size.width);
  for (Count rank = 0; rank < n; ++rank)
    for (Count b = 0; b < size.batch; ++b)
      for (Count i = 0; i < s; ++i)
        for (Count c = 0; c < size.width; ++c)
          whole(row_of(b, rank, i), c) = x[static_cast<std::size_t>(rank)](b * s + i, c);
  const Matrix h = normed(whole, layer("ln1.weight"), layer("ln1.bias"));
  Matrix q = linear(h, layer("q_proj.weight"), layer("q_proj.bias"));
  if (fault.kind == Kind::own_queries) {  // a rank that has the heads asks with its own tokens
    const Matrix all = q;
    for (Count r = 0; r < q.rows; ++r)
      for (Count c = 0; c < q.cols; ++c) q(r, c) = all(row_of(r / (n * s), c / own, r % s), c);
  }
  const Matrix context = attend(q, linear(h, layer("k_proj.weight"), layer("k_proj.bias")),
                                linear(h, layer("v_proj.weight"), layer("v_proj.bias")),
                                fault.kind == Kind::own_keys ? s : n * s, size.heads,
                                std::sqrt(static_cast<double>(size.width / size.heads)));
  std::vector<Matrix> out;
  for (Count rank = 0; rank < n; ++rank) {
    Matrix mine(size.batch * s, size.width);
    for (Count b = 0; b < size.batch; ++b)
      for (Count i = 0; i < s; ++i)
        for (Count c = 0; c < size.width; ++c) {
          Count part = rank, token = i, holder = c / own, column = c % own;
          const Count flat = i * size.width + c;  // where reshape() takes it from
          if (fault.kind == Kind::own_first) {
            holder = (rank - holder + n) % n;
            part = (holder - rank + n) % n;
          } else if (fault.kind == Kind::stays_cut) {
            holder = rank;
            part = flat / own / s;
            token = flat / own % s;
            column = flat % own;
          } else if (fault.kind == Kind::mixed) {
            holder = flat / (s * own);
            token = flat / own % s;
            column = flat % own;
          }
          mine(b * s + i, c) = context(row_of(b, part, token), holder * own + column);
        }
    out.push_back(rest_of(layer, x[static_cast<std::size_t>(rank)], mine));
  }
  return out;
}

const std::vector<UlyssesFault>& ulysses_faults() {
  using Kind = UlyssesFault::Kind;
  static const std::vector<UlyssesFault> kFaults = {
      {Kind::own_keys, "its tokens see only the keys and values of their own part of the sequence"},
      {Kind::own_queries,
       "the queries did not go through an all-to-all: ranks ask with their own tokens only"},
      {Kind::own_first, "the parts are joined with the own one first, not in the order of ranks"},
      {Kind::stays_cut,
       "the all-to-all back from heads to the sequence is missing: it is the own heads of all "
       "tokens"},
      {Kind::mixed,
       "heads and tokens are mixed on the way back: what arrives is joined along the wrong "
       "dimension"},
  };
  return kFaults;
}

}  // namespace rankscope
