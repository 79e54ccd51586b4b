#!__BASH__ -p
# Hookline: asks its daemon about an agent's event. Written by "hookline install"; "hookline uninstall" takes it away.
# Where no daemon takes the event, this becomes the command in Node, which does the work itself.
#
# No part of it may start a program: each costs more than all the rest. `read -N` in the C locale takes bytes in bulk, where every other
# form takes one per system call, and with a time limit (-t) two more per byte: so those with one are short. It leaves NUL bytes out,
# which JSON never holds. `printf` sends a packet for each line; `echo` sends all its lines in one, once something has been written
# before, be it to nowhere. A redirection costs ten system calls, so what can shares one.
#
# bash -p: functions and options of the person's environment are not taken in, so none of them can stand in for a builtin.
#
# Every variable is the function's own and not exported (local +x): what the caller has exported under its name is hidden meanwhile,
# and goes on to Node as it came. One that is not declared so would change what hooks see, or be too large to go on.
set -- "${POSIXLY_CORRECT+=$POSIXLY_CORRECT}" "$@"
set +o posix
trap '' PIPE

ask() {
  local +x LC_ALL=C FUNCNEST=0 IFS=' ' posix=$1 version=__VERSION__ state=${HOME-}/.local/state/hookline
  [[ ${XDG_STATE_HOME-} != /* ]] || state=$XDG_STATE_HOME/hookline
  local +x address=$state/daemon.address port token proof pid started stat held payload folder index letter all size sent head mask
  local +x status taken answer body line code out err
  local +x gone=__GONE__
  local +x -a command=(__PROGRAM__) words=("${@:2}") fields variables
  shift

  # What it is asked for in another way than install writes it is for Node, and so is another store than the usual one.
  if [[ $# -ne 6 && ($# -ne 7 || $7 != --guarded) || $1 != hook || $3 != --event || $5 != --by || $2$4$6 == *[!A-Za-z0-9_-]* || -z ${HOME-} \
    || ${HOOKLINE_DAEMON-} == off || -n ${HOOKLINE_STORE-} || -n ${TMOUT-} || -z $PWD \
    || ! -O $state || ! -O $address || ! -f $address || -h $address ]]; then
    become
  fi

  # Before anything is said: it is our process that has this number, and the one that wrote the address. Once the payload is
  # read, it has to be handed on.
  { echo && read -r port token proof pid started _ <"$address" && read -r stat <"/proc/$pid/stat" \
    && read -r -N 64 mask </proc/self/status && mapfile -d '' -t variables </proc/self/environ && fields=(${stat##*) }) && IFS= \
    && [[ -O /proc/$pid && ${fields[0]} != [ZXTt] && ${fields[19]} == "$started" ]] \
    && { read -r -N $((__PAYLOAD_AT_MOST__ + 1)) payload; held=yes; } && exec 3<>"/dev/tcp/127.0.0.1/$port"; } &>/dev/null \
    || become ${held:+--asked}
  ((${#payload} > __PAYLOAD_AT_MOST__)) && become

  folder=$PWD
  if [[ $folder == *[!A-Za-z0-9/._-]* ]]; then
    folder=
    for ((index = 0; index < ${#PWD}; index++)); do
      letter=${PWD:index:1}
      [[ $letter == [A-Za-z0-9/._-] ]] || { printf -v letter %d "'$letter"; printf -v letter %%%02X $((letter & 255)); }
      folder+=$letter
    done
  fi
  all="${variables[*]}"
  size=$((${#payload} + 1 + ${#all} + ${#variables[@]}))
  sent=${EPOCHREALTIME/./}
  mask=${mask#*Umask:$'\t'}
  printf -v head 'POST /hook/%s?event=%s&by=%s HTTP/1.1\r\nhost: 127.0.0.1:%s\r\nauthorization: Bearer %s\r\nx-hookline-version: %s\r\nx-hookline-sent: %s\r\nx-hookline-cwd: %s\r\nx-hookline-umask: %s\r\ncontent-type: application/x-hookline\r\ncontent-length: %s\r\nconnection: close\r\n' \
    "$2" "$4" "$6" "$port" "$token" "$version" "${sent:0:-3}" "$folder" "${mask%%$'\n'*}" "$size"

  # What does not fit into the socket's own buffers would wait for a daemon that is stopped: first it says that it is there.
  if ((size > __BUFFERED_AT_MOST__)); then
    printf '%sexpect: 100-continue\r\n\r\n' "$head" >&3 2>/dev/null
    read -r -N 12 -t 0.25 -u 3 status && [[ $status == 'HTTP/1.1 100' ]] && read -r -N 13 -t 0.25 -u 3 _ || become --asked
    head=
  else
    head+=$'\r\n'
  fi
  { echo -n "$head" && printf '%s\0' "$payload" "${variables[@]}"; } >&3 2>/dev/null || become --asked

  # The first bytes say that it was taken (102), or are the answer already. One without our proof is another program's.
  read -r -N 12 -t 0.25 -u 3 status || become --asked
  if [[ $status == 'HTTP/1.1 102' ]]; then
    taken=yes
    read -r -N 27 -t __ANSWERS_WITHIN__ -u 3 status || become --taken
    status=${status:15}
  fi
  read -r -N 67108864 -u 3 answer
  if [[ $answer != *$'\r\n\r\n'* ]]; then
    [[ -n $taken || $status == 'HTTP/1.1 200' ]] && become --taken
    become --asked
  fi
  head=${answer%%$'\r\n\r\n'*}$'\r\n'
  [[ $head == *$'\r\n'"x-hookline-proof: $proof"$'\r\n'* ]] || become --asked
  if [[ $status != 'HTTP/1.1 200' ]]; then
    [[ -n $taken ]] && become --taken
    become --asked
  fi
  body=${answer#*$'\r\n\r\n'}
  line=${body%%$'\n'*} body=${body#*$'\n'}
  code=${line%% *} err=${line##* } out=${line#* }
  out=${out%% *}
  [[ $line == "$code $out $err" && $code == [02] && -n $out && -n $err && $out$err != *[!0-9]* ]] || become --taken
  ((${#body} == 10#$out + 10#$err)) || become --taken
  ((10#$out == 0)) || printf %s "${body:0:10#$out}" 2>/dev/null
  ((10#$err == 0)) || printf %s "${body:10#$out}" >&2 2>/dev/null
  exit "$code"
}

# Becomes Node, with the payload, if it was read. --asked: no daemon has taken it; --taken: it may have been decided, so it
# may not be decided again. If that fails nothing has decided the event, so it must not pass; without Node or the package it goes by the
# guards that were active.
become() {
  shopt -s execfail
  if [[ -n $held ]]; then
    { exec 3>&-; } 2>/dev/null
    exec < <(printf %s "$payload" 2>/dev/null) || unjudged
  fi
  trap - PIPE
  export -n SHELLOPTS BASHOPTS
  [[ -z $posix ]] || export POSIXLY_CORRECT="${posix#=}"
  [[ -x ${command[0]} && -f ${command[1]} || ! -r $gone ]] || exec /bin/sh "$gone" "${words[@]}"
  exec "${command[@]}" "${words[@]}" "$@"
  unjudged
}
unjudged() {
  printf 'hookline: %s cannot be started, so nothing was judged: blocked\n' "${command[0]}" >&2
  exit 2
}

ask "$@"
