#!/bin/sh
# run_shared_check.sh PYTHON SCRIPT ARGUMENT...   runs a check that lies beside the project; 77 = skipped
if [ ! -f "$2" ]; then
  echo "skipped: $2 is not there"
  exit 77
fi
exec "$@"
