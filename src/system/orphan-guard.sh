# Ends process groups after the process that started them has died, and removes the temporary files that it left, and
# once Neovim has died too, the private folders.
# usage: orphan-guard.sh GRACE_ROUNDS [NEOVIM HOST]
#
# Reads "+ PID MARK" (add a group), "- PID MARK" (remove it), "+file PATH" (add a temporary file) and "-file PATH" (it was
# renamed or removed), "+folder PATH" (add a private folder) and "-folders" (they were emptied) from stdin until the end of
# input, which comes when the host has exited or was killed. PID is the
# leader of a process group; MARK is a VARIABLE=value that the environment of every process of the group contains, also of
# those that have left the group. PATH has no characters that a shell interprets: other bytes are % and what printf has
# behind a backslash.
#
# The groups got EOF on their own stdin when the host died. They have GRACE_ROUNDS rounds of 100 ms to exit by
# themselves, because some have files to close and children to stop. Then SIGTERM, and one second later SIGKILL.
#
# NEOVIM and HOST are the pids of Neovim and of its child, the host. A host that is stopped or hangs does not notice that
# Neovim was killed: it is killed then.
grace_rounds=$1
neovim=$2
host=$3

wait_for_seconds() {
  sleep $1 &
  wait $!
}

# Without this shell the pid of the host may belong to another process.
kill_host_without_neovim() {
  trap 'kill $!; exit' TERM
  while kill -0 $neovim && kill -0 $$; do wait_for_seconds 5; done
  # A host that runs needs less time to end by itself.
  wait_for_seconds 5
  kill -0 $$ && kill -KILL $host
}

watcher=
if [ -n "$neovim" ]; then
  kill_host_without_neovim &
  watcher=$!
fi

groups=" "
marks=" "
files=" "
folders=" "
while read -r sign item mark; do
  case $sign in
    +) groups="$groups$item "; marks="$marks$mark " ;;
    +folder) folders="$folders$item " ;;
    -folders) folders=" " ;;
    +file) files="$files$item " ;;
    -file) files="${files%% $item *} ${files#* $item }" ;;
    -) groups="${groups%% $item *} ${groups#* $item }"; marks="${marks%% $mark *} ${marks#* $mark }" ;;
  esac
done
[ -z "$watcher" ] || kill $watcher

decoded() {
  printf %b "$(printf %s "$1" | tr % '\\')"
}

for file in $files; do rm -f -- "$(decoded "$file")"; done

# The next host goes on with the private sessions of a Neovim that runs.
remove_folders_after_neovim() {
  while kill -0 $neovim; do sleep 1; done
  for folder in $folders; do rm -rf -- "$(decoded "$folder")"; done
}
if [ -n "$neovim" ] && [ "$folders" != " " ]; then remove_folders_after_neovim & fi

has_groups() {
  for pid in $groups; do kill -0 -$pid && return 0; done
  return 1
}

marked_processes() {
  set --
  for mark in $marks; do set -- "$@" -e $mark; done
  [ $# -eq 0 ] || grep -lF "$@" /proc/[0-9]*/environ | tr -dc '0-9\n'
}

has_processes() {
  has_groups || [ -n "$(marked_processes)" ]
}

signal_all() {
  for pid in $groups; do kill -$1 -$pid; done
  for pid in $(marked_processes); do kill -$1 $pid; done
}

# Not every sleep takes fractions.
wait_a_round() {
  sleep 0.1 || sleep 1
}

round=0
while has_groups && [ $round -lt $grace_rounds ]; do
  round=$((round + 1))
  wait_a_round
done
signal_all TERM
for round in 1 2 3 4 5 6 7 8 9 10; do
  # Checked twice: a process has no environment for a moment while exec replaces its program.
  has_processes || has_processes || exit 0
  wait_a_round
done
signal_all KILL
