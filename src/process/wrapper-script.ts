/**
 * The wrapper of one attempt, as text for `sh -c`; runs in dash, bash and the sh of macOS.
 * $0 dispatch-<token> · $1 record · $2 hard limit in seconds, or empty · $3 umask for the servant · $4 to $7 files · then the command line.
 * fd 0 prompt · fd 1 stream · fd 2 the wrapper's own errors · fd 3 the servant's errors · fd 4 the word to begin. The first four are open
 * already, or the four files are named; those are opened when the word has come.
 *
 *   (no record) ──word, claim──▶ start <stat> ──servant ends──▶ exit <code>
 *        │                           └──────── limit ────────▶ limit, then exit <code> or nothing
 *        └─ no word, claim lost, or disk full: exit code 125, the servant is never run
 *
 * Traps for whoever edits it:
 * - The servant runs in the foreground: a background job would have its input replaced and would ignore SIGINT. The shell puts
 *   its own `trap :` off until the servant ends, and a subshell resets it, so the servant has default signals.
 * - Who starts us may die before the reservation is durable: the word to begin then never comes, and its pipe ends. The word names its
 *   attempt, because a pipe may have had another wrapper before, which died without reading its own.
 * - All that needs no word is done before it comes, while the disk works; only the watchdog must then be taken back.
 * - The claim comes before anything that costs money; `set -C` makes it exclusive.
 * - The record only grows, by appending: on a full disk that still works where a new file does not. A retry begins with a
 *   newline, because the try before may have left half a line.
 * - Past the limit the watchdog no longer lets itself be called off: a grandchild that outlives the servant is ended too. It is a
 *   member of the group that it ends, so the group's number cannot have been given to anybody else.
 */
export const wrapperScript = `rec=$1 lim=$2 mask=$3 in=$4 out=$5 own=$6 err=$7; shift 7
trap : HUP INT QUIT TERM
{ read -r me </proc/$$/stat; } 2>/dev/null || me="$$ (sh) lstart $(LC_ALL=C TZ=UTC ps -o lstart= -p $$)"
dog=
if [ -n "$lim" ]; then
	nap=sleep; [ -x /bin/sleep ] && nap=/bin/sleep
	(
		trap '' HUP INT QUIT TERM
		trap 'kill -KILL "$!"; exit 0' USR1
		"$nap" "$lim" & wait "$!" || exit 0
		trap '' USR1
		[ ! -e "$rec" ] || printf 'limit\\n' >>"$rec"
		kill -TERM -$$
		"$nap" 10
		kill -KILL -$$
	) </dev/null >/dev/null 2>&1 3>&- 4<&- &
	dog=$!
fi
off() { [ -z "$dog" ] || kill -USR1 "$dog" 2>/dev/null; }
never() { off; [ -z "$dog" ] || wait "$dog"; exit 125; }
word=
until [ "$word" = "go $0" ]; do read -r word <&4 && [ "$word" != "no $0" ] || never; done
exec 4<&-
[ -z "$in" ] || command exec <"$in" >>"$out" 2>>"$own" 3>>"$err" || never
umask 077; set -C
{ printf 'start %s\\n' "$me" >"$rec"; } 2>/dev/null || never
set +C; umask "$mask"
( exec "$@" 2>&3 3>&- )
rc=$?
exec 3>&-
off
try=0 nl=
until { printf "$nl"'exit %s\\n' "$rc" >>"$rec"; } 2>/dev/null; do
	nl='\\n' try=$((try + 1))
	[ "$try" -gt 60 ] && break
	sleep 1
done
exit "$rc"
`;
