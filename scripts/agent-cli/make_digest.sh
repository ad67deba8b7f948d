#!/bin/sh
# make_digest.sh <task-id> [option…]: the digest of a packet's context pack. See dispatch digest --help.
# This file, also where it is called through symbolic links.
self=$0
while [ -L "$self" ]; do
	link=$(readlink "$self") || exit 1
	case $link in /*) self=$link ;; *) self=$(dirname -- "$self")/$link ;; esac
done
. "$(dirname -- "$self")/find_dispatch.sh"
dispatch digest "$@"
