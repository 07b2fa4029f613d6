// Writes the files of a new lesson.
#include "lessons/course/lesson_template.h"

#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLesson =
    R"TEMPLATE(# A lesson. lessons/README.md of the sources describes every key; after each change:
#   rankscope lesson check FOLDER     every mistake with its line, every stored answer graded
#   rankscope lesson run FOLDER       as a student sees it
title = "My lesson: a broadcast"
edition = 2                             # the rules by which it is checked
summary = "One line for the list."
minutes = 10
goals = ["say who sends to whom when rank 0 tells everybody", "count the messages"]
prerequisites = []                      # names of lessons that come before

# Pages, in order; their texts are Markdown beside this file.
[[step]]
title = "Rank 0 tells everybody"
text = "1-broadcast.md"

[[step]]
title = "What it costs"
text = "2-cost.md"

# A run: a text shows it with "@run eight", or "@run eight after rounds": closed until that question is answered.
# `rankscope list` has the algorithms.
[run.eight]
algorithm = "broadcast.binomial"
ranks = 8
count = 1
values = "=r == 0 ? 5 : 0"              # what rank r holds at first
caption = "Eight ranks; rank 0 holds 5."

# The same with a question's number of ranks: N is one of its variables.
[run.many]
algorithm = "broadcast.binomial"
ranks = "=N"
count = 1
values = "=r == 0 ? 5 : 0"

# A picture of a run: "@figure tree".
[figure.tree]
run = "eight"
diagram = "spacetime"
caption = "A rank that has the value helps to spread it."

# A number. The right answer is measured on a run, so it is right for every N.
[[question]]
id = "rounds"
kind = "number"
title = "How many rounds"
points = 2
variables = { N = [8, 4, 16] }          # seed 0 takes the first
prompt = "How many rounds does the broadcast to {N} ranks take?"
hints = ["How many ranks have the value after one round? After two?", "It doubles with each round."]
explanation = "After k rounds 2^k ranks have the value, so {N} ranks take log2({N}) = {=log2(N)} rounds."
whole = true
answer = { run = "many", measure = "rounds" }

# A student who answers so reads why it is wrong.
[[question.misconception]]
id = "one-by-one"
answer = "=N-1"
says = "That would be so if rank 0 sent every message itself. The others help."

# Answers with the marks that they must get: `lesson check` grades them all.
[[question.stored]]
name = "right"
answer = "key"

[[question.stored]]
name = "one by one"
answer = "=N-1"
share = 0
says = "one-by-one"

[[question.stored]]
name = "half of it"
answer = "=N/2"
share = "=log2(N) == N/2 ? 1 : 0"

# A formula in named variables; any way of writing it is right.
[[question]]
id = "messages"
kind = "formula"
title = "How many messages"
points = 1
prompt = "How many messages is that in all, on N ranks?"
hints = ["Every rank but one gets the value once."]
explanation = "Each rank but the root receives exactly one message."
answer = "N-1"
domain = [["N", "2..32"]]

[[question.stored]]
name = "right, written otherwise"
answer = "-1 + N"

[[question.stored]]
name = "the root counted"
answer = "N"
share = 0

[[question.stored]]
name = "the rounds"
answer = "ceil(log2(N))"
share = 0

# A choice: letters.
[[question]]
id = "first"
kind = "choice"
title = "The first message"
points = 1
prompt = "To which rank does rank 0 send first, when 8 ranks take part?"
hints = ["Look at the first arrow of the run below."]
explanation = "To rank 4: then both halves of the ranks go on apart, each with one that has the value."
options = [
  { text = "to rank 1", says = "That arrow is the last of rank 0." },
  { text = "to rank 4", right = true },
  { text = "to all at once", says = "A message has one receiver." },
]

[[question.stored]]
name = "right"
answer = "b"

[[question.stored]]
name = "the neighbour"
answer = "a"
share = 0
says = "the last of rank 0"

[[question.stored]]
name = "all at once"
answer = "c"
share = 0
says = "one receiver"

# Marked by hand, by the rubric.
[[question]]
id = "why"
kind = "written"
title = "Why not one by one"
points = 2
prompt = "Why is this faster than rank 0 sending to everybody, although the number of messages is the same?"
hints = ["What do the other ranks do while rank 0 sends?"]
explanation = "Messages of one round travel at the same time."
rubric = [
  { text = "messages of one round travel at the same time", points = 1 },
  { text = "names the number of rounds in both cases", points = 1 },
]
model = "Messages of one round travel at the same time: log2(N) rounds instead of N - 1."

[[question.stored]]
name = "a good one"
answer = "They travel at the same time, in log2(N) rounds instead of N - 1."
share = 0                               # nothing is marked by itself

[[question.stored]]
name = "a bad one"
answer = "Because trees are faster."
share = 0
)TEMPLATE";

constexpr std::string_view kFirst =
    R"TEMPLATE(In a **broadcast** one rank, the *root*, has a value that all of them need. A rank that has received it can help to
send it on: with four ranks, rank 0 sends to rank 2, and then both send at the same time.

@question first

@question rounds

Now step through the run with eight ranks, and watch who sends in each round.

@run eight after first rounds

@figure tree after first rounds

::: note
Only the lecturer sees this: ask the room for the number of rounds of 1024 ranks.
:::
)TEMPLATE";

constexpr std::string_view kSecond = R"TEMPLATE(Rounds are one thing, messages another.

| ranks | rounds |
|------:|-------:|
| 2     | 1      |
| 4     | 2      |
| 8     | 3      |

@question messages

::: reveal What if the number of ranks is no power of two?
Then the last round is not full: some ranks have nobody left to send to.
:::

@question why
)TEMPLATE";

}  // namespace

std::vector<fs::path> write_lesson_template(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw UserError(fmt::format("'{}' is there already: choose another name, or remove it first",
                                folder.string()));
  fs::create_directories(folder, error);
  if (error)
    throw UserError(
        fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  std::vector<fs::path> out;
  for (const auto& [name, text] :
       {std::pair{"lesson.toml", kLesson}, {"1-broadcast.md", kFirst}, {"2-cost.md", kSecond}}) {
    out.push_back(folder / name);
    std::ofstream file(out.back(), std::ios::binary);
    file << text;
    file.close();
    if (!file) throw UserError(fmt::format("cannot write '{}'", out.back().string()));
  }
  return out;
}

}  // namespace rankscope
