# Names of the shell's own begin with hl_: the person's exported variables go on to Hookline as they came.
hl_agent=$2 hl_event=$4 hl_by=$6 hl_said='' hl_tried='' hl_why='Hookline cannot be started' hl_do='install Hookline again, or put its command hookline on your PATH'
# Who has cloned the repository, and never had a Hookline.
if [ "$hl_by" = project ] && ! [ -d "$hl_state" ]; then
  hl_why='Hookline cannot be started: it runs the hooks of coding agents, this repository asks for it in .hookline/, and you have not installed it (npm docs hookline opens its page)'
  hl_do='npm install -g hookline installs it'
fi
for hl_word; do
  case $hl_word in
  --guarded) hl_said=yes ;;
  --because=*) hl_why=${hl_word#*=} hl_tried=yes ;;
  esac
done
hl_project=__PROJECT__
hl_here=$(pwd -P 2>/dev/null)
hl_there=$(cd -P -- "$hl_project" 2>/dev/null && pwd -P)

# Whether a person has trusted this folder as it is: the project's own package runs nowhere else.
hl_trusts() {
  case $1 in '' | *[\\\"[:cntrl:]]*) return 1 ;; esac
  hl_inode=$(ls -di -- "$1" 2>/dev/null) || return 1
  hl_inode=${hl_inode#"${hl_inode%%[0-9]*}"}
  for hl_file in "$hl_state"/trust/*.json; do
    [ -f "$hl_file" ] && [ -O "$hl_file" ] || continue
    IFS= read -r hl_line <"$hl_file" || [ "$hl_line" ] || continue
    case $hl_line in '{"version":1,"path":"'"$1"'","identity":"'"${hl_inode%% *}":*',"items":{"'*) return 0 ;; esac
  done
  return 1
}

# What has been tried and does not run would only lead here again.
if [ -z "$hl_tried" ]; then
# __ON_PATH__
if [ "$hl_by" = project ] && [ -x "$hl_there/node_modules/.bin/hookline" ] && command -v node >/dev/null 2>&1 && hl_trusts "$hl_there"; then
  exec "$hl_there/node_modules/.bin/hookline" "$@"
fi
fi

# The person's own way out. A project's settings can set variables too, so it does not count where one of them may have.
hl_is_off() {
  [ "${HOOKLINE_DISABLE-}" = 1 ] || return 1
  for hl_file in __PROJECT_FILES__; do
    hl_file=$hl_there/$hl_file
    [ -e "$hl_file" ] || continue
    [ -r "$hl_file" ] || return 1
    while IFS= read -r hl_line || [ "$hl_line" ]; do
      case $hl_line in *HOOKLINE_DISABLE* | *\\u*) return 1 ;; esac
    done <"$hl_file"
  done
}
# By what the last load has noted: of a folder's guards, and of those that are active everywhere.
hl_is_guarded() {
  for hl_file in "$hl_state"/guarded/*; do
    [ -f "$hl_file" ] || continue
    { IFS= read -r hl_folder && IFS= read -r hl_calls; } <"$hl_file" || return 0
    hl_folder=${hl_folder%/} # quoted as a part of a pattern, bash 5.2 matches nothing with it where it comes to nothing
    case $hl_here/ in "$hl_folder"/*) ;; *)
      case $hl_there/ in "$hl_folder"/*) ;; *) continue ;; esac ;;
    esac
    case " $hl_calls " in *" $hl_agent/$hl_event "*) return 0 ;; esac
  done
  # What a team has committed holds for who has never loaded it, and what install has written where the notes are lost.
  [ "$hl_said" ] && { [ "$hl_by" = project ] || ! [ -d "$hl_state/guarded" ]; }
}

# An agent that cannot write its payload may take the answer for none.
{ cat || while IFS= read -r hl_line; do :; done; } >/dev/null 2>&1
if hl_is_off; then
  printf 'hookline: %s, and HOOKLINE_DISABLE is set, so no hook runs\n' "$hl_why" >&2
  exit 0
elif hl_is_guarded; then
  case $hl_agent/$hl_event in
# __REFUSALS__
  esac
  printf 'hookline: %s, and a guard is active for this event, so it is blocked — %s; HOOKLINE_DISABLE=1 in your own environment does without it in this session, and hookline uninstall %s --layer %s takes it out\n' "$hl_why" "$hl_do" "$hl_agent" "$hl_by" >&2
  exit 2
fi
printf 'hookline: %s, so its hooks do not run — %s; hookline uninstall %s --layer %s takes it out\n' "$hl_why" "$hl_do" "$hl_agent" "$hl_by" >&2
exit 0
