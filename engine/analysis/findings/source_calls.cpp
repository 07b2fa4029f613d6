// Reads calls of message verbs from the source texts of a trace: arguments, loops, the next calls.
#include "engine/analysis/findings/source_calls.h"

#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {
namespace {

constexpr std::size_t kMostLines = 8;  // of one call

bool is_blank(std::string_view line) {
  line = trimmed(line);
  return line.empty() || line.front() == '#' || line.starts_with("//");
}

enum class Side { none, send, receive, both };

Side side_of(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSends{"send",   "isend",       "ssend",
                                                   "issend", "bsend",       "ibsend",
                                                   "rsend",  "send_object", "isend_object"};
  constexpr std::array<std::string_view, 4> kReceives{"recv", "irecv", "recv_object",
                                                      "recv_reduce"};
  const std::string small = ascii_lower(name);
  if (small == "sendrecv") return Side::both;
  if (ranges::find(kSends, small) != kSends.end()) return Side::send;
  return ranges::find(kReceives, small) != kReceives.end() ? Side::receive : Side::none;
}

/// "dst" and "partner" for "dst=partner"; the name is empty where the argument has none.
std::pair<std::string_view, std::string_view> named(std::string_view argument) {
  const auto name = first_name(argument);
  const auto rest = trimmed(argument.substr(name.size()));
  if (name.empty() || !rest.starts_with('=') || rest.starts_with("==")) return {{}, argument};
  return {name, trimmed(rest.substr(1))};
}

CallText read_call(const std::vector<std::string_view>& arguments, Side called, bool send,
                   bool peer_first) {
  constexpr std::array<std::string_view, 5> kTo{"dst", "dest", "dst_rank", "group_dst", "to"};
  constexpr std::array<std::string_view, 5> kFrom{"src", "source", "src_rank", "group_src",
                                                  "from_"};
  const auto& peers = send ? kTo : kFrom;
  const std::string_view tag = called != Side::both ? "tag" : send ? "sendtag" : "recvtag";
  CallText text;
  std::vector<std::string_view> plain;
  for (const auto argument : arguments) {
    const auto [name, value] = named(argument);
    if (name.empty()) plain.push_back(value);
    else if (ranges::find(peers, name) != peers.end()) text.peer = value;
    else if (name == tag) text.tag = value;
  }
  // (data, peer, tag), and of mpi4py's Sendrecv (data, to, tag, data, from, tag). In C++ the peer is first.
  const bool second = called == Side::both && !send;
  const std::size_t place = peer_first ? (second ? 2 : 0) : second ? 4 : 1;
  if (text.peer.empty() && plain.size() > place) text.peer = plain[place];
  if (peer_first && plain.size() > place + 1) text.data = plain[place + 1];
  if (text.tag.empty() && called != Side::both && plain.size() > place + 1)
    text.tag = plain[place + 1];
  return text;
}

/// "peer" for "for peer in (1, 2):", also inside a line; empty where there is no such loop.
std::string_view loop_variable(std::string_view line) {
  for (std::size_t at = line.find("for "); at != std::string_view::npos;
       at = line.find("for ", at + 1)) {
    if (at > 0 && in_name(line[at - 1])) continue;
    const auto rest = line.substr(at + 4);
    const auto in = rest.find(" in ");
    if (in != std::string_view::npos) return trimmed(rest.substr(0, in));
  }
  return {};
}

/// 2 and 1 for "for tag in (2, 1):".
std::vector<int> numbers_of_loop(std::string_view line) {
  std::vector<int> found;
  const auto in = line.find(" in ");
  const auto begin = in == std::string_view::npos ? in : line.find_first_of("([", in);
  if (begin == std::string_view::npos || !is_blank(line.substr(in + 4, begin - in - 4)))
    return found;
  for (const auto one : arguments_of(line.substr(begin)))
    if (const auto value = as_number<int>(one)) found.push_back(*value);
  return found;
}

}  // namespace

SourceText::SourceText(const Trace& trace, std::uint32_t site) {
  const auto* const place = trace.definition(Definition::Kind::site, site);
  if (place == nullptr) return;
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  file_ = name_of(place->file);
  for (const auto& [file, text] : trace.meta().sources) {
    if (name_of(file) != file_) continue;
    line_ = place->line;
    lines_ = lines_of(text);
    return;
  }
}

