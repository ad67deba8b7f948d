#!/bin/sh
# post_impl_review.sh <context-pack> <impl-report> [output-dir=.tmp/post-impl] [profile=post_impl_review]
#
# Makes a packet of the two files, runs it, and copies the reports into the output directory.
# Exit 0: all stages passed. 1: something failed; what there is has been copied. 2: wrong arguments, nothing was done.
set -u
# This file, also where it is called through symbolic links.
self=$0
while [ -L "$self" ]; do
	link=$(readlink "$self") || exit 1
	case $link in /*) self=$link ;; *) self=$(dirname -- "$self")/$link ;; esac
done
name=${0##*/}

usage() {
	echo "$name: $1" >&2
	echo "usage: $name <context-pack> <impl-report> [output-dir=.tmp/post-impl] [profile=post_impl_review]" >&2
	exit 2
}

failure() {
	echo "$name: $1" >&2
	exit 1
}

main() {
	[ $# -ge 2 ] && [ $# -le 4 ] || usage 'takes two to four arguments'
	context_pack=$1 report=$2 profile=${4:-post_impl_review}
	for file in "$context_pack" "$report"; do
		[ -f "$file" ] && [ -r "$file" ] || usage "cannot read $file"
	done
	. "$(dirname -- "$self")/find_dispatch.sh"
	root=$(find_root) || failure 'the current directory cannot be read'
	case $profile in
	post_impl_review | review_cross | strict_review | review_only | codex_only) ;;
	*) is_configured || usage "unknown profile $profile; shipped are post_impl_review, review_cross, strict_review, review_only, codex_only" ;;
	esac
	out=${3:-$root/.tmp/post-impl}
	if [ -e "$out" ] && [ ! -d "$out" ]; then usage "$out is not a directory"; fi
	mkdir -p -- "$out" || failure "cannot make $out"
	# What an earlier call left must not pass for the result of this one.
	for file in $(all_stages | cut -d' ' -f2) dispatch_summary.md summary.md; do rm -f -- "$out/$file"; done

	make_packet
	trap : INT # dispatch ends its servants; then we copy what there is
	dispatch -C "$root" run "$id"
	status=$?
	# Somebody who watches the folder was faster: it is theirs, and we wait.
	if [ "$status" -eq 5 ]; then
		dispatch -C "$root" wait "$id"
		status=$?
	fi
	copy_reports
	echo "reports: $out"
	[ "$status" -eq 0 ] || failure "$id did not complete (dispatch exited $status); see $out/dispatch_summary.md"
	[ -z "$missing" ] || failure "not made:$missing"
}

# A profile that the project or the user has added.
is_configured() {
	case $profile in *[!A-Za-z0-9_-]*) return 1 ;; esac
	dispatch -C "$root" config --json | grep -q "\"pipeline\.[^\"]*\.profiles\.$profile\.stages\""
}

# As dispatch looks for it: the nearest parent with packets or configuration, else git's, else here.
find_root() {
	dir=$(pwd -P) || return 1
	while :; do
		if [ -e "$dir/.tmp/task" ] || [ -e "$dir/configs/dispatch.yaml" ]; then
			printf '%s\n' "$dir"
			return
		fi
		[ "$dir" != / ] || break
		dir=$(dirname -- "$dir")
	done
	git rev-parse --show-toplevel 2>/dev/null || pwd -P
}

# stage, file it becomes, what it is
all_stages() {
	cat <<'END'
gemini_review gemini_review.md wide review
gemini_test_design test_matrix.md test matrix
gemini_static_verify verification_checklist.md checks before anything is run
codex_review codex_precision_review.md precise review
codex_test_impl test_implementation_report.md proposed tests
codex_verify verification_report.md acceptance commands and report
copilot_review_consolidate review_consolidated.md both reviews in one
END
}

