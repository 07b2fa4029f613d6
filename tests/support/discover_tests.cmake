# cmake -D EXECUTABLE= -D FOLDER= -D CATCH_VERSION= -D OUTPUT= -D ENVIRONMENT= -D LIMIT= -P discover_tests.cmake
#
# Registers each TEST_CASE of a Catch2 executable with CTest. Catch2's own module cannot turn tags
# into labels in release 2, which Debian has.

cmake_minimum_required(VERSION 3.22)

# Sets `names` to a text with one test name a line, each line ended.
function(list_tests names spec)
  if(CATCH_VERSION VERSION_LESS 3)
    set(options --list-test-names-only)
  else()
    set(options --list-tests --verbosity quiet)
  endif()
  execute_process(COMMAND ${EXECUTABLE} ${spec} ${options}
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
  # Release 2 returns the number of tests, so a failure shows as text or as a signal's name.
  if(NOT result MATCHES "^[0-9]+$" OR NOT errors STREQUAL "")
    message(FATAL_ERROR "${EXECUTABLE} cannot list its tests (${result}): ${output}${errors}")
  endif()
  set(${names} "\n${output}" PARENT_SCOPE)
endfunction()

list_tests(all "~[.]")  # hidden tests, benchmarks say, are for the hand
list_tests(slow "[slow]")
list_tests(full "[full]")
list_tests(serial "[serial]")

# Release 2 would pass when a name matches nothing; release 3 fails by itself.
set(no_test_fails "")
if(CATCH_VERSION VERSION_LESS 3)
  set(no_test_fails "--warn NoTests")
endif()

set(script "")
set(rest "${all}")
while(rest MATCHES "^\n*([^\n]+)\n")
  set(name "${CMAKE_MATCH_1}")
  string(LENGTH "${CMAKE_MATCH_0}" length)
  math(EXPR length "${length} - 1")  # the line's end begins the next line
  string(SUBSTRING "${rest}" ${length} -1 rest)

  set(labels ${FOLDER})
  foreach(tag slow full serial)
    string(FIND "${${tag}}" "\n${name}\n" position)
    if(NOT position EQUAL -1)
      list(APPEND labels ${tag})
    endif()
  endforeach()
  set(serial_property "")
  if("serial" IN_LIST labels)
    set(serial_property "RUN_SERIAL TRUE")
  endif()
  # In a test specification a comma, a bracket and a backslash have a meaning.
  string(REGEX REPLACE "([][,\\\\])" "\\\\\\1" pattern "${name}")
  set(test "${FOLDER}: ${name}")
  string(APPEND script
    "add_test([==[${test}]==] [==[${EXECUTABLE}]==] [==[${pattern}]==] ${no_test_fails})\n"
    "set_tests_properties([==[${test}]==] PROPERTIES LABELS \"${labels}\" TIMEOUT ${LIMIT} "
    "SKIP_REGULAR_EXPRESSION \"(^|\n)test skipped: \" ENVIRONMENT [==[${ENVIRONMENT}]==] ${serial_property})\n")
endwhile()
if(script STREQUAL "")
  message(FATAL_ERROR "${EXECUTABLE} has no tests")
endif()
file(WRITE "${OUTPUT}" "${script}")
