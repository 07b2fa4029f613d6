// Computes inputs and outputs, serially and naively on purpose: it shares nothing with the algorithms but the
// definition of what a collective does. Outputs are computed piece by piece, so that memory stays near one output.
#include "engine/collectives/oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// Which numbers an input has.
struct InputKind {
  InputPattern pattern;
  std::uint64_t seed;
  Rank rank;
  int n;
  ReduceOp op;
  Count count;                          ///< Elements of the whole input.
  std::span<const double> values = {};  ///< This rank's, of pattern `given`.
};

// The pattern's hash: 32-bit arithmetic without branches, so that the loops below are vectorised.
inline std::uint32_t hash(std::uint32_t x) noexcept {
  x ^= x >> 15;
  x *= 0x2C1B3C6DU;
  x ^= x >> 12;
  x *= 0x297A2D39U;
  x ^= x >> 15;
  return x;
}

std::uint32_t key_of(const InputKind& kind) noexcept {
  const auto low = static_cast<std::uint32_t>(kind.seed);
  const auto high = static_cast<std::uint32_t>(kind.seed >> 32);
  return hash(low ^ hash(high ^ hash(static_cast<std::uint32_t>(kind.rank) + 0x9E3779B9U)));
}

template <class T, class Value>
void fill_hashed(std::span<T> out, const InputKind& kind, Count offset, Value value) {
  const std::uint32_t key = key_of(kind);
  const auto first = static_cast<std::uint32_t>(offset);  // repeats after 2^32 elements
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = value(hash((first + static_cast<std::uint32_t>(i)) * 0x9E3779B9U + key));
}

// Integers in [-128, 127] (uint8: 0 to 255). For PRODUCT, odd numbers, which no integer type loses to
// zero, and for floats 1, 2 and 1/2 with a sign, so that products stay exact and finite.
template <class T>
void fill_exact(std::span<T> out, const InputKind& kind, Count offset) {
  if (kind.op != ReduceOp::product) {
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      return static_cast<T>(static_cast<std::int32_t>(h & 255U) -
                            (std::is_same_v<T, std::uint8_t> ? 0 : 128));
    });
  } else if constexpr (std::is_integral_v<T>) {
    fill_hashed(out, kind, offset, [](std::uint32_t h) { return static_cast<T>((h & 7U) | 1U); });
  } else {
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      // A half, 1 (twice as often) or 2, so that no product is rounded; and a sign.
      const auto power = static_cast<T>((h & 3U) == 0 ? 0.5 : (h & 3U) == 1 ? 2.0 : 1.0);
      return (h & 4U) != 0 ? -power : power;
    });
  }
}

template <class T>
void fill_real(std::span<T> out, const InputKind& kind, Count offset) {
  if constexpr (std::is_floating_point_v<T>)
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      return static_cast<T>(static_cast<std::int32_t>(h)) * static_cast<T>(0x1p-31);
    });
  else fill_hashed(out, kind, offset, [](std::uint32_t h) { return static_cast<T>(h); });
}

// The sizes, and that the type holds the values, are checked before a job runs.
template <class T>
void fill_given(std::span<T> out, const InputKind& kind, Count offset) {
  const auto at = [&](std::size_t i) {
    return kind.values.size() == 1 ? 0 : static_cast<std::size_t>(offset) + i;
  };
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = at(i) < kind.values.size() ? static_cast<T>(kind.values[at(i)]) : T{};
}

/// Elements offset .. offset + out.size() - 1 of an input.
template <class T>
void fill_values(std::span<T> out, const InputKind& kind, Count offset) {
  switch (kind.pattern) {
    case InputPattern::exact: return fill_exact(out, kind, offset);
    case InputPattern::index:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<T>(kind.rank * kind.count + offset + static_cast<Count>(i));
      return;
    case InputPattern::rank: ranges::fill(out, static_cast<T>(kind.rank + 1)); return;
    case InputPattern::real: return fill_real(out, kind, offset);
    case InputPattern::given: return fill_given(out, kind, offset);
  }
}

/// Returns the values given to `rank`, if any.
std::span<const double> values_of(InputValues values, Rank rank) noexcept {
  const auto row = static_cast<std::size_t>(rank);
  return row < values.size() ? std::span<const double>(values[row]) : std::span<const double>();
}

}  // namespace

void fill_input(Slice data, InputPattern pattern, std::uint64_t seed, Rank rank, int n, ReduceOp op,
                InputValues values) {
  visit_dtype(data.dtype(), [&]<class T>() {
    fill_values(data.as<T>(), {pattern, seed, rank, n, op, data.count(), values_of(values, rank)},
                0);
  });
}

