// Writes lessons for others: `rankscope lesson new`, `export`, `pack`, `slides`, `script` and `bank`.
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/run/job/transports.h"
#include "lessons/bank/bank.h"
#include "lessons/course/lesson_template.h"
#include "lessons/handout/answer_sheet.h"
#include "lessons/handout/hand_in.h"
#include "lessons/handout/handout.h"
#include "lessons/handout/personal_copies.h"
#include "lessons/handout/student_copy.h"
#include "lessons/reports/roster.h"
#include "lessons/slides/lecture_script.h"
#include "lessons/slides/slides.h"

namespace rankscope::cli {

// ---- new, export, pack ---------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

/// The lesson or course of a name.
struct Subject {
  std::shared_ptr<const LessonLibrary> lessons;  ///< Null for a lesson in a folder of its own.
  std::optional<Lesson> lesson;
  std::optional<Course> course;
};

bool is_course(const LessonLibrary& library, const std::string& name) {
  const auto names = library.course_names();
  return ranges::find(names, name) != names.end() || fs::path(name).extension() == ".toml";
}

// Throws UserError for lessons that could only partly be read.
void need_whole(const Subject& subject) {
  std::vector<const Lesson*> lessons;
  if (subject.lesson) lessons.push_back(&*subject.lesson);
  if (subject.course)
    for (const CourseEntry& entry : entries_of(*subject.course, *subject.lessons))
      lessons.push_back(entry.lesson);
  for (const Lesson* lesson : lessons)
    if (const Complaints wrong = subject.lessons->complaints_about(*lesson); !wrong.empty())
      throw UserError(
          fmt::format("the lesson {} has mistakes:\n{}`rankscope lesson check` goes "
                      "through all of it",
                      lesson->slug, wrong.to_string()));
}

/// Without a library, reads one only if the name needs it, because that takes a third of a second.
Subject subject_named(const std::string& name, std::shared_ptr<const LessonLibrary> library = {}) {
  Subject out;
  std::error_code ignored;
  if (fs::exists(fs::path(name) / "lesson.toml", ignored)) {
    out.lesson = lesson_named(name);
    return out;
  }
  out.lessons = library ? std::move(library) : std::make_shared<LessonLibrary>(lessons_folder());
  if (is_course(*out.lessons, name)) out.course = out.lessons->course(name);
  else out.lesson = out.lessons->need(name);
  need_whole(out);
  return out;
}

/// Throws UserError for a course.
Lesson whole_lesson(const std::string& name, std::shared_ptr<const LessonLibrary> library = {}) {
  Subject subject = subject_named(name, std::move(library));
  if (subject.lesson) return std::move(*subject.lesson);
  throw UserError(fmt::format("{} is a course; name one of its lessons", escaped(name)));
}

std::string format_of(const LessonOptions& options) {
  std::string format = options.format;
  if (format.empty()) {
    const std::string ending = fs::path(options.output).extension().string();
    format = ending.empty() ? "html" : ending.substr(1);
  }
  if (format != "html" && format != "pdf" && format != "md")
    throw UserError(fmt::format("'{}' is no format of handouts: use --format html, pdf or md",
                                escaped(format)));
  return format;
}

void write_markdown(const Console& console, const Handout& handout, const std::string& file) {
  if (file == "-")
    throw UserError("Markdown has its pictures beside it: name a file with --output");
  const fs::path path(file);
  const std::string folder = path.stem().string() + "-figures";
  const MarkdownHandout out = to_markdown(handout, folder);
  std::error_code error;
  if (!out.figures.empty()) fs::create_directories(path.parent_path() / folder, error);
  for (const auto& figure : out.figures)
    write_whole((path.parent_path() / folder / figure.name).string(), figure.svg);
  write_text(console, file, out.text);
}

/// Fills a student's sheet with the answers given so far, unless they are for the numbers of another seed.
void fill_in_sheet(const Console& console, const LessonOptions& options, const Subject& subject,
                   SheetOptions& sheet) {
  std::vector<std::string> remarks;
  std::uint64_t seed = 0;
  auto answers = answers_given(*subject.lessons, *subject.course, ProgressStore(), options.student,
                               seed, remarks);
  if (options.seed_given && seed != options.seed)
    remarks.push_back(
        fmt::format("no answers are filled in: they are for the numbers of seed {}", seed));
  else sheet.answers = std::move(answers);
  if (!options.seed_given) sheet.seed = seed;
  for (const std::string& remark : remarks) console.note(remark);
}

int export_sheet(const Console& console, const LessonOptions& options, const Subject& subject) {
  LessonRuns runs;
  const auto entries =
      subject.course ? entries_of(*subject.course, *subject.lessons) : entries_of(*subject.lesson);
  const std::string name = subject.course ? subject.course->slug : subject.lesson->slug;
  const std::string file = options.output.empty() ? name + ".toml" : options.output;
  // The file may be filled in, and its answers would be lost.
  std::error_code ignored;
  if (!options.force && file != "-" && fs::is_regular_file(file, ignored))
    throw UserError(
        fmt::format("'{}' is there already, and may have answers: name another file with "
                    "--output, or write over it with --force",
                    escaped(file)));
  SheetOptions sheet{name, options.student, options.seed, {}};
  if (subject.course && !options.student.empty()) fill_in_sheet(console, options, subject, sheet);
  write_text(console, file, answer_sheet(entries, sheet, runs));
  return kOk;
}

/// Returns the feedback of the packed course. Throws UserError if two have some, because they may share a lesson's copy.
std::optional<CourseFeedback> feedback_of(const std::vector<Subject>& subjects) {
  std::optional<CourseFeedback> out;
  for (const Subject& subject : subjects) {
    if (!subject.course || !subject.course->feedback) continue;
    if (out)
      throw UserError("two of these courses have a section [feedback]: pack them one by one");
    out = subject.course->feedback;
  }
  return out;
}

SealedKeys seal_all(const Console& console, const std::vector<const Lesson*>& lessons,
                    const SealCost& cost) {
  const Interrupt interrupt;
  ProgressLine progress(console);
  return seal_keys(lessons, cost, [&](std::size_t done, std::size_t all) {
    progress.show(fmt::format("{} of {} formulas sealed", done, all));
    return !interrupt.happened();
  });
}

int pack_class(const Console& console, const LessonOptions& options) {
  if (options.names.size() != 1) throw UserError("--roster packs one course: name its course file");
  const Subject subject = subject_named(options.names[0]);
  if (!subject.course)
    throw UserError(
        fmt::format("{} is a lesson, but --roster packs a course", escaped(options.names[0])));
  const Roster roster{fs::path(options.roster)};
  const fs::path course_file = subject.lessons->course_file(options.names[0]);
  const fs::path secret =
      options.secret.empty() ? secret_beside(course_file) : fs::path(options.secret);
  const bool made = !fs::exists(secret);
  ClassPack pack{*subject.lessons, *subject.course, course_file, {}, make_secret(secret)};
  for (const RosterStudent& student : roster.all()) pack.students.push_back(student.key());
  pack.settings.feedback = subject.course->feedback;
  pack.replace = options.force;
  LessonRuns runs;
  {
    const Interrupt interrupt;
    ProgressLine progress(console);
    pack_for_class(pack, options.output, runs,
                   [&](std::string_view what, std::size_t done, std::size_t all) {
                     progress.show(fmt::format("{} of {} {}", done, all, what));
                     return !interrupt.happened();
                   });
  }
  console.print(fmt::format("Copies for {} in {}, each with its own numbers.\n",
                            plural(pack.students.size(), "student"), escaped(options.output)));
  console.note(
      fmt::format("The numbers are drawn from {}{}. Keep it to yourself: grade --roster {} "
                  "draws them again.",
                  escaped(secret.string()), made ? ", which is new" : "", escaped(options.roster)));
  return kOk;
}

}  // namespace