stages_of_profile() {
	case $profile in
	post_impl_review) all_stages | grep -v '^copilot_' ;;
	review_cross | strict_review) all_stages | grep '_review' ;;
	review_only) all_stages | grep '^gemini_review ' ;;
	codex_only) all_stages | grep -E '^codex_(review|verify) ' ;;
	*)
		sed -n 's/^ *"name": "\(.*\)",*$/\1/p' "$packet/state/plan.json" | while read -r stage; do
			all_stages | grep "^$stage " || printf '%s %s.md answer of %s\n' "$stage" "$stage" "$stage"
		done
		;;
	esac
}

make_packet() {
	stamp=$(date -u +%Y%m%dT%H%M%SZ) n=1
	id=post-impl-$stamp
	mkdir -p -- "$root/.tmp/task" || failure "cannot make $root/.tmp/task"
	until mkdir -- "$root/.tmp/task/$id" 2>/dev/null; do
		n=$((n + 1))
		[ "$n" -le 99 ] || failure "cannot make $root/.tmp/task/$id"
		id=post-impl-$stamp-$n
	done
	packet=$root/.tmp/task/$id
	mkdir -p -- "$packet/inputs/attachments" &&
		cat -- "$context_pack" >"$packet/inputs/context_pack.md" &&
		cat -- "$report" >"$packet/inputs/attachments/impl_report.md" &&
		manifest >"$packet/manifest.yaml.new" &&
		mv -- "$packet/manifest.yaml.new" "$packet/manifest.yaml" || failure "cannot write $packet"
}

manifest() {
	commands=$(verify_commands <"$context_pack" | sed "s/'/''/g; s/^/    - '/; s/\$/'/")
	cat <<END
task_id: $id
goal: Review what was implemented, against the context pack and the implementation report.
routing:
  intent: $profile
END
	[ -z "$commands" ] || printf 'acceptance:\n  commands:\n%s\n' "$commands"
}

# The first code block under the heading "Verify Commands", one command a line.
verify_commands() {
	tr -d '\r' | awk '
		/^ *(```|~~~)/ { fence = substr($1, 1, 3); if (open == "") { open = fence; if (under) block = 1; next } if (fence == open) { open = ""; if (block) exit; next } }
		open == "" && /^#+ / { title = tolower($0); sub(/^#+ +([0-9]+\. +)?/, "", title); sub(/[ :]*$/, "", title); under = (title == "verify commands") }
		block { sub(/^[ \t]+/, ""); sub(/[ \t]+$/, ""); if ($0 != "" && $0 !~ /^#/) print }
	'
}

copy_reports() {
	missing='' list=''
	while read -r stage file what; do
		[ -n "$stage" ] || continue
		from=$(output_of "$stage")
		if [ -n "$from" ] && cp -- "$from" "$out/$file"; then
			list="$list- $file: $what$(verdict_of "$stage")
"
		else
			rm -f -- "$out/$file"
			missing="$missing $file"
			list="$list- $file: not made
"
		fi
	done <<END
$(stages_of_profile)
END
	cp -- "$packet/outputs/_summary.md" "$out/dispatch_summary.md" || missing="$missing dispatch_summary.md"
	if [ -f "$out/review_consolidated.md" ]; then
		cp -- "$out/review_consolidated.md" "$out/summary.md"
	else
		printf '# %s\n\n%s- dispatch_summary.md: stages, budgets, next step\n' "$id" "$list" >"$out/summary.md"
	fi
}

# What a stage left, by the tool that ran it: its report with the results of the commands, else its answer.
output_of() {
	if [ "$1" = codex_verify ] && [ -s "$packet/outputs/$1.artifact.md" ]; then
		printf '%s\n' "$packet/outputs/$1.artifact.md"
		return
	fi
	tool=$(sed -n 's/.*"tool": *"\([^"]*\)".*/\1/p' "$packet/done/$1.done" 2>/dev/null)
	for answer in "$packet/outputs/$1.${tool:-${1%%_*}}.out" "$packet/outputs/$1".*.out; do
		if [ -s "$answer" ]; then
			printf '%s\n' "$answer"
			return
		fi
	done
}

verdict_of() {
	sed -n 's/^.*"verdict": *"\([A-Z_]*\)".*$/, \1/p' "$packet/outputs/$1".*.meta.json 2>/dev/null | head -n 1
}

main "$@"