std::string SourceText::code(std::size_t number) const {
  const std::string_view all = line(number);
  std::string code;
  char quote = 0;
  bool formatted = false;
  int braces = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const char c = all[at];
    if (quote == 0) {
      if (c == '#' || (is_cpp() && all.substr(at).starts_with("//"))) break;
      const bool divides_digits = is_cpp() && c == '\'' && at > 0 && in_name(all[at - 1]);
      if ((c == '"' || c == '\'') && !divides_digits) {
        quote = c;
        formatted = at > 0 && (all[at - 1] == 'f' || all[at - 1] == 'F');
      }
      code += c;
    } else if (c == quote && braces == 0) {
      quote = 0;
      code += c;
    } else if (c == '\\' && braces == 0) {
      ++at;
    } else if (formatted) {
      braces += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (braces > 0 || c == '}') code += c;
    }
  }
  return code;
}

std::size_t SourceText::loop_of(std::size_t number) const {
  std::size_t inside = indentation(line(number));
  for (std::size_t at = number; at-- > 1 && inside > 0;) {
    const auto above = line(at);
    if (is_blank(above) || indentation(above) >= inside) continue;
    inside = indentation(above);
    const Block block = block_of(*this, at);
    if (block == Block::loop) return at;
    if (block == Block::lambda || block == Block::definition) return 0;
  }
  return 0;
}

Block block_of(const SourceText& text, std::size_t line) {
  const std::string code = text.code(line);
  if (text.is_cpp())
    for (const std::string_view lambda : {"[&", "[=", "[]", "[this", "]("})
      if (code.find(lambda) != code.npos) return Block::lambda;
  std::string_view start = trimmed(code);
  while (text.is_cpp() && start.starts_with('}')) start = trimmed(start.substr(1));
  if (start.starts_with("async ")) start.remove_prefix(6);
  using Names = std::initializer_list<std::string_view>;
  const auto is_one = [&](Names of_cpp, Names of_python) {
    const Names& names = text.is_cpp() ? of_cpp : of_python;
    return ranges::find(names, first_name(start)) != names.end();
  };
  if (is_one({"for", "while", "do"}, {"for", "while"})) return Block::loop;
  if (is_one({"if", "else", "switch", "case", "default", "catch"},
             {"if", "elif", "else", "except", "match", "case"}))
    return Block::branch;
  return is_one({"class", "struct", "union", "namespace"}, {"def", "class"}) ? Block::definition
                                                                             : Block::other;
}

std::optional<FunctionHead> function_at(const SourceText& text, std::size_t number) {
  std::size_t inside = indentation(text.line(number));
  for (std::size_t line = number; line-- > 1 && inside > 0;) {
    std::string head = text.code(line);
    if (is_blank(head) || indentation(head) >= inside) continue;
    inside = indentation(head);
    const Block block = block_of(text, line);
    if (block == Block::lambda || block == Block::definition) return std::nullopt;
    if (block != Block::other || first_name(trimmed(head)) == "try") continue;
    while (ranges::count(head, '(') < ranges::count(head, ')') && line > 1)
      head = text.code(--line) + " " + head;
    const auto bracket = head.find('(');
    if (bracket == std::string::npos) return std::nullopt;
    const auto name = last_name(std::string_view(head).substr(0, bracket));
    return FunctionHead{line, std::string(name), head.substr(bracket)};
  }
  return std::nullopt;
}

std::vector<std::string_view> arguments_of(std::string_view text) {
  std::vector<std::string_view> found;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    else if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
    const bool ends = depth == 0;
    if (!ends && !(depth == 1 && c == ',')) continue;
    if (const auto one = trimmed(text.substr(begin, at - begin)); !one.empty())
      found.push_back(one);
    begin = at + 1;
    if (ends) break;
  }
  return found;
}

void each_call(const SourceText& text, std::size_t line,
               const std::function<bool(std::string_view, std::string_view)>& take) {
  std::string call;  // as far as its brackets are open
  for (std::size_t at = line; at < line + kMostLines && at <= text.size(); ++at) {
    call += text.code(at) + " ";
    if (ranges::count(call, '(') <= ranges::count(call, ')')) break;
  }
  for (std::string_view rest = call; !rest.empty();) {
    const auto name = first_name(rest);
    rest.remove_prefix(name.empty() ? 1 : name.size());
    if (!name.empty() && rest.starts_with('(') && take(name, rest)) return;
  }
}

