# Sourced by the scripts beside it, which say in $self where they are: defines `dispatch`, the one this script was shipped with, else the one on PATH.
agent_cli_dir=$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd -P) || exit 1
if [ -f "$agent_cli_dir/../../dist/bin.js" ]; then
	dispatch() { node "$agent_cli_dir/../../dist/bin.js" "$@"; }
elif ! command -v dispatch >/dev/null 2>&1; then
	echo "${0##*/}: dispatch is neither built beside this script nor on PATH" >&2
	exit 1
fi
