#include <cstdio>
#include <string_view>

namespace {

constexpr std::string_view kHelp =
    "usage: rankscope [--help | --version]\n"
    "\n"
    "Runs collective communication (allreduce, broadcast, ...) in real worker processes\n"
    "and records every step. The subcommands are not part of this version yet.\n";

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "--help";
  if (command == "--version") {
    print(stdout, "rankscope " RANKSCOPE_VERSION "\n");
    return 0;
  }
  const bool known = command == "--help" || command == "-h";
  print(known ? stdout : stderr, kHelp);
  return known ? 0 : 2;
}