std::pair<std::size_t, std::string> line_above(const SourceText& text, std::size_t line,
                                               const std::regex& shape) {
  const auto function = function_at(text, line);
  std::smatch found;
  while (function && line-- > function->line)
    if (const std::string code = text.code(line); std::regex_search(code, found, shape))
      return {line, found[1].str()};
  return {};
}

std::vector<std::size_t> calls_of(const SourceText& text, std::size_t line) {
  std::vector<std::size_t> out;
  const auto function = function_at(text, line);
  if (!function) return {line};
  for (std::size_t at = 1; at <= text.size(); ++at)
    if (const std::string code = text.code(at);
        at != function->line && has_name(code, function->name))
      out.push_back(at);
  return out.empty() ? std::vector{line} : out;
}

CallText call_text_of(const SourceText& text, std::size_t line, bool send) {
  CallText read;
  each_call(text, line, [&](std::string_view name, std::string_view brackets) {
    const Side called = side_of(name);
    if (called == Side::none || (called == Side::send && !send) ||
        (called == Side::receive && send))
      return false;
    read = read_call(arguments_of(brackets), called, send, text.is_cpp());
    read.verb = name;
    return true;
  });
  return read;
}

std::pair<const Definition*, const Definition*> in_one_function(const Trace& trace,
                                                                std::uint32_t one,
                                                                std::uint32_t other) {
  const Definition* there = nullptr;
  const Definition* const here =
      find_around(trace, Definition::Kind::site, one, [&](const Definition& ours) {
        there = find_around(trace, Definition::Kind::site, other, [&](const Definition& theirs) {
          return theirs.name == ours.name && theirs.file == ours.file;
        });
        return there != nullptr;
      });
  return {here, there};
}

bool leads_to(const Trace& trace, std::uint32_t from, std::uint32_t to) {
  const auto [here, there] = in_one_function(trace, from, to);
  if (here == nullptr || there->line <= here->line) return false;
  const SourceText text(trace, here->id);
  if (!text.known() || text.is_cpp()) return false;
  const std::size_t block = indentation(text.line(there->line));
  for (std::size_t line = here->line; line < there->line; ++line)
    if (!is_blank(text.line(line)) && indentation(text.line(line)) < block) return false;
  return true;
}

namespace {

/// The outermost line of Python that begins a block around a line, but not around another line of its function: a condition on
/// the rank, else another one, or a loop without conditions; 0: none.
std::size_t block_around(const SourceText& text, std::size_t inside, std::size_t other) {
  std::size_t found = 0, depth = indentation(text.line(inside));
  bool asks = false, branches = false;
  for (std::size_t at = inside; at-- > 1 && depth > 0;) {
    if (is_blank(text.line(at)) || indentation(text.line(at)) >= depth) continue;
    depth = indentation(text.line(at));
    std::size_t end = at + 1;
    while (end <= text.size() && (is_blank(text.line(end)) || indentation(text.line(end)) > depth))
      ++end;
    if (at < other && other < end) return found;
    const Block block = block_of(text, at);
    if (block == Block::loop && !asks) found = branches ? 0 : at;
    if (block != Block::branch || asks) continue;
    std::size_t test = at;  // of an else, the condition above it
    while (test > 1 && (indentation(text.line(test)) != depth ||
                        first_name(trimmed(text.line(test))) == "else"))
      --test;
    asks = text.code(test).find("rank") != std::string::npos;
    branches = true;
    found = at;
  }
  return found;
}

}  // namespace

