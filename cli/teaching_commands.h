// The rows of the commands for teaching: lessons, exercises, grading.
#pragma once

#include <array>

#include "cli/commands.h"

namespace rankscope::cli {

inline constexpr std::string_view kTeaching = "Teaching";

inline constexpr auto kTeachingCommands = std::to_array<CommandEntry>({
    {
        .name = "lesson",
        .group = kTeaching,
        .summary = "go through lessons, hand them out, and write your own",
        .details =
            "list: lessons and courses, and how far one is. show: a lesson to read. run: page by "
            "page with its questions; hint, skip, run, answer, back, next, quit; goes on the next "
            "time where it stopped. check: every mistake with its line, every stored answer "
            "graded. new: a lesson to start from. export: a handout, or the answer sheet to fill "
            "in. slides: a PDF for the projector, with notes for the speaker. script: the same for "
            "the application: runs and questions, step by step with a clicker. bank: questions for "
            "Moodle (XML) and Canvas (QTI 2.1). drills: faulty programs with a key, for practice "
            "and exams, each found faulty by a run. repair: a faulty program in your editor "
            "($VISUAL, $EDITOR), judged by its run until it is right. pack: lessons without "
            "answers, to give away. language: which there are and which is used; with LANG, "
            "remember "
            "that one; with a LESSON as well, its texts to translate, as TOML.",
        .examples =
            "rankscope lesson list  # what there is\n"
            "rankscope lesson run flat-allreduce  # go through one, also over ssh\n"
            "rankscope lesson run 12 --student ada --seed 3  # by number, with other numbers in "
            "it\n"
            "rankscope lesson show ring-allreduce --lecturer  # with notes and right answers\n"
            "rankscope lesson new my-lesson  # a lesson of your own\n"
            "rankscope lesson check my-lesson\n"
            "rankscope lesson export flat-allreduce -o flat.pdf  # a handout\n"
            "rankscope lesson export homework --sheet -o answers.toml  # to fill in and hand in\n"
            "rankscope lesson slides ring-allreduce -o ring.pdf --answers  # present it with "
            "pdfpc\n"
            "rankscope lesson script ring-allreduce -o ring.rankscript  # then: rankscope-gui "
            "--script ring.rankscript\n"
            "rankscope lesson bank reduce broadcast -o questions.xml  # for Moodle\n"
            "rankscope lesson bank --format qti -o questions.zip  # all lessons, for Canvas\n"
            "rankscope lesson drills --sheet 10 --seed 7 -o exam  # ten faulty programs, and a "
            "key\n"
            "rankscope lesson show broadcast --lang de  # in German, where it is translated\n"
            "rankscope lesson repair find-the-bug relay  # in your editor, until it is right\n"
            "rankscope lesson repair exam/questions/01-my-broadcast.py  # a drill\n"
            "rankscope lesson pack --student homework -o for-students  # a course without answers",
        .define = define_lesson,
    },
    {
        .name = "glossary",
        .group = kTeaching,
        .summary = "say what a word means, and which lesson introduces it",
        .details =
            "Without a word, all of them. Any form of a word is understood: ranks, algbw, β.",
        .examples = "rankscope glossary rendezvous\n"
                    "rankscope glossary  # all words\n"
                    "rankscope glossary \"bus bandwidth\" --json  # for a script",
        .define = define_glossary,
    },
    {
        .name = "exercise",
        .group = kTeaching,
        .summary = "run and grade a program for a code exercise",
        .details =
            "Calls the program's function as the exercise says, on several numbers of "
            "ranks, each rank in a "
            "box, and judges the messages and the results rule by rule, with "
            "the first step "
            "that goes wrong. Of this computer the program sees only the libraries "
            "that it needs. In a terminal, a program that fails is first shown in the smallest "
            "run in which it still does, with a question about it (--no-ask, --smallest 0).",
        .examples =
            "rankscope exercise my-broadcast my_broadcast.py  # a file\n"
            "rankscope exercise ring-allreduce homework/ --trace runs/  # a folder; keep "
            "the run that fails\n"
            "rankscope exercise ring-allreduce ring.py --ask  # first the smallest run that "
            "fails, with a question\n"
            "rankscope exercise my-allgather my_allgather.py --explore 100  # in other "
            "orders of its messages\n"
            "rankscope exercise my-allgather my_allgather.py --replay 17  # the order of "
            "seed 17 again\n"
            "rankscope exercise my-broadcast my_broadcast.py --keep-traces runs/  # keep all runs\n"
            "rankscope exercise my-broadcast runs/ --from-traces  # judge them again, without "
            "running anything",
        .define = define_exercise,
    },
    {
        .name = "grade",
        .group = kTeaching,
        .summary = "grade answer files of a whole class",
        .details =
            "Submissions are folders, zip files and single answer files (TOML or JSON). Each "
            "student "
            "gets results.json (Gradescope), junit.xml, report.html and report.pdf in a folder of "
            "DIR; the class gets gradebook.csv, class.html and statistics.html (how hard each "
            "question was, how well it tells students apart, which mistakes are how often; also "
            "as CSV). A submission that cannot be read "
            "gets "
            "a line that says why, and 0; the others go on. Written answers wait for a TA, whose "
            "points stand in DIR/marks.toml and survive every grading. Students graded "
            "already, "
            "whose files have not changed, are kept: an interrupted batch continues.",
        .examples =
            "rankscope grade homework submissions/ --out graded  # a folder of a class\n"
            "rankscope grade homework class.zip late/anna.toml --out graded  # and who was late\n"
            "rankscope grade homework class.zip --out graded --marks marks.toml  # points by "
            "hand\n"
            "rankscope grade homework /autograder/submission --out /tmp/graded --format results "
            "--brief  # on Gradescope; then copy the one results.json\n"
            "rankscope grade homework class.zip --out graded --gradebook canvas,moodle --roster "
            "roster.csv  # marks to import there\n"
            "rankscope grade homework class.zip --out graded --code --smallest 20  # wrong "
            "programs "
            "with the smallest run in which they fail\n"
            "rankscope grade homework class.zip --out graded --code --from-traces runs/  # again "
            "from the runs that --keep-traces runs/ kept\n"
            "rankscope grade homework class.zip --out graded --json  # for a script",
        .define = define_grade,
    },
});

}  // namespace rankscope::cli
