#!/bin/sh
# links_no_qt.sh PROGRAM   fails when PROGRAM, or a library it loads, is of Qt
libraries=$(ldd "$1") || exit 1
if echo "$libraries" | grep -i 'libqt'; then
  echo "$1 links Qt"
  exit 1
fi
echo "$1 links no Qt"