Parting parting_of(const Trace& trace, std::uint32_t one, std::uint32_t other) {
  const auto [here, there] = in_one_function(trace, one, other);
  if (here == nullptr || here->line == there->line) return {};
  const SourceText text(trace, here->id);
  if (!text.known() || text.is_cpp()) return {};
  std::size_t inside = here->line, outside = there->line;
  std::size_t head = block_around(text, inside, outside);
  const std::size_t heads = block_around(text, outside, inside);
  if (head == 0) head = heads, std::swap(inside, outside);
  if (head == 0) return {};
  Parting out;
  out.why = fmt::format(" Line {} parts the ranks: line {} is in its block ({}), line {} is not.",
                        head, inside, trimmed(text.code(head)), outside);
  if (block_of(text, head) == Block::loop)
    out.advice = fmt::format(
        "Give all ranks as many turns of the loop in line {}, so that their calls keep one order: "
        "parts of one length, or the smallest number of turns that any rank has.",
        head);
  else if (head == heads || heads == 0)
    out.advice = fmt::format(
        "Take line {} out of the block of line {}, so that all ranks make the same calls in one "
        "order, or let it make no call of all ranks.",
        inside, head);
  return out;
}

std::string shared_buffer(const Trace& trace, std::uint32_t site) {
  constexpr std::array<std::string_view, 10> kTwoBuffers{
      "Allreduce", "Reduce",   "Scan",       "Exscan",  "Allgather",
      "Gather",    "Alltoall", "Iallreduce", "Ireduce", "Reduce_scatter_block"};
  const SourceText text(trace, site);
  std::string shared;
  each_call(text, text.line_number(), [&](std::string_view called, std::string_view brackets) {
    if (ranges::find(kTwoBuffers, called) == kTwoBuffers.end()) return false;
    std::string_view in, out;
    for (const auto argument : arguments_of(brackets)) {
      const auto [name, value] = named(argument);
      if (name == "sendbuf" || (name.empty() && in.empty())) in = value;
      else if (name == "recvbuf" || (name.empty() && out.empty())) out = value;
    }
    const bool is_name = ranges::all_of(in, in_name);
    if (is_name && in == out && in != "None") shared = in;
    return true;
  });
  return shared;
}

namespace {

/// A type of the standard library's that holds its elements, as it is written or by "using Rows = ...;".
bool holds_elements(const SourceText& text, std::string_view type) {
  const auto is_of = [](std::string_view written) {
    return ranges::any_of(
               std::array<std::string_view, 5>{"std::vector<", "std::array<", "std::string",
                                               "std::valarray<", "std::deque<"},
               [&](std::string_view name) { return written.starts_with(name); }) &&
           !written.starts_with("std::string_view");
  };
  if (is_of(type)) return true;
  const std::string alias = "using " + std::string(type) + " = ";
  for (std::size_t line = 1; line <= text.size(); ++line)
    if (const auto code = trimmed(text.line(line)); code.starts_with(alias))
      return is_of(trimmed(code.substr(alias.size())));
  return false;
}

}  // namespace

std::optional<LostCopy> lost_copy(const SourceText& text) {
  if (!text.known() || !text.is_cpp()) return std::nullopt;
  const std::string name(first_name(call_text_of(text, text.line_number(), false).data));
  const auto function = name.empty() ? std::nullopt : function_at(text, text.line_number());
  if (!function) return std::nullopt;
  LostCopy found{name, {}, function->name, function->line};
  for (const auto argument : arguments_of(function->brackets))
    if (last_name(argument) == name && argument.size() > name.size())
      found.type = trimmed(argument.substr(0, argument.size() - name.size()));
  if (found.type.find_first_of("&*") != std::string::npos || !holds_elements(text, found.type))
    return std::nullopt;
  // Each use of the name has to be where a receive writes.
  for (std::size_t line = found.line + 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    if (indentation(code) <= indentation(text.line(found.line)) && trimmed(code).starts_with('}'))
      return found;
    const auto at = find_name(code, name);
    if (at == code.npos) continue;
    const auto written = call_text_of(text, line, false).data;
    if (written.empty() || at != code.find(written) ||
        has_name(code.substr(at + name.size()), name))
      return std::nullopt;
  }
  return std::nullopt;
}

