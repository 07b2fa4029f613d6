// Turns a command line into an exit code; the one place where errors become messages.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/help.h"
#include "cli/program.h"
#include "cli/sizes.h"
#include "engine/box/support.h"
#include "engine/collectives/plugin_loader.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kSummary = "see how collective communication works, in real processes";
constexpr std::string_view kDetails =
    "Runs allreduce, broadcast, allgather and their relatives between real worker processes that "
    "talk over ZeroMQ, records every step of every rank, checks the result, and shows what "
    "happened.\n\n"
    "Sizes are in bytes unless an option says otherwise and may have a unit: 64KiB is 65536 bytes, "
    "64KB is 64000.";
constexpr std::string_view kExamples =
    "rankscope demo  # four processes do a ring allreduce, shown round by round\n"
    "rankscope list allreduce -n 8 --bytes 32MiB  # which algorithms there are and what they cost\n"
    "rankscope run allreduce.ring -n 8  # run, check and record one of them";

/// The command that the user had got to when parsing stopped; an action (ActionList) has no help of its own.
const CLI::App* deepest(const CLI::App& root) {
  const CLI::App* at = &root;
  for (;;) {
    const auto parsed = at->get_subcommands();
    if (parsed.empty() || parsed.back()->get_help_ptr() == nullptr) return at;
    at = parsed.back();
  }
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

struct Complaint {
  std::string message, hint;
  bool no_boxes =
      false;  ///< Sandboxes are missing here; programs read this instead of the message.
};

/// Returns a complaint about a word that no command or option took.
Complaint unexpected(const CLI::App& root) {
  const auto& at = *deepest(root);
  const auto rest = root.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const auto doc = describe(at);
  std::vector<std::string> known;
  const bool option = word.starts_with("-");
  if (option) {
    for (const auto& candidate : doc.options)
      known.insert(known.end(), candidate.names.begin(), candidate.names.end());
  } else {
    // A command without the action that it needs: its first word is meant for one.
    if (doc.commands.empty() && at.get_subcommands().empty() &&
        !at.get_subcommands([](const CLI::App*) { return true; }).empty())
      for (const auto* argument : at.get_options())
        if (argument->get_positional() && argument->count() > 0)
          return {unknown_action(at, argument->results().front()), ""};
    for (const auto& candidate : doc.commands) known.push_back(candidate.name);
  }
  const std::string what = option ? "option" : doc.commands.empty() ? "argument" : "command";
  const std::string bare = word.substr(0, word.find('='));
  return {fmt::format("{} has no {} '{}'", path_of(at), what, word), did_you_mean(bare, known)};
}

/// Returns CLI11's words where they are clear, and clearer ones elsewhere.
Complaint complaint_of(const CLI::ParseError& error, const CLI::App& root) {
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::ExtrasError) return unexpected(root);
  std::string message = error.what();
  if (kind == CLI::ExitCodes::ArgumentMismatch && message.find("At Most 1 ") != std::string::npos)
    return {message.substr(0, message.find(':')) + " was given more than once: once is enough", ""};
  if (kind == CLI::ExitCodes::ConversionError && message.starts_with("Could not convert: ")) {
    message = message.substr(std::string_view("Could not convert: ").size());
    const auto equals = message.find(" = ");
    if (equals != std::string::npos)
      message = fmt::format("{}: '{}' is not a number", message.substr(0, equals),
                            message.substr(equals + 3));
  }
  return {message, ""};
}

void report(const Complaint& complaint, int code, const Console::Settings& settings) {
  const Console console(settings);
  std::fflush(stdout);
  std::string text;
  if (settings.json) {
    nlohmann::json error{{"message", complaint.message}, {"exit_code", code}};
    if (!complaint.hint.empty()) error["hint"] = complaint.hint;
    if (complaint.no_boxes) error["no_boxes"] = true;
    text = dump_json(nlohmann::json{{"error", error}}, 2);
  } else {
    text = fmt::format("{} {}", console.err().bad("rankscope: error:"),
                       console.err().text(complaint.message));
    if (!complaint.hint.empty()) text += "\n  " + console.err().text(complaint.hint);
  }
  text += "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string try_help(const CLI::App& app) { return fmt::format("Try '{} --help'.", path_of(app)); }

std::string joined(const std::string& hint, const std::string& other) {
  return hint.empty() ? other : hint + " " + other;
}

/// Parses, and returns the help or version if the user asked for that instead of a command.
std::string parse(Program& program, std::span<const char* const> argv) {
  try {
    program.app.parse(static_cast<int>(argv.size()), argv.data());
    return {};
  } catch (const CLI::CallForHelp&) {
    return help_text(*deepest(program.app), Console(program.settings).width());
  } catch (const CLI::CallForVersion& version) {
    return fmt::format("{}\n", version.what());
  }
}

int call(const Program& program, const Console& console) {
  for (const auto& [app, action] : program.actions)
    if (app->parsed()) return action(console);
  console.print(help_text(program.app, console.width()));
  return kOk;
}

}  // namespace

