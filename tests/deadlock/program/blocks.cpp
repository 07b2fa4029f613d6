// The same as blocks.py.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <rankscope.hpp>

namespace {

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

int main() {
  auto comm = rankscope::join();
  std::vector<float> data(4);
  const bool last = comm.rank() == comm.size() - 1;
  if (last) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double began = now();
  try {
    comm.recv((comm.rank() + comm.size() - 1) % comm.size(), std::span<float>(data));
  } catch (const std::exception&) {
    if (last) {
      std::FILE* file = std::fopen(std::getenv("BLOCKED_FILE"), "w");
      std::fprintf(file, "%.6f %.6f", began, now());
      std::fclose(file);
    }
    throw;
  }
}