namespace {

constexpr Count kPiece = 1 << 14;  // elements at a time; stays in the cache

// Elements [offset, offset + run) of rank `rank`'s input.
struct Origin {
  Rank rank;
  Count offset;
  Count run;
};

Origin alltoall_origin(const OracleJob& job, Rank rank, Count element) {
  const int dims = job.shape.dims(), last = dims - 1;
  const Shape out = alltoall_shape(job.shape, job.scatter_dim, job.gather_dim, job.n, rank);
  std::vector<Count> at(static_cast<std::size_t>(dims));
  for (int dim = last; dim >= 0; --dim) {
    at[static_cast<std::size_t>(dim)] = element % out[dim];
    element /= out[dim];
  }
  auto& gathered = at[static_cast<std::size_t>(job.gather_dim)];
  const Count each = out[job.gather_dim] / job.n;
  const auto source = static_cast<Rank>(gathered / each);
  gathered %= each;
  const Count row = job.gather_dim == last ? each : out[last];
  const Count run = row - at[static_cast<std::size_t>(last)];
  at[static_cast<std::size_t>(job.scatter_dim)] +=
      Partition(job.shape[job.scatter_dim], job.n)[rank].offset;
  Count offset = 0;
  for (int dim = 0; dim < dims; ++dim)
    offset = offset * job.shape[dim] + at[static_cast<std::size_t>(dim)];
  return {source, offset, run};
}

Origin whole_of(Rank source, const OracleJob& job, Count element) {
  return {source, element, job.shape.count() - element};
}
Origin first_origin(const OracleJob& job, Rank rank, Count element) {
  return whole_of(rank <= 1 ? 0 : rank, job, element);
}
Origin left_origin(const OracleJob& job, Rank rank, Count element) {
  return whole_of(wrap(rank - 1, job.n), job, element);
}
Origin root_origin(const OracleJob& job, Rank, Count element) {
  return whole_of(job.root, job, element);
}
Origin gathered_origin(const OracleJob& job, Rank, Count element) {
  const Count n = job.shape.count();
  return {static_cast<Rank>(element / n), element % n, n - element % n};
}
Origin scattered_origin(const OracleJob& job, Rank rank, Count element) {
  const Range chunk = Partition(job.shape.count(), job.n)[rank];
  return {job.root, chunk.offset + element, chunk.count - element};
}

// The origin of an output element when nothing is reduced.
struct OriginRow {
  Collective collective;
  Origin (*origin)(const OracleJob& job, Rank rank, Count element);
};
constexpr OriginRow kOrigins[] = {
    {Collective::p2p, first_origin},         {Collective::p2p_message, first_origin},
    {Collective::p2p_shift, left_origin},    {Collective::broadcast, root_origin},
    {Collective::gather, gathered_origin},   {Collective::allgather, gathered_origin},
    {Collective::scatter, scattered_origin}, {Collective::alltoall, alltoall_origin},
};

Origin origin_of(const OracleJob& job, Rank rank, Count element) {
  for (const OriginRow& row : kOrigins)
    if (row.collective == job.collective) return row.origin(job, rank, element);
  return whole_of(rank, job, element);
}

template <class T>
T combined(T a, T b, ReduceOp op) {
  using U =
      std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t,
                         std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>>;
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case ReduceOp::product: return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::max: return std::max(a, b);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::band) return static_cast<T>(a & b);
    if (op == ReduceOp::bor) return static_cast<T>(a | b);
    if (op == ReduceOp::bxor) return static_cast<T>(a ^ b);
  }
  return a;
}

// Computes any range of elements (`piece`) of one rank's output.
template <class T>
class Pieces {
 public:
  Pieces(const OracleJob& job, Rank rank) : job_(job), rank_(rank) {
    if (traits(job.collective).reduces_to_chunks())
      begin_ = Partition(job.shape.count(), job.n)[rank].offset;
  }

