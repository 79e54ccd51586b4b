/**
 * The client that agents start on every event where there is bash: one file of builtins that asks the daemon over loopback.
 * Apart from install, because it is a program of its own, in another language. It decides nothing: where no daemon takes the
 * event it becomes the command in Node, which does the work or answers by policy.
 */

export interface ClientScript {
  /** Absolute paths: bash 5, the Node that runs us, and our bin. */
  bash: string;
  program: readonly string[];
  /** A daemon of another version refuses it. */
  version: string;
}

/** As one word of a shell, whatever it holds. */
const asWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line by which a client says of which version it is. */
export const versionLine = (version: string): string => `version=${asWord(version)}`;

/**
 * No part of it may start a program: each costs more than all the rest. `read -N` in the C locale takes bytes in bulk, where
 * every other form takes one per system call, and with a time limit (-t) two more per byte: so those with one are short.
 *
 * bash -p: functions and options of the person's environment are not taken in, so none of them can stand in for a builtin.
 */
export const clientScript = ({ bash, program, version }: ClientScript): string => `#!${bash} -p
# Hookline: asks its daemon about an agent's event. Written by "hookline install"; "hookline uninstall" takes it away.
# Where no daemon takes the event, this becomes the command in Node, which does the work itself.
set +o posix
trap '' PIPE
command=(${program.map(asWord).join(" ")})
${versionLine(version)}
words=("$@")
state=\${XDG_STATE_HOME:-\${HOME-}/.local/state}/hookline
address=$state/daemon.address

# What it is asked for in another way than install writes it is for Node, and so is another store than the usual one.
if [[ $# -ne 6 || $1 != hook || $3 != --event || $5 != --by || $2$4$6 == *[!A-Za-z0-9_-]* || -z \${HOME-} \\
  || \${HOOKLINE_DAEMON-} == off || -n \${HOOKLINE_STORE-} || -n \${TMOUT-} || -z $PWD || ! -O $address || -h $address ]]; then
  exec "\${command[@]}" "$@"
fi
IFS=' ' read -r port token proof pid _ <"$address"
[[ -d /proc/$pid ]] && mapfile -d '' -t variables </proc/self/environ || exec "\${command[@]}" "$@"

[[ -n \${LC_ALL+set} ]] && locale=$LC_ALL
LC_ALL=C
IFS=

# Becomes Node with what was read already. $1: --asked, nobody has taken it; --taken, it may have been judged, so nobody may again.
instead() {
  { exec 3>&-; } 2>/dev/null
  if [[ -n \${locale+set} ]]; then LC_ALL=$locale; else unset LC_ALL; fi
  exec "\${command[@]}" "\${words[@]}" "$@" <<<"$payload"
}

read -r -N ${64 * 1024 * 1024 + 1} payload
(( \${#payload} > ${64 * 1024 * 1024} )) && instead
{ exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || instead --asked

folder=$PWD
if [[ $folder == *[!A-Za-z0-9/._-]* ]]; then
  folder=
  for ((index = 0; index < \${#PWD}; index++)); do
    letter=\${PWD:index:1}
    [[ $letter == [A-Za-z0-9/._-] ]] || { printf -v letter %d "'$letter"; printf -v letter %%%02X $((letter & 255)); }
    folder+=$letter
  done
fi
all="\${variables[*]}"
size=$((\${#payload} + 1 + \${#all} + \${#variables[@]}))
sent=\${EPOCHREALTIME/./}
printf -v head 'POST /hook/%s?event=%s&by=%s HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\nauthorization: Bearer %s\\r\\nx-hookline-version: %s\\r\\nx-hookline-sent: %s\\r\\nx-hookline-cwd: %s\\r\\ncontent-type: application/x-hookline\\r\\ncontent-length: %s\\r\\nconnection: close\\r\\n' \\
  "$2" "$4" "$6" "$token" "$version" "\${sent:0:-3}" "$folder" "$size"

# What does not fit into the socket's own buffers would wait for a daemon that is stopped: first it says that it is there.
if ((size > ${bufferedAtMost})); then
  printf '%sexpect: 100-continue\\r\\n\\r\\n' "$head" >&3 2>/dev/null
  read -r -N 12 -t 0.25 -u 3 status && [[ $status == 'HTTP/1.1 100' ]] && read -r -N 13 -t 0.25 -u 3 _ || instead --asked
  head=
else
  head+=$'\\r\\n'
fi
{ printf '%s%s\\0' "$head" "$payload"; printf '%s\\0' "\${variables[@]}"; } >&3 2>/dev/null || instead --asked

# The first bytes say that it was taken (102), or are the answer already. One without our proof is another program's.
read -r -N 12 -t 0.25 -u 3 status || instead --asked
taken=
if [[ $status == 'HTTP/1.1 102' ]]; then
  taken=yes
  { read -r -N 15 -t 5 -u 3 _ && read -r -N 12 -t 650 -u 3 status; } || instead --taken
fi
read -r -N 67108864 -u 3 answer
if [[ $answer != *$'\\r\\n\\r\\n'* ]]; then
  [[ -n $taken || $status == 'HTTP/1.1 200' ]] && instead --taken
  instead --asked
fi
head=\${answer%%$'\\r\\n\\r\\n'*}$'\\r\\n'
[[ $head == *$'\\r\\n'"x-hookline-proof: $proof"$'\\r\\n'* ]] || instead --asked
if [[ $status != 'HTTP/1.1 200' ]]; then
  [[ -n $taken ]] && instead --taken
  instead --asked
fi
body=\${answer#*$'\\r\\n\\r\\n'}
[[ \${body%%$'\\n'*} =~ ^([02])\\ ([0-9]+)\\ ([0-9]+)$ ]] || instead --taken
out=\${BASH_REMATCH[2]} err=\${BASH_REMATCH[3]} body=\${body#*$'\\n'}
((\${#body} == out + err)) || instead --taken
printf %s "\${body:0:out}"
((err == 0)) || printf %s "\${body:out}" >&2
exit "\${BASH_REMATCH[1]}"
`;

/** Measured on Linux: a socket that nobody reads takes more than this. */
const bufferedAtMost = 48 * 1024;
