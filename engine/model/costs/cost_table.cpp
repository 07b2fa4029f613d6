// The table of costs.
#include "engine/model/costs/cost_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_forms.h"
#include "engine/model/costs/plans.h"

namespace rankscope {
namespace {

using namespace cost_forms;  // NOLINT: a column of the table each

constexpr FormulaHolds kAlways{}, kEqual{.equal_parts = true}, kPower{.power_of_two = true},
    kRadixPower{.power_of_radix = true}, kEqualPower{.equal_parts = true, .power_of_two = true},
    kSegmentsOfTree{.equal_parts = true, .power_of_two = true, .segmented = true},
    kSegmentsOfTrees{
        .equal_parts = true, .power_of_two = true, .segmented = true, .free_reductions = true},
    kSegmentsOfRing{.equal_parts = true, .segmented = true},
    kBuckets{.equal_parts = true, .segmented = true, .fast_reductions = true};

constexpr std::string_view kFlatTwice = "(N−1)(α + nβ) + max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)";
constexpr std::string_view kFlatReduce = "max((N−1)(α + nβ) + nγ, α + nβ + (N−1)nγ)",
                           kRing = "2(N−1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ",
                           kBothTrees = "2·log2(N)·(α + nβ) + log2(N)·nγ",
                           kHalf = "(N−1)α + (N−1)/N·n(β + γ)", kToAll = "(N−1)(α + nβ)",
                           kAllBlocks = "log2(N)·α + (N−1)nβ";

const CostRow kRows[] = {
    {"p2p.ping", "2(α + nβ)", kAlways, ping},
    {"p2p.sendrecv", "α + nβ", kAlways, shift},
    {"barrier.dissemination", "⌈log2(N)⌉α", kAlways, dissemination},
    {"barrier.flat", "2(N−1)α", kAlways, flat_barrier},
    {"broadcast.flat", kToAll, kAlways, to_each},
    {"broadcast.binomial", "⌈log2(N)⌉(α + nβ)", kAlways, tree_down_form},
    {"broadcast.knomial", "(k−1)·log2(N)/log2(k)·(α + nβ)", kRadixPower, knomial_down_form},
    {"broadcast.scatter_allgather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ", kEqualPower,
     scatter_and_ring_form, plans::broadcast_scatter_allgather},
    {"broadcast.chain", "(K + N − 2)(α + n/K·β)", kEqual, chain_form, nullptr, chain_segments},
    {"broadcast.double_tree", "(K + 2·log2(N) − 2)(α + n/K·β)", kSegmentsOfTree,
     down_both_trees_form, plans::broadcast_double_tree, tree_segments},
    {"reduce.flat", kFlatReduce, kAlways, reduce_flat_form},
    {"reduce.binomial", "log2(N)·(α + nβ + nγ)", kPower, reduce_tree_form, plans::reduce_binomial},
    {"reduce.knomial", "log2(N)/log2(k)·max((k−1)(α + nβ) + nγ, α + nβ + (k−1)nγ)", kRadixPower,
     reduce_knomial_form, plans::reduce_knomial},
    {"reduce.scatter_gather", "(log2(N) + N − 1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     ring_and_gather_form, plans::reduce_scatter_gather},
    {"gather.flat", kToAll, kAlways, to_each},
    {"gather.binomial", kAllBlocks, kPower, gather_tree_form},
    {"scatter.flat", "(N−1)(α + n/N·β)", kEqual, scatter_flat_form},
    {"scatter.binomial", "log2(N)·α + (N−1)/N·nβ", kEqualPower, scatter_tree_form},
    {"allgather.flat", "2(N−1)α + (N−1)(N+1)nβ", kAlways, gather_and_broadcast},
    {"allgather.ring", kToAll, kAlways, to_each},
    {"allgather.doubling", kAllBlocks, kPower, doubling_form, plans::allgather_doubling},
    {"allgather.bruck", "⌈log2(N)⌉α + (N−1)nβ", kAlways, bruck_form},
    {"allgather.pat", "(log2(A) + N/A − 1)α + (N−1)nβ", kPower, allgather_pat_form, nullptr,
     nullptr, allgather_pat_blocks},
    {"reduce_scatter.direct", kHalf, kEqual, direct_form, plans::reduce_scatter_direct},
    {"reduce_scatter.ring", kHalf, kEqual, ring_reduce_form},
    {"reduce_scatter.halving", "log2(N)·α + (N−1)/N·n(β + γ)", kEqualPower, halving_form,
     plans::reduce_scatter_halving},
    {"reduce_scatter.pat", "(log2(A) + N/A − 1)α + (N−1)/N·n(β + γ)", kEqualPower, reduce_pat_form,
     plans::reduce_scatter_pat, nullptr, reduce_pat_blocks},
    {"allreduce.flat", kFlatTwice, kAlways, allreduce_flat_form},
    {"allreduce.one_shot", "(N−1)(α + nβ + nγ)", kAlways, one_shot_form},
    {"allreduce.two_shot",
     "(N−1)(α + n/N·β) + max((N−1)(α + n/N·β) + n/N·γ, α + n/N·β + (N−1)/N·nγ)", kEqual,
     two_shot_form, plans::allreduce_two_shot},
    {"allreduce.mst", kBothTrees, kPower, tree_twice_form, plans::allreduce_mst},
    {"allreduce.tree", kBothTrees, kPower, tree_twice_form, plans::allreduce_tree},
    {"allreduce.bde", "log2(N)·(α + nβ + nγ)", kPower, exchange_form, plans::allreduce_bde},
    {"allreduce.recursive_multiplying", "(k−1)·log2(N)/log2(k)·(α + nβ + nγ)", kRadixPower,
     multiplying_form, plans::allreduce_recursive_multiplying},
    {"allreduce.ring", kRing, kEqual, ring_twice_form},
    {"allreduce.rabenseifner", "2·log2(N)·α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower,
     rabenseifner_form, plans::allreduce_rabenseifner},
    {"allreduce.swing", "2·log2(N)·α + 2·(N−1)/N·nβ + (N−1)/N·nγ", kEqualPower, rabenseifner_form,
     plans::allreduce_swing},
    {"allreduce.reduce_broadcast", kBothTrees, kPower, tree_twice_form, plans::allreduce_tree},
    {"allreduce.reduce_scatter_allgather", kRing, kEqual, ring_twice_form},
    {"allreduce.hierarchical", "(log2(N) + log2(g))(α + nβ) + log2(N)·nγ", kPower, hierarchy_form,
     plans::allreduce_hierarchical},
    {"allreduce.two_level_ring", "(g−1)(2α + 2n/g·β + n/g·γ) + (N/g−1)(2α + 2n/N·β + n/N·γ)",
     kEqualPower, two_level_form, plans::allreduce_two_level_ring},
    {"allreduce.ring_pipelined",
     "max(2(N−1)(Kα + n/N·β), ((N−2)K + 2)(α + n/(N·K)·β) + (N−1)/N·nγ)", kSegmentsOfRing,
     pipelined_form, plans::allreduce_ring_pipelined, ring_segments},
    {"allreduce.double_tree", "(2K + 4·log2(N) − 4)(α + n/K·β)", kSegmentsOfTrees,
     along_both_trees_form, plans::allreduce_double_tree, tree_segments},
    {"allreduce.in_network", kFlatTwice, kAlways, allreduce_flat_form, nullptr, switch_segments},
    {"allreduce.bucketed", "2(N−1)K·α + 2·(N−1)/N·nβ", kBuckets, bucketed_form,
     plans::allreduce_bucketed, bucket_count},
    {"alltoall.linear", "(2N−3)(α + n/N·β)", kEqual, linear_form},
    {"alltoall.pairwise", "(N−1)(α + n/N·β)", kEqual, pairwise_form, plans::alltoall_pairwise},
    {"alltoall.bruck", "log2(N)·(α + n/2·β)", kEqualPower, bruck_blocks_form,
     plans::alltoall_bruck},
    {"alltoall.hierarchical", "(g−1)(α + n/g·β) + (N/g−1)(α + g/N·nβ)", kEqualPower,
     two_exchanges_form, plans::alltoall_hierarchical},
};

}  // namespace

std::string to_text(const FormulaHolds& holds) {
  std::vector<std::string> all;
  if (holds.equal_parts) all.push_back("equal parts");
  if (holds.power_of_two) all.push_back("powers of two");
  if (holds.power_of_radix) all.push_back("powers of k");
  if (holds.segmented) all.push_back("K ≥ 2");
  if (holds.free_reductions) all.push_back("reducing takes no time");
  if (holds.fast_reductions) all.push_back("reducing a part takes no longer than sending it");
  return fmt::format("{}", fmt::join(all, ", "));
}

const CostRow* find_cost_row(const Algorithm& algorithm) noexcept {
  const auto* row = ranges::find(kRows, algorithm.name, &CostRow::algorithm);
  return row == std::end(kRows) ? nullptr : row;
}

Cost cost_of(const Algorithm& algorithm, const ClosedFormInput& in, const LinkCosts& link) {
  const CostRow* row = find_cost_row(algorithm);
  if (row == nullptr)
    throw UserError(
        fmt::format("there is no closed form of {}: run it, or choose one of `rankscope list`",
                    algorithm.name));
  if (auto cost = row->closed(in)) return *std::move(cost);
  const std::int64_t most = std::int64_t{in.n} * algorithm.rounds(in);
  if (most > kMostPlanned)
    throw UserError(
        fmt::format("{} on {} ranks has up to {} messages here, more than are followed one by one "
                    "({}): choose a "
                    "size whose elements {} divides, longer segments (--segment), or fewer ranks",
                    algorithm.name, in.n, most, kMostPlanned, in.n));
  return row->plan(in).critical_path(link);
}

Cost in_network_cost(const ClosedFormInput& in, int levels) {
  if (in.n == 1) return {};
  const ByteParts parts(cost_segments(in, in.shape.count(), kSwitchSegmentBytes),
                        element_bytes(in));
  return CostTerm{parts.parts(), parts.all(), 0} + (2 * levels - 1) * message_cost(parts.longest());
}

int radix_in_formula(const Algorithm& algorithm, const ClosedFormInput& in) {
  return algorithm.features.takes_radix ? radix_or_default(in.radix) : in.n;
}

int group_in_formula(const Algorithm& algorithm, const ClosedFormInput& in) {
  return algorithm.features.takes_group_size ? group_size(in.n, in.group_size) : in.n;
}

}  // namespace rankscope
