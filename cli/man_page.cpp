// `rankscope man`: the man page in roff, written from the commands' own options.

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal/text.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

/// Returns text for roff: ASCII, with hyphens that can be searched and copied, and no line that looks like a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : to_ascii(text)) {
    const bool line_starts = escaped.empty() || escaped.back() == '\n';
    if (line_starts && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') escaped += "\\e";
    else if (c == '-') escaped += "\\-";
    else escaped += c;
  }
  return escaped;
}

/// Capitalises the text, and appends `end` if it does not end in a full stop.
std::string sentence(std::string text, char end) {
  text = capitalized(std::move(text));
  if (!text.empty() && text.back() != '.') text += end;
  return text;
}

std::string paragraphs(std::string_view text) {
  std::string page;
  while (!text.empty()) {
    const auto end = text.find("\n\n");
    page += ".PP\n" + roff(text.substr(0, end)) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return page;
}

std::string option(const OptionDoc& doc) {
  std::string names;
  for (const auto& name : doc.names)
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
  if (!doc.flag())
    names += (names.empty() ? "" : " ") + fmt::format("\\fI{}\\fR", roff(doc.placeholder));
  if (doc.repeatable) names += " ...";
  std::string text = ".TP\n" + names + "\n" + roff(sentence(doc.description, '.')) + "\n";
  if (!doc.default_value.empty()) text += roff("Default: " + doc.default_value + ".") + "\n";
  return text;
}

std::string examples(const CommandDoc& doc) {
  std::string page;
  for (const auto& example : doc.examples) {
    page +=
        ".PP\n" + roff(sentence(example.comment.empty() ? "Example" : example.comment, ':')) + "\n";
    page += ".PP\n.in +4n\n.nf\n" + roff(example.command) + "\n.fi\n.in\n";
  }
  return page;
}

std::string command(const CommandDoc& doc) {
  std::string page = fmt::format(".SS {}\n", roff(doc.usage()));
  page += ".PP\n" + roff(sentence(doc.summary, '.')) + "\n" + paragraphs(doc.details);
  for (const auto& [name, summary] : doc.actions)
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(sentence(summary, '.')));
  for (const auto& argument : doc.options)
    if (argument.positional() && !argument.action) page += option(argument);
  for (const auto& other : doc.options)
    if (!other.positional() && other.group != kGlobalGroup && other.names.back() != "--help")
      page += option(other);
  page += examples(doc);
  for (const auto& nested : doc.commands) page += command(nested);
  return page;
}

constexpr std::string_view kEnd =
    R"(.SH EXIT STATUS
.TP
.B 0
Success: what was asked for was done, and a run's result was right.
.TP
.B 1
A run failed, its result was wrong, or a file could not be written.
.TP
.B 2
Wrong usage or input; nothing was run. Also a cut or damaged trace file; its intact part is
still shown.
.TP
.B 69
The program is not at fault: it calls a part of mpi4py or Ray that rankscope lacks.
.TP
.B 70
An error inside rankscope itself. Please report it.
.TP
.B 130
Interrupted (Ctrl\-C).
.SH ENVIRONMENT
.TP
.B NO_COLOR
When set to anything, no colours are printed unless \fB\-\-color always\fR asks for them.
.TP
.B RANKSCOPE_RENDEZVOUS
The whole text of the key file that \fBrankscope run \-\-join\fR wrote, for a \fBrankscope worker\fR
without \fB\-\-key\-file\fR: \fISECRET\fR [\fIPUBLIC\-KEY SECRET\-KEY\fR] \fIENDPOINT\fR.
A program that knows it can join the run.
.TP
.B RANKSCOPE_STREAM_EVENTS
A trace of more events than this (16,000,000, which take some 2 GiB of memory, when it is not set) is
not held in memory by \fBrankscope trace info|print|stats\fR and \fBrankscope\-gui\fR, which read it
in parts. A smaller number saves memory; a larger one enables findings and all else that needs every event.
If such a file has no summary (of an older version, or cut off), its message counts are kept in
\fI$XDG_CACHE_HOME/rankscope/summaries\fR (64 MiB at most, oldest removed first), so that it opens at once the next time.
)";

std::string man_page(const CLI::App& root) {
  const auto doc = describe(root);
  std::string page =
      fmt::format(".TH RANKSCOPE 1 \"\" \"rankscope {}\" \"User Commands\"\n", RANKSCOPE_VERSION);
  page += fmt::format(".SH NAME\nrankscope \\- {}\n", roff(doc.summary));
  page += fmt::format(".SH SYNOPSIS\n.B rankscope\n{}\n",
                      roff(doc.usage().substr(doc.path.size() + 1)));
  page += ".SH DESCRIPTION\n" + paragraphs(doc.details);
  page += ".SH GLOBAL OPTIONS\nThey may stand before or after the command.\n";
  for (const auto& global : doc.options) page += option(global);
  page += ".SH COMMANDS\n";
  for (const auto& entry : doc.commands) page += command(entry);
  page += kEnd;
  page += ".SH EXAMPLES\n" + examples(doc);
  return page;
}

Action define_man(OptionList app) {
  const CLI::App* root = &app.program();
  return [root](const Console& console) {
    console.print_raw(man_page(*root));
    return kOk;
  };
}

}  // namespace

constinit const CommandEntry kManCommand{
    .name = "man",
    .group = kShell,
    .summary = "print the manual page",
    .details = "The page is generated from the options themselves (roff).",
    .examples =
        "rankscope man | man -l -  # read it\n"
        "rankscope man > rankscope.1  # keep it",
    .define = define_man,
};

}  // namespace rankscope::cli
