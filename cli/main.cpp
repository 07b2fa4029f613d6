#include "cli/command.h"

int main(int argc, char** argv) { return rankscope::cli::run_command_line(argc, argv); }