void write_text(const Console& console, const std::string& file, const std::string& bytes) {
  if (file == "-") console.print_raw(bytes);
  else write_whole(file, bytes);
  if (file != "-") console.note(fmt::format("Written: {}", escaped(file)));
}

int new_lesson(const Console& console, const LessonOptions& options) {
  const std::string& folder = options.names[0];
  for (const fs::path& file : write_lesson_template(folder))
    console.print(fmt::format("{}\n", file.string()));
  console.note(fmt::format("Next: rankscope lesson check {0}, and rankscope lesson run {0}",
                           escaped(folder)));
  return kOk;
}

int export_lesson(const Console& console, const LessonOptions& options) {
  Subject subject = subject_named(options.names[0]);
  if (subject.lesson && !options.sheet)
    translate(*subject.lesson, language_for(*subject.lesson, options.lang));
  else if (!options.lang.empty()) throw UserError("--lang is for the handout of one lesson");
  if (options.sheet) {
    if (options.answers || options.lecturer || !options.format.empty())
      throw UserError(
          "--sheet makes the students' answer sheet: it has no answers, notes or formats");
    return export_sheet(console, options, subject);
  }
  if (options.force) throw UserError("--force is for --sheet: handouts are always overwritten");
  if (!options.student.empty()) throw UserError("--student is for --sheet: handouts have no names");
  const std::string format = format_of(options);
  LessonRuns runs;
  const HandoutOptions wanted{options.seed, options.answers, options.lecturer};
  const Handout handout = subject.course
                              ? handout_of(*subject.course, *subject.lessons, runs, wanted)
                              : handout_of(*subject.lesson, runs, wanted);
  const std::string name = subject.course ? subject.course->slug : subject.lesson->slug;
  const std::string file = options.output.empty() ? name + "." + format : options.output;
  if (format == "md") write_markdown(console, handout, file);
  else if (format == "pdf" && file == "-")
    throw UserError("pdf is not written to the standard output: name a file with --output");
  else write_text(console, file, format == "pdf" ? to_pdf(handout) : to_html(handout));
  if (format == "pdf" && !handout.language.empty() && !system_ruler().shows(handout.summary, {}))
    console.note(
        fmt::format("no font here has all letters of '{}': boxes stand in their places; "
                    "for Chinese, apt install fonts-wqy-microhei",
                    handout.language));
  return kOk;
}

