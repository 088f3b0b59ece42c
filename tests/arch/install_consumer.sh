#!/bin/sh
# install_consumer.sh CMAKE BUILD CONSUMER WORK   installs BUILD below WORK, builds the project
# CONSUMER against the installation alone, and runs it.
set -e
rm -rf "$4"
mkdir -p "$4"
"$1" --install "$2" --prefix "$4/prefix" --component Engine >"$4/install.log"
"$1" -S "$3" -B "$4/build" -G Ninja -DCMAKE_PREFIX_PATH="$4/prefix" -DCMAKE_BUILD_TYPE=Debug \
  >"$4/configure.log" 2>&1 || { cat "$4/configure.log"; exit 1; }
"$1" --build "$4/build"
"$4/build/consumer"
