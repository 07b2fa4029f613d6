// The layer of experts on one rank, and on several: tokens to the ranks of their experts, and results back.
#include "engine/training/parallel/expert_parallel.h"

#include <numeric>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/training/parallel/form_parts.h"
#include "engine/training/transformer/layers.h"
#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

/// One expert's parameters, or their gradients.
template <class T>
struct ExpertTensors {
  std::span<T> fc1_weight, fc1_bias, fc2_weight;
  ExpertTensors(const ExpertShape& shape, std::span<T> all) {
    const auto width = static_cast<std::size_t>(shape.width),
               inner = static_cast<std::size_t>(shape.inner);
    fc1_weight = all.first(inner * width);
    fc1_bias = all.subspan(inner * width, inner);
    fc2_weight = all.subspan(inner * width + inner, width * inner);
  }
};

template <class T>
std::span<T> of_expert(const ExpertShape& shape, std::span<T> all, int expert) {
  return all.subspan(shape.offset_of(expert), shape.parameters_of_one());
}

/// Returns the tokens of each expert.
template <class T>
std::vector<std::vector<Count>> tokens_of(const Routing<T>& routing) {
  const auto load = routing.load();
  const auto order = routing.order();
  std::vector<std::vector<Count>> out;
  auto at = order.begin();
  for (const Count one : load) {
    out.emplace_back(at, at + one);
    at += one;
  }
  return out;
}

}  // namespace

void ExpertShape::validate() const {
  if (width < 1 || inner < 1 || experts < 1)
    throw UserError("a layer of experts has 1 or more experts, and widths of 1 or more");
}
std::size_t ExpertShape::router_parameters() const noexcept {
  return static_cast<std::size_t>(experts * width);
}
std::size_t ExpertShape::parameters_of_one() const noexcept {
  return static_cast<std::size_t>(2 * inner * width + inner);
}
std::size_t ExpertShape::parameters() const noexcept { return offset_of(experts); }
std::size_t ExpertShape::offset_of(int expert) const noexcept {
  return router_parameters() + static_cast<std::size_t>(expert) * parameters_of_one();
}

template <class T>
std::vector<Count> Routing<T>::load() const {
  std::vector<Count> out(static_cast<std::size_t>(probabilities.cols));
  for (const int one : experts) ++out[static_cast<std::size_t>(one)];
  return out;
}

template <class T>
std::vector<Count> Routing<T>::order() const {
  std::vector<Count> out(experts.size());
  std::iota(out.begin(), out.end(), Count{0});
  ranges::stable_sort(out, {},
                      [&](Count token) { return experts[static_cast<std::size_t>(token)]; });
  return out;
}

template <class T>
Routing<T> route(const ExpertShape& shape, std::span<const T> router, const Matrix<T>& x) {
  Routing<T> routing{linear<T>(x, router.first(shape.router_parameters()), {}), {}};
  for (Count token = 0; token < x.rows; ++token) {
    const auto row = routing.probabilities.row(token);
    routing.experts.push_back(static_cast<int>(ranges::max_element(row) - row.begin()));
    softmax(row);
  }
  return routing;
}

template <class T>
Matrix<T> route_backward(const ExpertShape& shape, std::span<const T> router, const Matrix<T>& x,
                         const Routing<T>& routing, std::span<const T> d_gate,
                         std::span<T> d_router) {
  // Only the chosen expert's probability affects the result.
  Matrix<T> d_logits = routing.probabilities;
  for (Count token = 0; token < x.rows; ++token) {
    const T d = d_gate[static_cast<std::size_t>(token)] * routing.gate(token);
    for (T& one : d_logits.row(token)) one *= -d;
    d_logits(token, routing.experts[static_cast<std::size_t>(token)]) += d;
  }
  return linear_backward<T>(x, d_logits, router.first(shape.router_parameters()),
                            d_router.first(shape.router_parameters()), {});
}

template <class T>
Matrix<T> run_expert(const ExpertShape& shape, std::span<const T> expert, Matrix<T> x,
                     ExpertContext<T>& context) {
  const ExpertTensors<const T> w(shape, expert);
  context.x = std::move(x);
  context.before = linear<T>(context.x, w.fc1_weight, w.fc1_bias);
  context.after = gelu(context.before);
  return linear<T>(context.after, w.fc2_weight, {});
}