int pack_lessons(const Console& console, const LessonOptions& options) {
  if (options.student.empty())
    throw UserError("lesson pack makes a student's copy: say so with --student");
  if (options.output.empty()) throw UserError("name the folder to make with --output");
  if (!options.roster.empty()) return pack_class(console, options);
  if (!options.secret.empty())
    throw UserError("--secret is for the copies of a class: give --roster");
  std::vector<Subject> subjects;
  for (const std::string& name : options.names) subjects.push_back(subject_named(name));
  std::vector<const Lesson*> lessons;
  std::vector<fs::path> courses;
  const auto add = [&](const Lesson& lesson) {
    const bool known =
        ranges::any_of(lessons, [&](const Lesson* one) { return one->folder == lesson.folder; });
    if (!known) lessons.push_back(&lesson);
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const Subject& subject = subjects[i];
    if (subject.lesson) add(*subject.lesson);
    if (!subject.course) continue;
    courses.push_back(subject.lessons->course_file(options.names[i]));
    for (const CourseEntry& entry : entries_of(*subject.course, *subject.lessons))
      add(*entry.lesson);
  }
  LessonRuns runs;
  const CopySettings settings{feedback_of(subjects), {}};
  SealedKeys keys;
  if (settings.feedback) keys = seal_all(console, lessons, settings.cost);
  if (options.force) remove_copy(options.output);
  pack_for_students(lessons, courses, options.output, runs, settings, keys);
  console.print(
      fmt::format("{2} without answers in {0}; students open the folder with `rankscope-gui {0}`, "
                  "or in a terminal "
                  "with RANKSCOPE_LESSONS={1} (README.txt in it says so)\n",
                  escaped(options.output), escaped(fs::absolute(options.output).string()),
                  plural(lessons.size(), "lesson")));
  return kOk;
}

// ---- slides, script ------------------------------------------------------------------------------

namespace {

std::string pdf_name(const std::string& option, const std::string& file) {
  if (!file.ends_with(".pdf") && !file.ends_with(".PDF"))
    throw UserError(fmt::format("{} {}: slides are PDF; give the file a name that ends with .pdf",
                                option, file));
  return file;
}

Lecture whole_lecture(const std::string& file) {
  Complaints complaints;
  auto lecture = read_lecture(file, complaints);
  if (!lecture) throw UserError(complaints.to_string());
  return std::move(*lecture);
}

}  // namespace

