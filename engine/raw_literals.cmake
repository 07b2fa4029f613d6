# For the scripts that write files into the program: text as raw string literals, which compile at once (a list of
# bytes would not). A literal is cut at a line's end before it grows past what compilers must accept.
set(longest_literal 16000)

# Sets `variable` to `text` as literals, one after another.
function(raw_literals variable text)
  set(result "")
  while(TRUE)
    string(LENGTH "${text}" length)
    if(length LESS_EQUAL longest_literal)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${longest_literal} head)
    string(FIND "${head}" "\n" cut REVERSE)
    if(cut EQUAL -1)
      message(FATAL_ERROR "a line is longer than ${longest_literal} bytes")
    endif()
    math(EXPR cut "${cut} + 1")
    string(SUBSTRING "${text}" 0 ${cut} head)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(APPEND result "R\"rankscope(${head})rankscope\"\n")
  endwhile()
  set(${variable} "${result}R\"rankscope(${text})rankscope\"" PARENT_SCOPE)
endfunction()
