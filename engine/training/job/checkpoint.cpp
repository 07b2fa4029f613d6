// Writes and reads the states of ranks.
#include "engine/training/job/checkpoint.h"

#include <array>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/core/base/error.h"
#include "engine/core/base/new_file.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope::training {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic{'R', 'S', 'S', 'G', 'D', '0', '0', '1'};

/// What a file begins with; numbers as this machine has them, since nobody else reads it.
struct Head {
  std::array<char, 8> magic = kMagic;
  std::uint64_t run = 0;
  std::int64_t iteration = 0;
  std::int32_t rank = 0, ranks = 0;
  std::uint64_t checksum = 0;  ///< Of what follows.
};
static_assert(sizeof(Head) == 40);

constexpr std::size_t kValues = 2 * LeNet5Layout::kParameters;

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::string run, Rank rank, int ranks)
    : folder_(std::move(folder)),
      run_(XXH3_64bits(run.data(), run.size())),
      rank_(rank),
      ranks_(ranks) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw UserError(fmt::format("the folder {} for checkpoints cannot be made: {}",
                                escaped(folder_.string()), error.message()));
}

fs::path Checkpoints::file_of(std::int64_t iteration) const {
  return folder_ / fmt::format("rank{}of{}-{}.sgd", rank_, ranks_, iteration);
}

std::vector<std::int64_t> Checkpoints::all_iterations() const {
  std::vector<std::int64_t> out;
  std::error_code error;
  const std::string head = fmt::format("rank{}of{}-", rank_, ranks_);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    std::int64_t iteration = 0;
    if (name.starts_with(head) &&
        std::sscanf(name.c_str() + head.size(), "%ld.sgd", &iteration) == 1 &&
        entry.path() == file_of(iteration))
      out.push_back(iteration);
  }
  ranges::sort(out, std::greater());
  return out;
}

void Checkpoints::write(const SgdState<float>& state) {
  std::vector<float> values(state.parameters.begin(), state.parameters.end());
  values.insert(values.end(), state.velocity.begin(), state.velocity.end());
  const std::size_t bytes = values.size() * sizeof(float);
  const Head head{.run = run_,
                  .iteration = state.iteration,
                  .rank = rank_,
                  .ranks = ranks_,
                  .checksum = XXH3_64bits(values.data(), bytes)};
  std::string text(sizeof head + bytes, '\0');
  std::memcpy(text.data(), &head, sizeof head);
  std::memcpy(text.data() + sizeof head, values.data(), bytes);
  try {
    NewFile file(file_of(state.iteration).string(), "Free some space, or choose another place.");
    file.write([&](std::ostream& out) {
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
    });
    file.finish();
  } catch (const UserError& e) {
    const auto whole = iterations();
    throw UserError(fmt::format(
        "{} {}", e.what(),
        whole.empty() ? std::string("No earlier checkpoint is there.")
                      : fmt::format("The checkpoint of iteration {} is whole, {}: "
                                    "training goes on from it.",
                                    whole.front(), escaped(file_of(whole.front()).string()))));
  }
  const auto all = all_iterations();
  std::error_code ignored;
  for (std::size_t i = 2; i < all.size(); ++i) fs::remove(file_of(all[i]), ignored);
}

std::optional<SgdState<float>> Checkpoints::read(std::int64_t iteration) const {
  std::ifstream in(file_of(iteration), std::ios::binary);
  Head head{.magic = {}};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  std::vector<float> values(kValues);
  const auto bytes = static_cast<std::streamsize>(kValues * sizeof(float));
  in.read(reinterpret_cast<char*>(values.data()), bytes);
  if (!in || in.peek() != std::ifstream::traits_type::eof() || head.magic != kMagic ||
      head.run != run_ || head.iteration != iteration || head.rank != rank_ ||
      head.ranks != ranks_ || head.checksum != XXH3_64bits(values.data(), kValues * sizeof(float)))
    return std::nullopt;
  SgdState<float> state;
  state.iteration = iteration;
  state.parameters.assign(values.begin(), values.begin() + kValues / 2);
  state.velocity.assign(values.begin() + kValues / 2, values.end());
  return state;
}

std::vector<std::int64_t> Checkpoints::iterations() const {
  auto all = all_iterations();
  std::erase_if(all, [&](std::int64_t one) { return !read(one); });
  return all;
}

}  // namespace rankscope::training
