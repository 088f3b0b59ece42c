# What an installation holds: programs, the engine's libraries and headers, and the CMake package
# OpScope with the target OpScope::Engine. Included last, when all targets are known. The component Engine is what a program
# that links the engine needs.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(parts GLOBAL PROPERTY OPSCOPE_ENGINE_PARTS)
get_property(programs GLOBAL PROPERTY OPSCOPE_PROGRAMS)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/OpScope")

set(exported opscope_engine ${parts})
foreach(part IN LISTS parts)
  if(TARGET ${part}_objects)
    list(APPEND exported ${part}_objects)
  endif()
endforeach()
foreach(target IN LISTS exported)
  target_include_directories(
    ${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
                        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/opscope>")
endforeach()
set_target_properties(opscope_engine PROPERTIES EXPORT_NAME Engine)
install(
  TARGETS ${exported}
  EXPORT OpScopeTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/opscope" COMPONENT Engine
  OBJECTS DESTINATION "${CMAKE_INSTALL_LIBDIR}/opscope" COMPONENT Engine)
install(EXPORT OpScopeTargets NAMESPACE OpScope:: DESTINATION "${package}" COMPONENT Engine)

install(
  DIRECTORY "${CMAKE_SOURCE_DIR}/engine" "${CMAKE_BINARY_DIR}/engine"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/opscope"
  COMPONENT Engine
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "CMakeFiles" EXCLUDE
  PATTERN "api" EXCLUDE
  PATTERN "*_autogen" EXCLUDE)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/engine/api/opscope" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT Engine)

if(programs)
  install(TARGETS ${programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(
  "${CMAKE_SOURCE_DIR}/cmake/OpScopeConfig.cmake.in" "${CMAKE_BINARY_DIR}/OpScopeConfig.cmake"
  INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/OpScopeConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/OpScopeConfig.cmake"
              "${CMAKE_BINARY_DIR}/OpScopeConfigVersion.cmake" DESTINATION "${package}" COMPONENT Engine)