template <class T>
Matrix<T> run_expert_backward(const ExpertShape& shape, std::span<const T> expert,
                              const ExpertContext<T>& context, const Matrix<T>& d_y,
                              std::span<T> gradients) {
  const ExpertTensors<const T> w(shape, expert);
  const ExpertTensors<T> g(shape, gradients);
  const Matrix<T> d_after = linear_backward<T>(context.after, d_y, w.fc2_weight, g.fc2_weight, {});
  return linear_backward<T>(context.x, gelu_backward(context.before, d_after), w.fc1_weight,
                            g.fc1_weight, g.fc1_bias);
}

template <class T>
Matrix<T> take_rows(const Matrix<T>& m, std::span<const Count> rows) {
  Matrix<T> out(static_cast<Count>(rows.size()), m.cols);
  for (std::size_t i = 0; i < rows.size(); ++i)
    ranges::copy(m.row(rows[i]), out.row(static_cast<Count>(i)).begin());
  return out;
}

template <class T>
void put_rows(const Matrix<T>& from, std::span<const Count> rows, Matrix<T>& into) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    ranges::copy(from.row(static_cast<Count>(i)), into.row(rows[i]).begin());
}

template <class T>
void multiply_by_gates(const Routing<T>& routing, Matrix<T>& m) {
  for (Count token = 0; token < m.rows; ++token)
    for (T& one : m.row(token)) one *= routing.gate(token);
}

template <class T>
std::vector<T> gate_derivatives(const Matrix<T>& d_y, const Matrix<T>& results) {
  std::vector<T> out;
  for (Count token = 0; token < d_y.rows; ++token)
    out.push_back(std::inner_product(d_y.row(token).begin(), d_y.row(token).end(),
                                     results.row(token).begin(), T(0)));
  return out;
}

template <class T>
Matrix<T> expert_layer(const ExpertShape& shape, std::span<const T> parameters, const Matrix<T>& x,
                       ExpertLayerContext<T>& context) {
  context.x = x;
  context.routing = route(shape, parameters, x);
  context.results = Matrix<T>(x.rows, x.cols);
  context.experts.resize(static_cast<std::size_t>(shape.experts));
  const auto tokens = tokens_of(context.routing);
  for (std::size_t e = 0; e < tokens.size(); ++e)
    put_rows<T>(run_expert(shape, of_expert(shape, parameters, static_cast<int>(e)),
                           take_rows<T>(x, tokens[e]), context.experts[e]),
                tokens[e], context.results);
  Matrix<T> y = context.results;
  multiply_by_gates(context.routing, y);
  return y;
}

template <class T>
Matrix<T> expert_layer_backward(const ExpertShape& shape, std::span<const T> parameters,
                                const ExpertLayerContext<T>& context, const Matrix<T>& d_y,
                                std::span<T> gradients) {
  Matrix<T> d_results = d_y;
  multiply_by_gates(context.routing, d_results);
  Matrix<T> d_x(d_y.rows, d_y.cols);
  const auto tokens = tokens_of(context.routing);
  for (std::size_t e = 0; e < tokens.size(); ++e)
    put_rows<T>(run_expert_backward<T>(shape, of_expert(shape, parameters, static_cast<int>(e)),
                                       context.experts[e], take_rows<T>(d_results, tokens[e]),
                                       of_expert(shape, gradients, static_cast<int>(e))),
                tokens[e], d_x);
  add_to(d_x, route_backward<T>(shape, parameters, context.x, context.routing,
                                gate_derivatives(d_y, context.results), gradients));
  return d_x;
}

#define RANKSCOPE_EXPERTS(T)                                                                       \
  template struct Routing<T>;                                                                      \
  template Routing<T> route(const ExpertShape&, std::span<const T>, const Matrix<T>&);             \
  template Matrix<T> route_backward(const ExpertShape&, std::span<const T>, const Matrix<T>&,      \
                                    const Routing<T>&, std::span<const T>, std::span<T>);          \
  template Matrix<T> run_expert(const ExpertShape&, std::span<const T>, Matrix<T>,                 \
                                ExpertContext<T>&);                                                \
  template Matrix<T> run_expert_backward(const ExpertShape&, std::span<const T>,                   \
                                         const ExpertContext<T>&, const Matrix<T>&, std::span<T>); \
  template Matrix<T> take_rows(const Matrix<T>&, std::span<const Count>);                          \
  template void put_rows(const Matrix<T>&, std::span<const Count>, Matrix<T>&);                    \
  template void multiply_by_gates(const Routing<T>&, Matrix<T>&);                                  \
  template std::vector<T> gate_derivatives(const Matrix<T>&, const Matrix<T>&);                    \
  template Matrix<T> expert_layer(const ExpertShape&, std::span<const T>, const Matrix<T>&,        \
                                  ExpertLayerContext<T>&);                                         \
  template Matrix<T> expert_layer_backward(const ExpertShape&, std::span<const T>,                 \
                                           const ExpertLayerContext<T>&, const Matrix<T>&,         \
                                           std::span<T>);
