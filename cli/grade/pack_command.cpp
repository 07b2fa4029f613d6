// `rankscope pack --gradescope`: a course and this program as the zip file that Gradescope takes.
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <link.h>

#include "cli/command.h"
#include "cli/program/program_files.h"
#include "cli/terminal/output.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/conductor/launcher.h"
#include "engine/training/data/known_data.h"
#include "lessons/coding/boxes.h"
#include "lessons/course/course.h"
#include "lessons/handout/personal_copies.h"
#include "lessons/reports/roster.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/text/zip_writer.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct PackOptions {
  std::string course, output, roster, secret;
  bool gradescope = false;
};

/// The largest file that goes into the zip.
constexpr std::uintmax_t kMostOfFile = std::uintmax_t{256} << 20;
constexpr std::string_view kProgram = "rankscope/bin/rankscope";

/// The libraries that this process has loaded, without those that belong to the C library of a system.
std::vector<fs::path> own_libraries() {
  std::vector<fs::path> out;
  const auto take = [](dl_phdr_info* info, std::size_t, void* to) {
    if (info->dlpi_name != nullptr && *info->dlpi_name == '/')
      static_cast<std::vector<fs::path>*>(to)->emplace_back(info->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(take, &out);
  static const std::set<std::string> kOfSystem = {
      "libc.so.6",  "libm.so.6",      "libpthread.so.0",      "libdl.so.2",
      "librt.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};
  std::erase_if(out,
                [](const fs::path& one) { return kOfSystem.contains(one.filename().string()); });
  return out;
}

class Package : public ZipWriter {
 public:
  void add_file(const fs::path& file, const std::string& name, bool executable = false) {
    std::string fault;
    const std::string bytes = read_whole(file, kMostOfFile, fault);
    if (!fault.empty()) throw UserError(fmt::format("{} {}", escaped(file.string()), fault));
    add(name, bytes, executable);
  }
  /// Adds all files in a folder and its folders, always in the same order.
  void add_folder(const fs::path& folder, const std::string& name) {
    std::map<std::string, fs::path> files;
    for (auto at = fs::recursive_directory_iterator(
             folder, fs::directory_options::follow_directory_symlink);
         at != fs::recursive_directory_iterator(); ++at) {
      if (at->path().filename() == "__pycache__") at.disable_recursion_pending();
      else if (at->is_regular_file())
        files[at->path().lexically_relative(folder).generic_string()] = at->path();
    }
    for (const auto& [path, file] : files) add_file(file, name + "/" + path);
  }
};

/// This program and what it needs, as `cmake --install` lays it out, with one course.
void add_program(Package& to, const LessonLibrary& library, const Course& course,
                 const fs::path& course_file) {
  to.add_file(own_program(), std::string(kProgram), true);
  to.add_file(library_path(), "rankscope/lib/librankscope.so");
  to.add_file(library_path(), "rankscope/lib/librankscope.so.1");
  to.add_file(first_process(), "rankscope/lib/rankscope/first-process", true);
  for (const fs::path& one : own_libraries())
    to.add_file(one, "rankscope/shared/" + one.filename().string());
  for (const char* header : kCppHeaders)
    to.add_file(include_folder() / header, fmt::format("rankscope/include/{}", header));
  const std::string share = "rankscope/share/rankscope/";
  to.add_folder(topologies_folder(), share + "topologies");
  if (const auto* const digits = training::find_known_data("mnist-small"))
    if (const auto folder = training::folder_of(*digits))
      to.add_folder(*folder, share + "data/mnist-small");
  for (const char* folder : {"python", "cpp"})
    if (fs::is_directory(library.root() / folder))
      to.add_folder(library.root() / folder, share + "lessons/" + folder);
  to.add_folder(library.root() / "content", share + "lessons/content");  // they build on each other
  to.add_file(course_file, share + "lessons/courses/" + course.slug + ".toml");
}

constexpr std::string_view kSetup = R"sh(#!/usr/bin/env bash
# Made by `rankscope pack --gradescope`. Gradescope runs this once, as root, when it builds the image.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export DEBIAN_FRONTEND=noninteractive
lacks=()
has() { command -v "$1" > /dev/null || lacks+=("$2"); }
has bwrap bubblewrap
has python3 python3
@compiler@python3 -c 'import numpy' 2> /dev/null || lacks+=(python3-numpy)
if ((${#lacks[@]} > 0)); then
  apt-get update
  apt-get install -y --no-install-recommends "${lacks[@]}"
fi
@torch@# Libraries that this system lacks; its own ones are used where it has them.
shared=/usr/local/lib/rankscope-shared
mkdir -p "$shared"
known=$(ldconfig -p 2> /dev/null | awk '{print $1}')
for library in "$here"/rankscope/shared/*; do
  grep -qxF "$(basename "$library")" <<< "$known" || cp "$library" "$shared/"
done
echo "$shared" > /etc/ld.so.conf.d/rankscope.conf
ldconfig
chmod +x "$here/rankscope/bin/rankscope" "$here/rankscope/lib/rankscope/first-process" "$here/run_autograder"
# Programs of students run as other users: keys are root's alone. What they need is copied for them.
chmod 700 "$here"
if ! "$here/rankscope/bin/rankscope" --version; then
  echo "rankscope does not run here: it was packed on @system@; choose a base image that is not older" >&2
  exit 1
fi
)sh";

constexpr std::string_view kTorch = R"sh(if ! python3 -c 'import torch' 2> /dev/null; then
  apt-get install -y --no-install-recommends python3-torch 2> /dev/null ||
    { apt-get install -y --no-install-recommends python3-pip &&
      { python3 -m pip install --break-system-packages torch --index-url https://download.pytorch.org/whl/cpu ||
        python3 -m pip install torch --index-url https://download.pytorch.org/whl/cpu; }; } ||
    { echo "torch cannot be installed: students' programs need it" >&2; exit 1; }
fi
)sh";

constexpr std::string_view kRun = R"sh(#!/usr/bin/env bash
# Made by `rankscope pack --gradescope`. What is printed here is for the course's staff alone. Without a results.json
# Gradescope says that the autograder failed: no program runs, and nobody gets points, where it cannot be graded.
set -eu
base=${RANKSCOPE_AUTOGRADER:-/autograder}
source=$base/source
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
export HOME=$work/home RANKSCOPE_LESSONS=$source/rankscope/share/rankscope/lessons
mkdir -p "$HOME" "$base/results"
who=$(python3 - "$base/submission_metadata.json" << 'END' 2> /dev/null || true
import json, sys
users = json.load(open(sys.argv[1], encoding="utf-8"))["users"]
print((@who@).replace("/", "_").strip(". ")[:100])
END
)
mkdir -p "$work/handed-in"
cp -R "$base/submission" "$work/handed-in/${who:-submission}"
"$source/rankscope/bin/rankscope" grade '@course@' "$work/handed-in" --out "$work/graded" --format results --brief \
  @code@@personal@--results "$base/results/results.json"
)sh";

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out(text);
  for (const auto& [name, value] : values) replace_all(out, "@" + name + "@", value);
  return out;
}

/// "Debian GNU/Linux 12 (bookworm)"
std::string system_name() {
  constexpr std::uintmax_t kMost = 1 << 16;
  std::string fault;
  const std::string text = read_whole("/etc/os-release", kMost, fault);
  constexpr std::string_view kKey = "PRETTY_NAME=\"";
  const auto at = text.find(kKey);
  if (at == std::string::npos) return "another system";
  const auto begin = at + kKey.size();
  std::string name = text.substr(begin, text.find('"', begin) - begin);
  std::erase_if(name,
                [](char one) { return one == '$' || one == '`' || one == '\\' || one == '"'; });
  return name;
}

struct Personal {
  bool needed = false;
  fs::path secret;
};

/// A course with a secret draws each student's numbers from it and the roster.
Personal personal_of(const PackOptions& options, const fs::path& course_file) {
  std::error_code error;
  Personal out;
  out.secret = options.secret.empty() ? secret_beside(course_file) : fs::path(options.secret);
  out.needed = !options.secret.empty() || fs::exists(out.secret, error);
  if (!out.needed) return out;
  read_secret(out.secret);
  if (options.roster.empty())
    throw UserError(
        fmt::format("{} draws each student's numbers: give the class with --roster FILE, which is "
                    "put into the zip file",
                    escaped(out.secret.string())));
  return out;
}

int run_pack(const Console& console, const PackOptions& options) {
  if (!options.gradescope) throw UserError("say for what it is packed: --gradescope");
  const LessonLibrary library(lessons_folder());
  const Course course = library.course(options.course);
  const fs::path course_file = library.course_file(options.course);
  for (const CourseEntry& entry : entries_of(course, library))
    if (entry.lesson->student_copy)
      throw UserError(
          fmt::format("the lesson '{}' is a student's copy without answers: pack whole lessons",
                      entry.lesson->slug));
  if (course.slug.find('\'') != std::string::npos)
    throw UserError("a course whose name has a quote in it cannot be packed: rename its file");
  const Personal personal = personal_of(options, course_file);
  if (!options.roster.empty()) Roster{fs::path(options.roster)};
  const bool programs = !program_names(library, course).empty();
  const std::string file = options.output.empty() ? "autograder.zip" : options.output;

  Package package;
  package.add("setup.sh",
              filled(kSetup, {{"compiler", programs ? "has g++ g++\n" : ""},
                              {"torch", programs ? std::string(kTorch) : ""},
                              {"system", system_name()}}),
              true);
  package.add(
      "run_autograder",
      filled(kRun,
             {{"course", course.slug},
              {"who", options.roster.empty() ? "\"; \".join(one[\"name\"] for one in users)"
                                             : "users[0][\"email\"]"},
              {"code", programs ? "--code " : ""},
              {"personal",
               (options.roster.empty() ? "" : std::string("--roster \"$source/roster.csv\" ")) +
                   (personal.needed ? "--secret \"$source/course.secret\" " : "")}}),
      true);
  if (!options.roster.empty()) package.add_file(options.roster, "roster.csv");
  if (personal.needed) package.add_file(personal.secret, "course.secret");
  add_program(package, library, course, course_file);
  const std::string bytes = package.finish();
  write_whole(file, bytes);
  console.print(fmt::format("{}: {}, {}. Upload it under Configure Autograder.\n", escaped(file),
                            course.title, amount_text(bytes.size())));
  console.note(fmt::format(
      "It holds the answers: give it to nobody. It was packed on {}; choose a base image that is "
      "not older.{}",
      system_name(),
      programs && course.hand_in.without_boxes == "refuse"
          ? " Where that allows no sandboxes, programs are not graded; without_boxes = "
            "\"other-user\" under [hand_in] lets them run there with limits alone."
          : ""));
  return kOk;
}

Action define_pack(OptionList app) {
  const auto options = std::make_shared<PackOptions>();
  app.add_option("COURSE", "COURSE", options->course, "A course's name or file").required();
  app.add_flag("--gradescope", options->gradescope, "The zip file of an autograder for Gradescope");
  app.add_option("-o,--output", "FILE", options->output, "Default: autograder.zip");
  app.add_option("--roster", "FILE", options->roster,
                 "The class as CSV, for personal numbers and extensions; put into the zip file");
  app.add_option("--secret", "FILE", options->secret,
                 "The secret behind personal numbers; default: the one beside the course file");
  return [options](const Console& console) { return run_pack(console, *options); };
}

}  // namespace

constinit const CommandEntry kPackCommand{
    .name = "pack",
    .group = kTeaching,
    .summary = "pack a course and this program as an autograder",
    .details =
        "For Gradescope: autograder.zip with setup.sh, run_autograder, this program with its "
        "libraries, and the course with its answers. Each submission is graded as by `rankscope "
        "grade --brief`; students see the points and remarks of each item. Programs run in "
        "sandboxes. Where the machine allows none (containers usually do not), no program runs and "
        "Gradescope reports a failed autograder, unless the course file says without_boxes = "
        "\"other-user\" under [hand_in]: then each rank of a submission runs as a user of its own "
        "with limits of time, memory, processes, output and system calls, and its report says what "
        "that leaves open.",
    .examples =
        "rankscope pack --gradescope homework  # autograder.zip\n"
        "rankscope pack --gradescope homework -o hw2.zip --roster roster.csv  # personal numbers",
    .define = define_pack,
};

}  // namespace rankscope::cli