bool is_own_array(const SourceText& text, bool send) {
  if (!text.known() || !text.is_cpp()) return false;
  const std::string name(first_name(call_text_of(text, text.line_number(), send).data));
  const auto function = name.empty() ? std::nullopt : function_at(text, text.line_number());
  if (!function) return false;
  // "std::vector<double> name", with neither & nor * before the name.
  const auto declares = [&](std::string_view code) {
    const auto at = code.find(" " + name);
    const auto end = at + 1 + name.size();
    if (at == code.npos || at == 0 || (end < code.size() && in_name(code[end]))) return false;
    const auto word = last_name(code.substr(0, at));
    return ((code[at - 1] == '>' && at > 1 && code[at - 2] != ' ') || !word.empty()) &&
           code.find("span<") == code.npos && word != "auto" && word != "span" &&
           word != "return" && word != "else";
  };
  for (const auto argument : arguments_of(function->brackets))
    if (declares(argument)) return true;
  for (std::size_t line = function->line + 1; line < text.line_number(); ++line)
    if (const auto code = text.code(line); declares(code) && !has_name(code, "static")) return true;
  return false;
}

std::string partner_text(const Trace& trace, std::uint32_t site, bool send) {
  const SourceText text(trace, site);
  if (!text.known()) return {};
  const std::string peer = call_text_of(text, text.line_number(), send).peer;
  for (auto loop = text.line_number(); loop > 0; loop = text.loop_of(loop))
    if (has_name(loop_variable(text.line(loop)), peer)) return {};
  return as_number<int>(peer) ? std::string() : peer;
}

NextCall next_call(const SourceText& text, std::size_t from, bool send) {
  const std::size_t block = indentation(text.line(from));
  for (std::size_t line = from + 1; line <= text.size(); ++line) {
    if (is_blank(text.line(line))) continue;
    if (indentation(text.line(line)) != block) break;
    if (auto call = call_text_of(text, line, send); !call.verb.empty()) return {line, call};
  }
  return {};
}

std::string next_partner_text(const Trace& trace, std::uint32_t site, bool send) {
  const SourceText text(trace, site);
  return text.known() ? next_call(text, text.line_number(), send).call.peer : std::string();
}

bool stands_in_for_loop(const Trace& trace, std::uint32_t site) {
  const SourceText text(trace, site);
  for (auto loop = text.known() ? text.line_number() : 0; loop > 0; loop = text.loop_of(loop))
    if (!loop_variable(text.line(loop)).empty()) return true;
  return false;
}

std::vector<int> later_tags(const Trace& trace, std::uint32_t site, bool send) {
  std::vector<int> found;
  const SourceText text(trace, site);
  if (!text.known()) return found;
  const auto add = [&](std::size_t line) {
    const std::string tag = call_text_of(text, line, send).tag;
    if (const auto value = as_number<int>(tag)) found.push_back(*value);
    for (auto loop = text.loop_of(line); loop > 0 && !tag.empty(); loop = text.loop_of(loop))
      if (has_name(loop_variable(text.line(loop)), tag))
        for (const int one : numbers_of_loop(text.line(loop))) found.push_back(one);
  };
  const std::size_t block = indentation(text.line(text.line_number()));
  add(text.line_number());  // in a loop
  for (std::size_t line = text.line_number() + 1; line <= text.size(); ++line) {
    if (is_blank(text.line(line))) continue;
    if (indentation(text.line(line)) < block) break;
    add(line);
  }
  return found;
}

std::string called_collective(const Trace& trace, const StepEvent& call) {
  std::string name = built_in_name(trace, call);
  const SourceText text(trace, call.site);
  if (!text.known() || text.is_cpp() || find_collective(name) == nullptr) return name;
  // Calls on objects, and on parts of different lengths.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kVerbs{{
      {"bcast", "broadcast"},
      {"gather", "gather"},
      {"Gatherv", "gather"},
      {"allgather", "allgather"},
      {"scatter", "scatter"},
      {"Scatterv", "scatter"},
      {"reduce", "reduce"},
      {"allreduce", "allreduce"},
      {"alltoall", "alltoall"},
      {"gather_object", "gather"},
      {"scatter_object_list", "scatter"},
  }};
  std::string_view found;
  each_call(text, text.line_number(), [&](std::string_view called, std::string_view) {
    const auto verb = ranges::find(kVerbs, called, [](const auto& one) { return one.first; });
    if (verb == kVerbs.end()) return false;
    const bool is_second = !found.empty();
    found = is_second ? std::string_view() : verb->second;
    return is_second;
  });
  return found.empty() ? name : std::string(found);
}

}  // namespace rankscope::finder
