# cmake --install: the program, one static library of everything below cli, the
# public headers, and what find_package and pkg-config need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive: the folders' libraries need each other in one order only.
set(objects)
foreach(folder base transport model read check exec analysis explore engine db db_live smt
    symbolic verify robust repair lift analyze audit race tla certify generate report verb)
  foreach(level O1 O2 O3)
    if(TARGET txscope_${folder}_${level})
      list(APPEND objects $<TARGET_OBJECTS:txscope_${folder}_${level}>)
    endif()
  endforeach()
endforeach()
add_library(txscope_archive STATIC ${objects})
set_target_properties(txscope_archive PROPERTIES OUTPUT_NAME txscope
  LINKER_LANGUAGE CXX)

install(TARGETS txscope txscope_archive)
install(DIRECTORY include/txscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The headers of src/ that are public as they stand: they need nothing but the standard
# library and each other.
install(FILES src/base/budget.h src/base/result.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/txscope/base)
install(FILES src/model/outcome.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/txscope/model)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/txscope)
file(RELATIVE_PATH TXSCOPE_UP /${package_folder} /)
configure_file(cmake/txscopeConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/txscopeConfig.cmake @ONLY)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/generated/txscopeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/txscopeConfig.cmake
  ${CMAKE_BINARY_DIR}/generated/txscopeConfigVersion.cmake
  DESTINATION ${package_folder})
# The prefix may be given when it is installed.
install(CODE "set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/cmake/txscope.pc.in\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/txscope.pc\" @ONLY)")
