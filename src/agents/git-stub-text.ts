/**
 * The text of the file that git runs before each commit, which is the same in every repository but for the folders that it
 * looks into. POSIX sh, and in functions of the shell alone as long as no question needs git: a commit waits for it.
 */

/** Paths below a project's folder that may hold hooks; the stars are the shell's. */
export const watchedBelow: readonly string[] = [
  ".hookline",
  ".hookline/*.json",
  ".hookline/*.yaml",
  ".hookline/*.yml",
  ".hookline/rules",
  ".hookline/rules/*",
  ".hookline/plugins",
  ".hookline/plugins/*/hooks",
  ".hookline/plugins/*/hooks/*.json",
  "hookline.yaml",
  "hookline.yml",
  "hookline.config.*",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".gen/settings.json",
  ".gen/settings.local.json",
];

/** A worktree without any of these uses the main worktree's hook files. */
const markers = [".hookline", "hookline.yaml", ".claude", ".discobot", ".system/hooks"];

/** @param outerFolders words of the shell */
export const stubText = (outerFolders: string): string => `
case $0 in */*) here=\${0%/*} ;; *) here=. ;; esac

# The hook that was here before comes first. Should it call this file in turn, that has begun already.
[ "\${HOOKLINE_KEPT_HOOK-}" = "$PWD" ] && exit 0
if [ "$original" ] && [ -x "$here/$original" ]; then
  start_original "$@" || exit $?
fi

# A linked worktree without hook files of its own uses the main worktree's.
main=
if [ -f .git ] && ! { ${markers.map((marker) => `[ -e ${marker} ]`).join(" || ")}; }; then
  IFS= read -r line <.git
  link=\${line#gitdir: }
  if [ -f "$link/commondir" ]; then
    IFS= read -r line <"$link/commondir"
    case $line in /*) main=$line/.. ;; *) main=$link/$line/.. ;; esac
  fi
fi

# Calls $1 for each file that may be a script, until it answers yes.
for_each_file() {
  for folder in ${outerFolders} \${main:+"$main/.discobot/hooks"} .discobot/hooks \${main:+"$main/.hookline/hooks"} .hookline/hooks; do
    for file in "$folder"/*; do
      [ -f "$file" ] && [ -x "$file" ] || continue
      case $file in *~ | *.bak | *.orig | *.rej | *.tmp | *.swp | */'#'*'#') continue ;; esac
      "$1" && return 0
    done
  done
  return 1
}
# A well-written front matter of another type, which most are: told apart in as few steps as can be.
is_of_another_type() {
  IFS= read -r line && IFS= read -r delimiter || return 1
  case $line in '#!'*) ;; *) return 1 ;; esac
  case $delimiter in --- | '#---' | //---) ;; *) return 1 ;; esac
  for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    IFS= read -r line || return 1
    case $line in
    "$delimiter") return 0 ;;
    *pre-commit* | *\\\\*) return 1 ;;
    *type*:*)
      case \${line#*type} in *session* | *file*) ;; *) return 1 ;; esac
      ;;
    esac
  done
  return 1
}

# A file that may hold hooks is younger than what this file knows of it.
is_younger() { [ "$1" -nt "$0" ]; }
any_younger_below() {
  for file in ${watchedBelow.map((path) => `"$1"/${path}`).join(" ")}; do
    [ "$file" -nt "$0" ] && return 0
  done
  return 1
}

may_be_for_commits() { ! [ -r "$file" ] || ! is_of_another_type <"$file"; }

renew='' is_open=''
if any_younger_below . || { [ "$main" ] && any_younger_below "$main"; } || for_each_watched is_younger; then renew=--renew; fi
if [ -z "$renew" ] && ! for_each_noted test -e; then
  for_each_file may_be_for_commits || exit 0
  is_open=yes
fi

# Up to here it goes for most commits: a shell reads no further than it has to.

trim() {
  trimmed=\${1#"\${1%%[![:space:]]*}"}
  trimmed=\${trimmed%"\${trimmed##*[![:space:]]}"}
}

# Calls $1 for each line of the front matter on standard input, until it answers no. A front matter that begins a few lines
# late or is not closed is a mistake, of which only Hookline can tell what it means for a commit.
read_header() {
  delimiter='' is_closed='' number=0
  while IFS= read -r line || [ "$line" ]; do
    number=$((number + 1))
    if [ $number = 1 ]; then
      case $line in '#!'*) continue ;; *) return ;; esac
    fi
    trim "x$line"
    if [ "$delimiter" ]; then
      [ "$trimmed" = "x$delimiter" ] && is_closed=yes && return
      [ $delimiter = late ] && [ $number -gt 42 ] && return
      [ $number -lt 100 ] && "$1" && continue
      kind=maybe
      return
    fi
    [ $number -gt 20 ] && return
    case $trimmed in
    x--- | x#--- | x//---) [ $number = 2 ] && delimiter=\${trimmed#x} || delimiter=late ;;
    *[[:alnum:]]*[[:alnum:]]*) ;;
    *--*) delimiter=late ;;
    esac
  done
}
# For commits, or of a type that is none. Where a type may be written in another way, the answer is no, too.
says_nothing() {
  case $line in
  *pre-commit* | *\\\\*) return 1 ;;
  *type*:*)
    case \${line#*type} in *session* | *file*) ;; *) return 1 ;; esac
    ;;
  esac
}
notes_field() {
  text=$line
  case $delimiter in '#---') text=\${line#'#'} ;; //---) text=\${line#//} ;; esac
  place=x\${text%%[![:space:]]*}
  trim "$text"
  case $trimmed in
  *\\\\* | *'&'*) simple='' ;;
  'type: '*)
    trim "\${trimmed#type:}"
    case $trimmed in pre-commit | '"pre-commit"' | "'pre-commit'") type=$place ;; esac
    ;;
  'pattern: '*)
    [ "$pattern" ] && simple=''
    trim "\${trimmed#pattern:}"
    pattern=$trimmed place_of_pattern=$place
    ;;
  '' | [[:alpha:]]*': '*) ;;
  *) simple='' ;;
  esac
  return 0
}

# What the script $1 is: kind is no, surely (type: pre-commit), or maybe, which only Hookline can tell. Where it has a
# simple pattern, endings are what the name of a staged file has to end in.
classify() {
  kind=no endings=''
  if [ ! -r "$1" ]; then
    kind=maybe
    return
  fi
  read_header says_nothing <"$1"
  [ $kind = no ] && return
  type='' pattern='' place_of_pattern='' simple=yes
  read_header notes_field <"$1"
  [ "$type" ] && [ "$is_closed" ] && [ "$simple" ] || return
  kind=surely
  [ "$type" = "$place_of_pattern" ] && find_endings
}

find_endings() {
  case $pattern in
  '"'*'"' | "'"*"'") pattern=\${pattern#?} && pattern=\${pattern%?} ;;
  '{'*) return ;;
  esac
  case $pattern in '' | *[!A-Za-z0-9._/*?{},-]* | *..* | *'{'*'{'* | *'}'*'}'*) return ;; esac
  case $pattern in
  *'{'*'}') pattern=\${pattern##*'{'} && pattern=\${pattern%'}'}, ;;
  *) pattern=\${pattern##*[,/\\}]}, ;;
  esac
  while [ "$pattern" ]; do
    one=\${pattern%%,*}
    one=\${one##*[*?/]}
    pattern=\${pattern#*,}
    [ "$one" ] || { endings= && return; }
    endings="$endings $one"
  done
}

# Whether the name of a staged file ends in one of these.
is_staged() {
  set --
  for one in $endings; do set -- "$@" "*$one"; done
  ! GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=0 GIT_NOGLOB_PATHSPECS=0 git -c core.fsmonitor=false \\
    diff --cached --quiet --no-ext-diff --no-textconv --no-renames -- "$@"
}

every_ending=''
is_needed() {
  classify "$file"
  [ $kind = no ] && return 1
  [ "$endings" ] || return 0
  every_ending="$every_ending $endings"
  return 1
}
if [ "$is_open" ] && ! for_each_file is_needed; then
  endings=$every_ending
  [ "$endings" ] && is_staged || exit 0
fi

if [ -x "$node" ] && [ -f "$bin" ]; then exec "$node" "$bin" git run pre-commit --by "$0" $renew; fi
if command -v hookline >/dev/null 2>&1; then exec hookline git run pre-commit --by "$0" $renew; fi

printf 'hookline: Hookline is gone — %s — pre-commit scripts run without it, and neither log nor status is kept; hookline git install mends that\\n' "$bin" >&2
export HOOKLINE_HOOK_TYPE=pre-commit DISCOBOT_HOOK_TYPE=pre-commit HOOKLINE_WORKSPACE="$PWD" DISCOBOT_WORKSPACE="$PWD"
run_script() {
  classify "$file"
  [ $kind = no ] && return 1
  case $file in *[![:print:]]*) name='a script' ;; *) name=$file ;; esac
  if [ $kind = maybe ]; then
    printf 'hookline: not run — %s — only Hookline can tell whether it is a pre-commit script\\n' "$name" >&2
  elif [ -z "$endings" ] || is_staged; then
    "$file" && return 1
    code=$?
    printf 'hookline: %s refused the commit (exit code %s)\\n' "$name" "$code" >&2
    exit "$code"
  fi
  return 1
}
for_each_file run_script
if for_each_noted test -e; then
  printf 'hookline: other hooks on git.pre-commit cannot be asked without it — %s\\n' "$file" >&2
  [ -z "$guarded" ] || exit 1
fi
exit 0
`;
