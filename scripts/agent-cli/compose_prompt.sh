#!/bin/sh
# compose_prompt.sh <task-id> <stage> [option…]: the prompt of a stage, as a run would send it. See dispatch compose --help.
. "$(dirname -- "$0")/find_dispatch.sh"
dispatch compose "$@"