std::span<const CommandEntry* const> all_commands() {
  static constexpr const CommandEntry* kCommands[] = {
      &kDemoCommand,      &kRunCommand,        &kSimCommand,      &kExecCommand,
      &kReplayCommand,    &kListCommand,       &kWorkerCommand,   &kLessonCommand,
      &kGlossaryCommand,  &kExerciseCommand,   &kGradeCommand,    &kPackCommand,
      &kTopologyCommand,  &kScheduleCommand,   &kPredictCommand,  &kSweepCommand,
      &kCalibrateCommand, &kTrainCommand,      &kParallelCommand, &kOverlapCommand,
      &kDataCommand,      &kProfileCommand,    &kTraceCommand,    &kCheckCommand,
      &kExportCommand,    &kBenchTraceCommand, &kBenchCommand,    &kManCommand,
      &kCompletionCommand};
  return kCommands;
}

Program::Program(std::span<const CommandEntry* const> commands)
    : app(fmt::format("{}\n\n{}", kSummary, kDetails), "rankscope") {
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.footer(std::string(kExamples));
  app.require_subcommand(0, 1);
  for (const CommandEntry* entry : commands) {
    std::string description(entry->summary);
    if (!entry->details.empty()) description += "\n\n" + std::string(entry->details);
    auto* command = app.add_subcommand(std::string(entry->name), description);
    command->group(std::string(entry->group));
    command->footer(std::string(entry->examples));
    actions.emplace_back(command, entry->define(OptionList(*command)));
    if (entry->takes_plugins)
      OptionList(*command)
          .add_option("--plugin", "FILE", plugins_,
                      "Also know the algorithms in this shared library (may be repeated)")
          .allow_extra_args(false);
  }
  add_global_options(app);
  app.set_version_flag("-V,--version", "rankscope " RANKSCOPE_VERSION, "Print the version and exit")
      ->group(std::string(kGlobalGroup));
}

void Program::add_global_options(CLI::App& target) {
  if (target.get_help_ptr() == nullptr) return;  // an action, whose command has them
  const std::string group(kGlobalGroup);
  target.get_help_ptr()->group(group);
  target.add_flag("--json", settings.json, "Print JSON instead of text; errors too")->group(group);
  target.add_option("--color", color_, "Colours: on a terminal, always or never")
      ->type_name("auto|always|never")
      ->default_str("auto")
      ->group(group);
  target
      .add_flag("-q,--quiet", settings.quiet, "No progress and no notes, only results and errors")
      ->group(group);
  for (auto* command : target.get_subcommands([](const CLI::App*) { return true; }))
    add_global_options(*command);
}

int run_command_line(std::span<const char* const> argv,
                     std::span<const CommandEntry* const> commands) {
  Program program(commands);
  program.settings.command_line = argv;
  // --json also holds for errors before the end of parsing.
  const bool json = ranges::any_of(argv, [](std::string_view word) { return word == "--json"; });
  const auto fail = [&](const Complaint& complaint, int code) {
    program.settings.json = program.settings.json || json;
    report(complaint, code, program.settings);
    return code;
  };
  try {
    const auto asked = parse(program, argv);
    if (asked.empty())
      program.settings.color = one_of<ColorWhen>("--color", program.color_,
                                                 {{"auto", ColorWhen::automatic},
                                                  {"always", ColorWhen::always},
                                                  {"never", ColorWhen::never}});
    const Console console(program.settings);
    int code = kOk;
    for (const auto& file : program.plugins_) load_plugin(file);
    if (asked.empty()) code = call(program, console);
    else console.print(asked);
    console.flush();
    return code;
  } catch (const CLI::ParseError& error) {
    auto complaint = complaint_of(error, program.app);
    complaint.hint = joined(complaint.hint, try_help(*deepest(program.app)));
    return fail(complaint, kBadInput);
  } catch (const FormatError& error) {  // a file is at fault, not the words
    return fail({error.what(), ""}, kBadInput);
  } catch (const NoBoxes& error) {
    return fail({error.what(), try_help(*deepest(program.app)), true}, kBadInput);
  } catch (const UserError& error) {
    return fail({error.what(), try_help(*deepest(program.app))}, kBadInput);
  } catch (const std::system_error& error) {
    return fail({error.what(), ""}, kFailed);
  } catch (const CommError& error) {
    return fail({error.what(), ""}, kFailed);
  } catch (const std::exception& error) {
    return fail({fmt::format("internal error: {}", error.what()), "Please report this."},
                kInternal);
  }
}

}  // namespace rankscope::cli