RANKSCOPE_EXPERTS(float)
RANKSCOPE_EXPERTS(double)
#undef RANKSCOPE_EXPERTS

namespace {

constexpr Tag kCountsTag = 1, kRowsTag = 2;

/// Borrows the matrix. A buffer of a const one must not be written to.
template <class T>
Buffer buffer_of(const Matrix<T>& m) {
  auto* data = const_cast<T*>(m.at.data());  // NOLINT: a send reads only
  return Buffer::borrow(reinterpret_cast<std::byte*>(data), dtype_of<T>(),
                        Shape::flat(m.rows * m.cols));
}

/// Returns the range of each part, in elements.
std::vector<Range> ranges_of(std::span<const Count> rows, Count cols) {
  std::vector<Range> out;
  Count at = 0;
  for (const Count one : rows) {
    out.push_back({at * cols, one * cols});
    at += one;
  }
  return out;
}

Count sum_of(std::span<const Count> counts) {
  return std::accumulate(counts.begin(), counts.end(), Count{0});
}

}  // namespace

template <class T>
Matrix<T> exchange_rows(Communicator& comm, const Matrix<T>& rows, std::span<const Count> to,
                        std::span<const Count> from) {
  Matrix<T> out(sum_of(from), rows.cols);
  const Buffer sent = buffer_of(rows), received = buffer_of(out);
  const auto to_range = ranges_of(to, rows.cols), from_range = ranges_of(from, rows.cols);
  const auto own = static_cast<std::size_t>(comm.rank());
  comm.copy(received[from_range[own]], sent[to_range[own]]);
  std::vector<Request> requests;
  const int n = comm.size();
  for (int step = 1; step < n; ++step) {
    const Rank source = wrap(comm.rank() - step, n);
    if (const Range range = from_range[static_cast<std::size_t>(source)]; range.count > 0)
      requests.push_back(comm.irecv(source, received[range], kRowsTag));
  }
  for (int step = 1; step < n; ++step) {
    const Rank target = wrap(comm.rank() + step, n);
    if (const Range range = to_range[static_cast<std::size_t>(target)]; range.count > 0)
      requests.push_back(comm.isend(target, sent[range], kRowsTag));
  }
  for (Request& one : requests) comm.wait(one);
  return out;
}

template <class T>
ExpertParallel<T>::ExpertParallel(Communicator& comm, const ExpertShape& shape)
    : comm_(comm), shape_((shape.validate(), shape)), owners_(shape.experts, comm.size()) {
  check_expert_ranks(shape.experts, comm.size());
}

template <class T>
void ExpertParallel<T>::exchange_counts(ExpertParallelContext<T>& context) {
  auto phase = comm_.phase(kExpertCounts);
  const int n = comm_.size();
  const auto own_experts = static_cast<std::size_t>(own().count);
  const Buffer sent = Buffer::of(context.routing.load()),
               received = Buffer::allocate(dtype_of<Count>(), n * own().count);
  const auto of = [&](Rank rank) -> Slice { return received[{rank * own().count, own().count}]; };
  comm_.copy(of(comm_.rank()), sent[own()]);
  for (int step = 1; step < n; ++step) {
    const Rank target = wrap(comm_.rank() + step, n), source = wrap(comm_.rank() - step, n);
    comm_.sendrecv(target, sent[owners_[target]], source, of(source), kCountsTag);
  }

  // Rows arrive sorted by rank, and those of a rank by expert.
  context.to.clear();
  context.from.clear();
  context.received.assign(own_experts, {});
  Count row = 0;
  for (Rank rank = 0; rank < n; ++rank) {
    const Slice to = sent[owners_[rank]], from = of(rank);
    const std::span<const Count> of_expert = from.as<Count>();
    context.to.push_back(sum_of(to.as<Count>()));
    context.from.push_back(sum_of(of_expert));
    for (std::size_t e = 0; e < own_experts; ++e)
      for (Count i = of_expert[e]; i > 0; --i) context.received[e].push_back(row++);
  }
}

