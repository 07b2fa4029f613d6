// Lays the ranks' elements out over results, for each way in which a collective shares its data.
#include "engine/account/promise.h"

#include <cstdint>

#include "engine/core/base/ranges.h"

namespace rankscope::account {
namespace {

int from_start(int dim, int dims) { return dim < 0 ? dim + dims : dim; }

Shape input_of(const Call& call, Rank rank) {
  return call.counts.empty() ? call.shape
                             : Shape::flat(call.counts[static_cast<std::size_t>(rank)]);
}

int dims_of(const Call& call) { return call.counts.empty() ? call.shape.dims() : 1; }

Range chunk_of(const Call& call, Rank rank) {
  return Partition(input_of(call, call.root).count(), call.ranks)[rank];
}

/// Returns the rank whose data a rank ends with, if nothing is reduced or divided.
Rank source_of(const Call& call, Rank rank) {
  switch (call.collective) {
    case Collective::broadcast: return call.root;
    case Collective::p2p:
    case Collective::p2p_message: return rank <= 1 ? 0 : rank;
    case Collective::p2p_shift: return wrap(rank - 1, call.ranks);
    default: return rank;
  }
}

double bitwise(ReduceOp op, double a, double b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (op == ReduceOp::band) return static_cast<double>(x & y);
  if (op == ReduceOp::bor) return static_cast<double>(x | y);
  return static_cast<double>(x ^ y);
}

double combined(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return a + b;
    case ReduceOp::product: return a * b;
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::max: return std::max(a, b);
    case ReduceOp::band:
    case ReduceOp::bor:
    case ReduceOp::bxor: break;
  }
  return bitwise(op, a, b);
}

}  // namespace

Shape promised_shape(const Call& call, Rank rank) {
  const Shape& shape = call.shape;
  switch (traits(call.collective).out) {
    case Extent::nothing: return Shape::flat(0);
    case Extent::chunk:
      return shape.dims() > 0 && shape[0] % call.ranks == 0
                 ? shape.with(0, shape[0] / call.ranks)
                 : Shape::flat(chunk_of(call, rank).count);
    case Extent::all_at_root:
      if (rank != call.root) return Shape::flat(0);
      [[fallthrough]];
    case Extent::all:
      return shape.dims() > 0 ? shape.with(0, shape[0] * call.ranks)
                              : Shape::flat(shape.count() * call.ranks);
    case Extent::regrouped: {
      const int cut = from_start(call.scatter_dim, shape.dims()),
                join = from_start(call.gather_dim, shape.dims());
      const Shape block = shape.with(cut, Partition(shape[cut], call.ranks)[rank].count);
      return block.with(join, block[join] * call.ranks);
    }
    case Extent::whole:
    case Extent::whole_at_root: break;
  }
  return shape;
}

Contents joined_along(const Call& call, Rank rank, int dim) {
  Contents out;
  for (Count o = 0, rows = 1; o < rows; ++o)
    for (Rank source = 0; source < call.ranks; ++source) {
      const Shape input = input_of(call, source);
      const bool whole = traits(call.collective).out != Extent::regrouped;
      const int cut = whole ? dim : from_start(call.scatter_dim, input.dims());
      const Range chunk = whole ? Range{0, input[dim]} : Partition(input[cut], call.ranks)[rank];
      const Shape block = input.with(cut, chunk.count);
      if (block.count() == 0) continue;
      rows = block.outer(dim);
      const Count run = chunk.count * block.inner(cut), row = block[dim] * block.inner(dim);
      for (Count at = o * row; at < (o + 1) * row;) {
        const Count count = std::min(run - at % run, (o + 1) * row - at);
        const Count first = (at / run * input[cut] + chunk.offset) * block.inner(cut) + at % run;
        append(out, count, Share(source, first));
        at += count;
      }
    }
  return out;
}

Contents promised(const Call& call, Rank rank) {
  const CollectiveTraits& row = traits(call.collective);
  const bool nothing = row.out == Extent::nothing || (row.result_at_root && rank != call.root);
  if (nothing) return {};
  if (row.out == Extent::regrouped || row.counts_all_ranks())
    return joined_along(call, rank,
                        row.counts_all_ranks() ? 0 : from_start(call.gather_dim, dims_of(call)));
  const Range part = row.out == Extent::chunk
                         ? chunk_of(call, rank)
                         : Range{0, input_of(call, source_of(call, rank)).count()};
  Contents out;
  append(out, part.count,
         row.reduces                ? Shares::of_all(call.ranks, part.offset)
         : row.out == Extent::chunk ? Shares(Share(call.root, part.offset))
                                    : Share(source_of(call, rank), 0));
  return out;
}

std::vector<double> promised_values(const Contents& promised,
                                    std::span<const std::vector<double>> inputs, ReduceOp op) {
  std::vector<double> out;
  for (const Stretch& stretch : promised) {
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    for (const Share& share : stretch.shares) {
      const auto from = inputs[static_cast<std::size_t>(share.rank)].begin() + share.element;
      if (std::ssize(out) == begin) {
        out.insert(out.end(), from, from + stretch.elements.count);
        continue;
      }
      for (Count k = 0; k < stretch.elements.count; ++k) {
        double& value = out[static_cast<std::size_t>(begin + k)];
        value = combined(op, value, from[k]);
      }
    }
    if (op == ReduceOp::avg)
      for (Count k = 0; k < stretch.elements.count; ++k)
        out[static_cast<std::size_t>(begin + k)] /= stretch.shares.count();
  }
  return out;
}

}  // namespace rankscope::account
