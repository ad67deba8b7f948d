#!/usr/bin/env bash
# Installs, builds, and runs a three-stage review of a small sample repository with recorded servants.
# Needs Node and git; no account, no key. The sample lies in .tmp/demo and is made anew each time.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD demo=$PWD/.tmp/demo

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then step() { printf '\n%s\n' "$*"; }; fi
newer_than() { [ -n "$(find "${@:2}" -type f -newer "$1" 2>/dev/null | head -n 1)" ]; }

if [ ! -e node_modules/.package-lock.json ] || [ node_modules/.package-lock.json -ot package-lock.json ]; then
	step 'Installing'
	npm ci --no-audit --no-fund
fi
# The same question that the tests ask, so that neither builds under the other's feet.
if [ ! -e dist/bin.js ] || newer_than dist/bin.js src configs templates scripts; then
	step 'Building'
	npm run --silent build
fi

# The demo's own world: no settings of the user, of git or of a surrounding run reach it.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE DISPATCH_PROVIDER DISPATCH_MODEL
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME=$demo/.tmp/config

rm -rf "$demo"
mkdir -p "$demo/configs/servant" "$demo/recorded"
cp -R scripts/demo/repo/. "$demo"
printf '.tmp/\n' >"$demo/.gitignore"
for tool in gemini codex copilot; do
	cp scripts/demo/recorded/play "$demo/recorded/$tool"
	cp "scripts/demo/recorded/$tool.jsonl" "$demo/recorded/"
	printf '# Replays a recording in place of the real program.\ncommand: ./recorded/%s\npaid: false\n' "$tool" \
		>"$demo/configs/servant/$tool.yaml"
done
cd "$demo"
git init -q .
git add -A
git -c user.name=Demo -c user.email=demo@example.invalid commit -q -m 'A cart and its receipt'
git apply "$project/scripts/demo/change.patch"

packet=.tmp/task/demo-review
mkdir -p "$packet/inputs/attachments"
cp "$project/scripts/demo/manifest.yaml" "$packet/"
cp "$project/scripts/demo/user_request.md" "$packet/inputs/"
git diff HEAD >"$packet/inputs/attachments/git.diff"

step 'dispatch run demo-review'
status=0
"$project/dist/bin.js" run demo-review || status=$?

step "$packet/outputs/_summary.md"
cat "$packet/outputs/_summary.md"

step 'Look around'
cat <<END
  repository   $demo
  summary      $demo/$packet/outputs/_summary.md
  the review   $demo/$packet/outputs/copilot_review_consolidate.copilot.out
END
exit "$status"
