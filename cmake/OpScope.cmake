# Build rules shared by every folder of OpScope. Each folder lists its own sources and calls one of
# the opscope_* functions below; compiler settings are made here only.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# The base folder makes cached objects of one checkout valid in another.
find_program(OPSCOPE_CCACHE ccache)
if(OPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${OPSCOPE_CCACHE})
endif()

find_program(OPSCOPE_MOLD mold)
if(OPSCOPE_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
endif()

if(OPSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${OPSCOPE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OPSCOPE_SANITIZE})
  # Protobuf's headers give maps other members under the thread sanitizer than the installed library has.
  if(OPSCOPE_SANITIZE MATCHES "thread")
    add_compile_options(-U__SANITIZE_THREAD__)
  endif()
endif()

# Warnings and include folders of our own code. Generated headers come from the binary folder and
# are third-party as far as warnings go.
add_library(opscope_warnings INTERFACE)
target_compile_options(
  opscope_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wimplicit-fallthrough
            # GCC 12 sees uninitialised members in moved variants and strings where there are none.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<BOOL:${OPSCOPE_WERROR}>:-Werror>)

function(_opscope_common target)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>")
  target_include_directories(${target} SYSTEM PUBLIC "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>")
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:opscope_warnings>)
endfunction()

function(_opscope_qt target)
  set_target_properties(${target} PROPERTIES AUTOMOC ON)
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_FOREACH
                                               QT_USE_QSTRINGBUILDER)
endfunction()

# Notes that a library belongs to the engine, so that opscope_engine gathers it.
function(_opscope_note_part target)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/engine/")
    set_property(GLOBAL APPEND PROPERTY OPSCOPE_ENGINE_PARTS ${target})
  elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/widgets/")
    set_property(GLOBAL APPEND PROPERTY OPSCOPE_WIDGET_PARTS ${target})
  endif()
endfunction()

# opscope_library(name SOURCES a.cpp ... [DEPS lib ...] [PRIVATE_DEPS lib ...])
# A static library; without sources an interface library (headers only).
function(opscope_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  set(has_code FALSE)
  foreach(source IN LISTS arg_SOURCES)
    if(source MATCHES "\\.(cpp|cc|S)$")
      set(has_code TRUE)
    endif()
  endforeach()
  if(NOT has_code)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>")
    target_link_libraries(${name} INTERFACE ${arg_DEPS})
  else()
    add_library(${name} STATIC ${arg_SOURCES})
    _opscope_common(${name})
    target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  endif()
  _opscope_note_part(${name})
endfunction()

# opscope_object_library(name SOURCES a.cpp ... [DEPS lib ...] [OPTIONS flag ...])
# For code that registers itself in static initialisers: every program that links it, directly or
# through another library, gets all its objects (a static library would lose them). The compiled
# target is <name>_objects; <name> hands its objects on. OPTIONS are compiler flags for its sources.
function(opscope_object_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS;OPTIONS")
  add_library(${name}_objects OBJECT ${arg_SOURCES})
  _opscope_common(${name}_objects)
  target_compile_options(${name}_objects PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name}_objects PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  # Naming one file makes <name> a target that can be asked for by itself.
  add_library(${name} INTERFACE CMakeLists.txt)
  add_dependencies(${name} ${name}_objects)
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>")
  # An export doesn't put its namespace into TARGET_OBJECTS, hence two forms.
  target_link_libraries(
    ${name}
    INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:${name}_objects>>
              $<INSTALL_INTERFACE:$<TARGET_OBJECTS:OpScope::${name}_objects>> ${arg_DEPS}
              ${arg_PRIVATE_DEPS})
  _opscope_note_part(${name})
endfunction()

# opscope_qt_library(name SOURCES a.cpp ... [DEPS lib ...])
function(opscope_qt_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  add_library(${name} STATIC ${arg_SOURCES})
  _opscope_common(${name})
  _opscope_qt(${name})
  target_link_libraries(${name} PUBLIC ${arg_DEPS} Qt6::Core Qt6::Gui Qt6::Widgets
                        PRIVATE ${arg_PRIVATE_DEPS})
  _opscope_note_part(${name})
endfunction()

# opscope_program(name SOURCES a.cpp ... [DEPS lib ...] [QT])   an executable in <build>/bin
function(opscope_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  _opscope_common(${name})
  if(arg_QT)
    _opscope_qt(${name})
    target_link_libraries(${name} PRIVATE Qt6::Core Qt6::Gui Qt6::Widgets)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  set_property(GLOBAL APPEND PROPERTY OPSCOPE_PROGRAMS ${name})
endfunction()

function(_opscope_test_definitions target)
  target_compile_definitions(
    ${target} PRIVATE OPSCOPE_SHARED_DIR="${CMAKE_SOURCE_DIR}/../shared"
                      OPSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                      OPSCOPE_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
endfunction()

# opscope_test(name SOURCES a.cpp ... [DEPS lib ...] [LABELS label ...] [GUI])
# A Qt Test program, known to ctest under its own name.
function(opscope_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GUI" "TIMEOUT" "SOURCES;DEPS;LABELS")
  add_executable(${name} ${arg_SOURCES})
  _opscope_common(${name})
  _opscope_qt(${name})
  _opscope_test_definitions(${name})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} Qt6::Core Qt6::Test)
  # A test's own code is not what takes its time; compiling it is.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(arg_GUI)
    target_link_libraries(${name} PRIVATE Qt6::Gui Qt6::Widgets)
    list(APPEND arg_LABELS gui)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  list(REMOVE_DUPLICATES arg_LABELS)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
                                          ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
endfunction()

# opscope_bench(name SOURCES a.cpp ... [DEPS lib ...] [GUI])   a program ./dev bench runs
function(opscope_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GUI" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  _opscope_common(${name})
  _opscope_qt(${name})
  _opscope_test_definitions(${name})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} Qt6::Core)
  if(arg_GUI)
    target_link_libraries(${name} PRIVATE Qt6::Gui Qt6::Widgets)
  endif()
endfunction()

# opscope_add_folders(a b ...)   adds those of the named folders that have a CMakeLists.txt
function(opscope_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# opscope_add_all_folders(FIRST a b ...)   the named folders in this order, then all others
function(opscope_add_all_folders)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FIRST;SKIP")
  file(GLOB lists CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
       "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  list(TRANSFORM lists REPLACE "/CMakeLists.txt$" "")
  list(SORT lists)
  set(folders ${arg_FIRST} ${lists})
  list(REMOVE_DUPLICATES folders)
  if(arg_SKIP)
    list(REMOVE_ITEM folders ${arg_SKIP})
  endif()
  opscope_add_folders(${folders})
endfunction()