template <class T>
Matrix<T> ExpertParallel<T>::forward(std::span<const T> router, std::span<const T> own_experts,
                                     const Matrix<T>& x, ExpertParallelContext<T>& context) {
  context.x = x;
  {
    const ComputeSpan span(comm_, "router");
    context.routing = route(shape_, router, x);
  }
  exchange_counts(context);
  const auto order = context.routing.order();
  Matrix<T> arrived;
  {
    auto phase = comm_.phase(kExpertTokens);
    arrived = exchange_rows(comm_, take_rows<T>(x, order), context.to, context.from);
  }
  Matrix<T> done(arrived.rows, arrived.cols);
  {
    const ComputeSpan span(comm_, "experts");
    context.experts.resize(context.received.size());
    for (std::size_t e = 0; e < context.received.size(); ++e) {
      const std::size_t size = shape_.parameters_of_one();
      put_rows<T>(run_expert<T>(shape_, own_experts.subspan(e * size, size),
                                take_rows<T>(arrived, context.received[e]), context.experts[e]),
                  context.received[e], done);
    }
  }
  auto phase = comm_.phase(kExpertResults);
  context.results = Matrix<T>(x.rows, x.cols);
  put_rows<T>(exchange_rows(comm_, done, context.from, context.to), order, context.results);
  Matrix<T> y = context.results;
  multiply_by_gates(context.routing, y);
  return y;
}

template <class T>
Matrix<T> ExpertParallel<T>::backward(std::span<const T> router, std::span<const T> own_experts,
                                      const ExpertParallelContext<T>& context, const Matrix<T>& d_y,
                                      std::span<T> d_router, std::span<T> d_own_experts) {
  const auto order = context.routing.order();
  Matrix<T> arrived;
  {
    auto phase = comm_.phase(kExpertDerivatives);
    Matrix<T> d_results = d_y;
    multiply_by_gates(context.routing, d_results);
    arrived = exchange_rows(comm_, take_rows<T>(d_results, order), context.to, context.from);
  }
  Matrix<T> done(arrived.rows, arrived.cols);
  {
    const ComputeSpan span(comm_, "experts, backward");
    for (std::size_t e = 0; e < context.received.size(); ++e) {
      const std::size_t size = shape_.parameters_of_one();
      put_rows<T>(
          run_expert_backward<T>(shape_, own_experts.subspan(e * size, size), context.experts[e],
                                 take_rows<T>(arrived, context.received[e]),
                                 d_own_experts.subspan(e * size, size)),
          context.received[e], done);
    }
  }
  Matrix<T> d_x(d_y.rows, d_y.cols);
  {
    auto phase = comm_.phase(kExpertBack);
    put_rows<T>(exchange_rows(comm_, done, context.from, context.to), order, d_x);
  }
  const ComputeSpan span(comm_, "router, backward");
  add_to(d_x, route_backward<T>(shape_, router, context.x, context.routing,
                                gate_derivatives(d_y, context.results), d_router));
  return d_x;
}

void check_expert_ranks(int experts, int ranks) {
  if (experts < ranks)
    throw UserError(
        fmt::format("{} experts are too few for {} ranks, as each has at least one: take {} "
                    "experts or fewer ranks",
                    experts, ranks, ranks));
}

ExpertTraffic& ExpertTraffic::operator+=(const ExpertTraffic& other) noexcept {
  counts += other.counts;
  away += other.away;
  back += other.back;
  return *this;
}

ExpertTraffic expert_traffic(const std::vector<std::vector<Count>>& load, Rank rank) {
  const Partition owners(static_cast<Count>(load.at(0).size()), static_cast<int>(load.size()));
  const auto tokens = [&](Rank from, Rank to) {
    const Range experts = owners[to];
    return sum_of(std::span(load.at(static_cast<std::size_t>(from)))
                      .subspan(static_cast<std::size_t>(experts.offset),
                               static_cast<std::size_t>(experts.count)));
  };
  ExpertTraffic out;
  for (Rank peer = 0; peer < owners.parts(); ++peer) {
    if (peer == rank) continue;
    out.counts += owners[peer].count;
    out.away += tokens(rank, peer);
    out.back += tokens(peer, rank);
  }
  return out;
}

template Matrix<float> exchange_rows(Communicator&, const Matrix<float>&, std::span<const Count>,
                                     std::span<const Count>);
template Matrix<double> exchange_rows(Communicator&, const Matrix<double>&, std::span<const Count>,
                                      std::span<const Count>);
template class ExpertParallel<float>;
template class ExpertParallel<double>;

}  // namespace rankscope::training
