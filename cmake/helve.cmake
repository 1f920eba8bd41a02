# What every target of this project is built with, and the one way to declare a library.

find_program(CCACHE ccache)
if(CCACHE)
  set(ENV{CCACHE_SLOPPINESS} "pch_defines,time_macros,include_file_mtime,include_file_ctime")
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
endif()

set(Boost_USE_STATIC_LIBS ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CLI11 REQUIRED)
find_library(UTF8PROC_ARCHIVE libutf8proc.a REQUIRED)
add_library(utf8proc STATIC IMPORTED GLOBAL)
set_target_properties(utf8proc PROPERTIES IMPORTED_LOCATION ${UTF8PROC_ARCHIVE})
find_library(SQLITE3_ARCHIVE libsqlite3.a REQUIRED)
find_library(YAML_ARCHIVE libyaml.a REQUIRED)
if(HELVE_TESTS)
  find_package(GTest REQUIRED)
endif()

add_library(helve_flags INTERFACE)
target_compile_options(helve_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers -Wno-c23-extensions)
target_compile_definitions(helve_flags INTERFACE
  BOOST_ASIO_NO_DEPRECATED HELVE_VERSION="${PROJECT_VERSION}" HELVE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_include_directories(helve_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(helve_flags INTERFACE Boost::headers Boost::json Threads::Threads)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(helve_flags INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(helve_flags INTERFACE -Wl,--gc-sections -Wl,-O2)
endif()
if(HELVE_SANITIZE)
  target_compile_options(helve_flags INTERFACE -fsanitize=${HELVE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # A null pointer is what the address sanitizer stops at, and x86 takes any alignment: looking for
  # both before every access makes a third of the instrumented code.
  if(HELVE_SANITIZE MATCHES undefined)
    target_compile_options(helve_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
  target_link_options(helve_flags INTERFACE -fsanitize=${HELVE_SANITIZE})
endif()
find_program(LLD ld.lld-19)
if(LLD)
  target_link_options(helve_flags INTERFACE -fuse-ld=${LLD})
endif()

# One precompiled header, shared by every library.
if(HELVE_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
  add_library(helve_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
  target_link_libraries(helve_pch PRIVATE helve_flags)
  target_precompile_headers(helve_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
  target_compile_options(helve_pch PRIVATE -Xclang -fno-pch-timestamp)
endif()

function(helve_precompile target)
  if(HELVE_PCH)
    target_precompile_headers(${target} REUSE_FROM helve_pch)
    target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
  endif()
endfunction()

# Neither depfiles nor ccache know of files that a source embeds with #embed: their digest goes onto
# its command line, and a change of one configures anew.
function(helve_track_embeds)
  foreach(source ${ARGN})
    file(STRINGS ${source} lines REGEX "^#embed ")
    set(digests "")
    get_filename_component(folder ${source} DIRECTORY)
    foreach(line ${lines})
      string(REGEX REPLACE "^#embed \"(.*)\".*$" "\\1" embedded "${line}")
      get_filename_component(embedded ${embedded} ABSOLUTE BASE_DIR ${folder})
      file(SHA256 ${embedded} digest)
      string(APPEND digests ${digest})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${embedded})
    endforeach()
    if(digests)
      string(SHA256 digest "${digests}")
      set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "HELVE_EMBEDS=\"${digest}\"")
    endif()
  endforeach()
endfunction()

# helve_library(NAME [USES libraries above it] [LINKS packages]): the library of src/NAME, and the
# test program of the *_test.cpp files in it. `layers_test` holds the includes against this table.
function(helve_library name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS" ${ARGN})
  if(NOT IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    return()  # a row of the map whose capability has not been built yet
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/testing/|/main\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$|/testing/")
  if(NOT sources)
    return()
  endif()
  add_library(helve_${name} STATIC ${sources})
  if(HELVE_FUZZ)  # what fuzzers go through; not the tests
    target_compile_options(helve_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  helve_track_embeds(${sources})
  target_link_libraries(helve_${name} PUBLIC helve_flags ${ARG_LINKS})
  foreach(used ${ARG_USES})
    if(TARGET helve_${used})
      target_link_libraries(helve_${name} PUBLIC helve_${used})
    endif()
  endforeach()
  helve_precompile(helve_${name})
  if(tests AND HELVE_TESTS)
    add_executable(helve_${name}_test ${tests})
    target_link_libraries(helve_${name}_test PRIVATE helve_${name} GTest::gmock GTest::gtest_main)
    helve_precompile(helve_${name}_test)
    add_test(NAME ${name} COMMAND helve_${name}_test)
  endif()
endfunction()
