#!/bin/sh
# compose_prompt.sh <task-id> <stage> [option…]: the prompt of a stage, as a run would send it. See dispatch compose --help.
# This file, also where it is called through symbolic links.
self=$0
while [ -L "$self" ]; do
	link=$(readlink "$self") || exit 1
	case $link in /*) self=$link ;; *) self=$(dirname -- "$self")/$link ;; esac
done
. "$(dirname -- "$self")/find_dispatch.sh"
dispatch compose "$@"
