# cmake -D RANKSCOPE=<binary> -D SHARE=<folder> -D STAMP=<file> -P generate_man.cmake
#
# A binary that lacks the subcommand gives no file, which is no error: the install rules take what
# is there.
cmake_minimum_required(VERSION 3.22)

function(generate file)
  execute_process(COMMAND ${RANKSCOPE} ${ARGN}
    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE result TIMEOUT 20)
  if(result EQUAL 0 AND NOT text STREQUAL "")
    file(WRITE ${SHARE}/${file} "${text}")
  else()
    file(REMOVE ${SHARE}/${file})
  endif()
endfunction()

file(MAKE_DIRECTORY ${SHARE})
generate(man/man1/rankscope.1 man)
generate(bash-completion/completions/rankscope completion bash)
generate(zsh/site-functions/_rankscope completion zsh)
generate(fish/vendor_completions.d/rankscope.fish completion fish)
file(TOUCH ${STAMP})