int make_slides(const Console& console, const LessonOptions& options) {
  if (!has_cairo())
    throw UserError(
        "this rankscope was built without Cairo (RANKSCOPE_CAIRO=OFF), so it writes no PDF");
  if (options.no_notes && !options.notes.empty())
    throw UserError("--no-notes leaves the notes out, --notes writes them: give one of them");
  const std::string& name = options.names[0];
  const bool of_lecture = name.ends_with(kLectureEnding);
  const Lecture lecture = of_lecture ? whole_lecture(name) : Lecture();
  const Lesson lesson = of_lecture ? Lesson() : whole_lesson(name);
  const std::string title = of_lecture ? lecture.title : lesson.title;
  const std::string stem = std::filesystem::path(name).stem().stem().string();
  const std::string file = pdf_name(
      "--output",
      !options.output.empty() ? options.output : (of_lecture ? stem : lesson.slug) + "-slides.pdf");
  if (!options.notes.empty() && pdf_name("--notes", options.notes) == file)
    throw UserError(
        fmt::format("--notes would replace the slides in '{}': give it another name", file));
  LessonRuns runs;
  const auto slides =
      of_lecture ? slides_of(lecture, runs, system_ruler())
                 : slides_of(lesson, runs, {options.seed, options.answers}, system_ruler());
  const Theme theme(options.dark ? Theme::Kind::dark : Theme::Kind::light);
  write_text(console, file, slides_pdf(slides, theme, !options.no_notes));
  if (!options.notes.empty()) write_text(console, options.notes, slide_notes_pdf(slides, title));
  console.note(fmt::format("{}.", plural(slides.size(), "slide")));
  return kOk;
}

int make_script(const Console& console, const LessonOptions& options) {
  const Lesson lesson = whole_lesson(options.names[0]);
  if (lesson.student_copy) throw UserError(std::string(kNotInCopy));
  const std::string ending(kLectureEnding);
  const std::string file = options.output.empty() ? lesson.slug + ending : options.output;
  if (file != "-" && !file.ends_with(kLectureEnding))
    throw UserError(fmt::format("a lecture is a file that ends in {0}: name it {1}{0}",
                                kLectureEnding, std::filesystem::path(file).stem().string()));
  const Lecture lecture = lecture_of(lesson);
  write_text(console, file, lecture_text(lecture));
  console.note(fmt::format("{}. Give the lecture with: rankscope-gui {}",
                           plural(lecture.scenes.size(), "scene"), file));
  return kOk;
}

// ---- bank ----------------------------------------------------------------------------------------

namespace {

constexpr int kMostVariants = 20;

std::string bank_format(const LessonOptions& options) {
  std::string format = options.format;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (format.empty()) format = ending == ".xml" ? "moodle" : ending == ".zip" ? "qti" : "";
  if (format != "moodle" && format != "qti")
    throw UserError(
        format.empty()
            ? std::string("say which question bank it is for: --format moodle or --format qti")
            : fmt::format("'{}' is no format of question banks: use --format moodle or qti",
                          escaped(format)));
  return format;
}

std::vector<Lesson> lessons_of(std::vector<std::string> names) {
  std::shared_ptr<const LessonLibrary> library;
  if (names.size() != 1) library = std::make_shared<LessonLibrary>(lessons_folder());
  if (names.empty())
    for (const Lesson& lesson : library->lessons())
      if (!lesson.student_copy) names.push_back(lesson.slug);
  std::vector<Lesson> out;
  for (const std::string& name : names) {
    Lesson lesson = whole_lesson(name, library);
    if (ranges::find(out, lesson.slug, &Lesson::slug) != out.end())
      throw UserError(fmt::format("the lesson {} is named twice", lesson.slug));
    out.push_back(std::move(lesson));
  }
  return out;
}

}  // namespace

int make_bank(const Console& console, const LessonOptions& options) {
  if (options.variants < 1 || options.variants > kMostVariants)
    throw UserError(
        fmt::format("--variants: from 1 to {}, not {}", kMostVariants, options.variants));
  const std::string format = bank_format(options);
  const std::string file = !options.output.empty() ? options.output
                           : format == "qti"       ? "questions.zip"
                                                   : "questions.xml";
  if (format == "qti" && file == "-")
    throw UserError("a zip file is not written to the standard output: name a file with --output");
  const std::vector<Lesson> lessons = lessons_of(options.names);
  LessonRuns runs;
  const QuestionBank bank = question_bank(lessons, runs, options.variants);
  if (bank.size() == 0) throw UserError("there is no question here that another system can ask");
  const std::string title = lessons.size() == 1 ? lessons[0].title : "rankscope";
  write_text(console, file, format == "qti" ? qti_package(bank, title) : moodle_xml(bank));
  std::string out;
  for (const std::string& one : bank.left_out) out += "left out: " + one + "\n";
  console.note(fmt::format(
      "{}{} of {}{}.", out, plural(bank.size(), "question"), plural(lessons.size(), "lesson"),
      bank.left_out.empty() ? "" : fmt::format("; {} left out", bank.left_out.size())));
  return kOk;
}

}  // namespace rankscope::cli
