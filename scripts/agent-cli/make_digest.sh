#!/bin/sh
# make_digest.sh <task-id> [option…]: the digest of a packet's context pack. See dispatch digest --help.
. "$(dirname -- "$0")/find_dispatch.sh"
dispatch digest "$@"