  void expect(Range piece, std::span<T> out) {
    if (reduces(job_.collective)) {
      reduce(piece, out);
      return;
    }
    for (Count done = 0; done < piece.count;) {
      const Origin origin = origin_of(job_, rank_, piece.offset + done);
      const Count run = std::min(origin.run, piece.count - done);
      input(origin.rank, origin.offset,
            out.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(run)));
      done += run;
    }
  }

  /// Sums the inputs' magnitudes at each element. The tolerance for rounding errors is relative to it.
  void magnitude(Range piece, std::span<T> out) {
    ranges::fill(out, T{});
    std::vector<T> other(out.size());
    for (Rank r = 0; r < job_.n; ++r) {
      input(r, begin_ + piece.offset, other);
      for (std::size_t i = 0; i < out.size(); ++i)
        if constexpr (std::is_floating_point_v<T>) out[i] += std::abs(other[i]);
    }
  }

 private:
  void input(Rank rank, Count offset, std::span<T> out) const {
    fill_values(out,
                {job_.pattern, job_.seed, rank, job_.n, job_.op, job_.shape.count(),
                 values_of(job_.values, rank)},
                offset);
  }

  void reduce(Range piece, std::span<T> out) {
    other_.resize(out.size());
    input(0, begin_ + piece.offset, out);
    for (Rank r = 1; r < job_.n; ++r) {
      input(r, begin_ + piece.offset, other_);
      accumulate(out);
    }
    if (job_.op != ReduceOp::avg) return;
    for (auto& value : out) {
      if constexpr (std::is_floating_point_v<T>) value /= static_cast<T>(job_.n);
      else value = static_cast<T>(static_cast<std::int64_t>(value) / job_.n);
    }
  }

  // One loop per operator, so that each can be vectorised.
  void accumulate(std::span<T> out) const {
    const auto loop = [&]<ReduceOp kOp>() {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = combined(out[i], other_[i], kOp);
    };
    switch (job_.op) {
      case ReduceOp::sum:
      case ReduceOp::avg: return loop.template operator()<ReduceOp::sum>();
      case ReduceOp::product: return loop.template operator()<ReduceOp::product>();
      case ReduceOp::min: return loop.template operator()<ReduceOp::min>();
      case ReduceOp::max: return loop.template operator()<ReduceOp::max>();
      case ReduceOp::band: return loop.template operator()<ReduceOp::band>();
      case ReduceOp::bor: return loop.template operator()<ReduceOp::bor>();
      case ReduceOp::bxor: return loop.template operator()<ReduceOp::bxor>();
    }
  }

  const OracleJob& job_;
  const Rank rank_;
  Count begin_ = 0;  // reduce-scatter: of the rank's chunk
  std::vector<T> other_;
};

// Float sums and products of patterns that are not exact depend on the order.
bool needs_tolerance(const OracleJob& job) {
  const bool rounds =
      job.op == ReduceOp::sum || job.op == ReduceOp::avg || job.op == ReduceOp::product;
  return reduces(job.collective) && rounds && is_floating(job.dtype) &&
         job.pattern != InputPattern::exact;
}

template <class T>
bool near_enough(T expected, T got, T magnitude, const OracleJob& job) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return true;
  if (!std::isfinite(got)) return false;
  const T scale = job.op == ReduceOp::product ? std::abs(expected)
                  : job.op == ReduceOp::avg   ? magnitude / static_cast<T>(job.n)
                                              : magnitude;
  const T allowed = std::numeric_limits<T>::epsilon() * static_cast<T>(job.n) * scale;
  return std::abs(expected - got) <= allowed + std::numeric_limits<T>::min();
}

template <class T>
Mismatch mismatch(Count index, T expected, T got) {
  return {index, fmt::format("{}", expected), fmt::format("{}", got)};
}

template <class T>
Mismatch compare(const OracleJob& job, Rank rank, std::span<const T> got) {
  Pieces<T> pieces(job, rank);
  const bool tolerant = needs_tolerance(job);
  std::vector<T> expected, magnitude;
  const auto total = static_cast<Count>(got.size());
  for (Count offset = 0; offset < total; offset += kPiece) {
    const Range piece{offset, std::min(kPiece, total - offset)};
    const auto here =
        got.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(piece.count));
    expected.resize(here.size());
    pieces.expect(piece, expected);
    if (std::memcmp(expected.data(), here.data(), here.size_bytes()) == 0) continue;
    magnitude.resize(here.size());
    if (tolerant) pieces.magnitude(piece, magnitude);
    for (std::size_t i = 0; i < here.size(); ++i) {
      bool right = expected[i] == here[i];
      if constexpr (std::is_floating_point_v<T>)
        right = right || (tolerant && near_enough(expected[i], here[i], magnitude[i], job));
      if (!right) return mismatch(offset + static_cast<Count>(i), expected[i], here[i]);
    }
  }
  return {};
}

Shape output_shape(const OracleJob& job, Rank rank) {
  return extents_of(job.collective, job.shape, job.n, rank, job.root, job.scatter_dim,
                    job.gather_dim)
      .out;
}

}  // namespace

Buffer expected_output(const OracleJob& job, Rank rank) {
  Buffer out = Buffer::allocate(job.dtype, output_shape(job, rank));
  visit_dtype(job.dtype, [&]<class T>() {
    Pieces<T> pieces(job, rank);
    for (Count offset = 0; offset < out.count(); offset += kPiece) {
      const Range piece{offset, std::min(kPiece, out.count() - offset)};
      pieces.expect(piece, out[piece].as<T>());
    }
  });
  return out;
}

Mismatch check_output(const OracleJob& job, Rank rank, const Slice& got) {
  if (reduces(job.collective) && traits(job.collective).result_at_root && rank != job.root)
    return {};
  const Count count = output_shape(job, rank).count();
  if (got.count() != count || got.dtype() != job.dtype)
    return {0, fmt::format("{} elements of {}", count, to_string(job.dtype)),
            fmt::format("{} of {}", got.count(), to_string(got.dtype()))};
  return visit_dtype(job.dtype, [&]<class T>() { return compare<T>(job, rank, got.as<T>()); });
}

}  // namespace rankscope
