#include "engine/model/bandwidth.h"

namespace rankscope {
namespace {

bool moves_parts(std::string_view collective) noexcept {
  return collective == "reduce_scatter" || collective == "allgather" || collective == "alltoall" ||
         collective == "gather" || collective == "scatter";
}

}  // namespace

double bus_factor(std::string_view collective, int n) noexcept {
  const double others = static_cast<double>(n - 1) / n;
  if (collective == "allreduce") return 2 * others;
  return moves_parts(collective) ? others : 1;
}

double algorithm_bandwidth(double bytes, double seconds) noexcept {
  return seconds > 0 ? bytes / seconds : 0;
}

double bus_bandwidth(std::string_view collective, int n, double bytes, double seconds) noexcept {
  return algorithm_bandwidth(bytes, seconds) * bus_factor(collective, n);
}

double assignment_bytes(std::string_view collective, int n, double bytes) noexcept {
  return collective == "allreduce" ? 2 * bytes * (n - 1) / n : bytes;
}

double assignment_bandwidth(std::string_view collective, int n, double bytes,
                            double seconds) noexcept {
  return algorithm_bandwidth(assignment_bytes(collective, n, bytes), seconds) / kAssignmentMegabyte;
}

}  // namespace rankscope
