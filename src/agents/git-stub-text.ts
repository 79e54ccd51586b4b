/**
 * The text of the file that git runs before each commit, which is the same in every repository but for the folders that it
 * looks into. POSIX sh, and in functions of the shell alone as long as no question needs git: a commit waits for it. What it
 * cannot tell for sure it asks Hookline. The last part, for when that is gone, is in git-stub-alone.ts.
 */
import { aloneText } from "./git-stub-alone.ts";

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

# Whether the shell with this number has begun this one, with no other git between them.
is_begun_by() {
  begun=$1 process=$$
  while [ "$process" -gt 1 ] 2>/dev/null; do
    if [ -r "/proc/$process/stat" ]; then
      IFS= read -r line <"/proc/$process/stat"
      name=\${line#*'('} name=\${name%')'*}
      line=\${line##*') '} line=\${line#* }
    else
      line=$(ps -o ppid= -o comm= -p "$process" 2>/dev/null) || return 1
      line=\${line#"\${line%%[![:space:]]*}"}
      name=\${line##*[ /]}
    fi
    [ "$process" = "$begun" ] && return 0
    case $name in git | git-*) return 1 ;; esac
    process=\${line%% *}
  done
  return 1
}

# The hook that was here before comes first. Should it call this file in turn, that has begun already; a commit that it
# makes is another one.
case \${HOOKLINE_KEPT_HOOK-} in
*" $PWD") is_begun_by "\${HOOKLINE_KEPT_HOOK%% *}" && exit 0 ;;
esac
if [ "$original" ] && [ -x "$here/$original" ]; then
  start_original "$@" || exit $?
fi

cd -P . 2>/dev/null
top=\${PWD%/}
# A linked worktree without hook files of its own uses the main worktree's.
main=
if [ -f .git ] && ! { ${markers.map((marker) => `[ -e ${marker} ]`).join(" || ")}; }; then
  IFS= read -r line <.git
  link=\${line#gitdir: }
  if [ -f "$link/commondir" ]; then
    IFS= read -r line <"$link/commondir"
    case $line in /*) ;; *) line=$link/$line ;; esac
    cd -P "$line" 2>/dev/null && case $PWD in */.git) main=\${PWD%/.git} ;; esac
    cd "$top/" || exit 1
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
# The same for the paths behind it, which may be of this worktree and of the main one.
for_each_of() {
  visit=$1
  shift
  for below in "$top" \${main:+"$main"}; do
    for name; do
      case $name in /*) file=$name ;; *) file=$below/$name ;; esac
      "$visit" && return 0
    done
  done
  return 1
}
# A well-written front matter of another type, which most are: told apart in as few steps as can be.
is_of_another_type() {
  IFS= read -r line && IFS= read -r delimiter || return 1
  case $line in '#!'*) ;; *) return 1 ;; esac
  case $delimiter in ---) sign='' ;; '#---') sign='# ' ;; //---) sign='// ' ;; *) return 1 ;; esac
  type=''
  for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    IFS= read -r line || return 1
    case $line in
    "$delimiter") [ "$type" ] && return 0 || return 1 ;;
    "$sign"'type: session' | "$sign"'type: file') [ "$type" ] && return 1 || type=other ;;
    "$sign"type*) return 1 ;;
    "$sign"[[:alpha:]]*) ;;
    *) return 1 ;;
    esac
  done
  return 1
}

# A file that may hold hooks is younger than what this file knows of it, or was not there.
is_news() {
  [ -e "$file" ] || return 1
  [ "$file" -nt "$0" ] && return 0
  case $known in *"//$file//"*) return 1 ;; esac
}
any_news_below() {
  for file in ${watchedBelow.map((path) => `"$1"/${path}`).join(" ")}; do
    [ -e "$file" ] || continue
    [ "$file" -nt "$0" ] && return 0
    [ "$shared" ] && continue
    case $known in *"//$file//"*) ;; *) return 0 ;; esac
  done
  return 1
}

is_there() { [ -e "$file" ]; }
may_be_for_commits() { ! [ -r "$file" ] || ! is_of_another_type <"$file"; }

renew='' is_open=''
if any_news_below "$top" || { [ "$main" ] && any_news_below "$main"; } || for_each_watched is_news; then renew=--renew; fi
if [ -z "$renew" ] && ! for_each_noted is_there; then
  for_each_file may_be_for_commits || exit 0
  is_open=yes
fi

# Up to here it goes for most commits: a shell reads no further than it has to.

trim() {
  trimmed=\${1#"\${1%%[![:space:]]*}"}
  trimmed=\${trimmed%"\${trimmed##*[![:space:]]}"}
}

# What the script $1 is: kind is no, surely (type: pre-commit), or maybe, which only Hookline can tell. Where it has a
# simple pattern, endings are what the name of a staged file has to end in.
classify() {
  kind=no endings='' delimiter='' is_closed='' base='' type='' type_sign='' signs='' pattern='' is_simple=yes last=''
  if [ ! -r "$1" ]; then
    kind=maybe
    return
  fi
  read_header <"$1"
  [ "$delimiter" ] || return
  [ "$delimiter" = late ] && return
  # Between plain delimiters a sign begins a remark, unless all lines have one.
  case $delimiter$type_sign$signs in ---+*-*) type=odd ;; esac
  case $is_closed$type in
  yesother) kind=no ;;
  yescommit) kind=surely ;;
  *) kind=maybe ;;
  esac
  [ $kind = surely ] && [ "$is_simple" ] && find_endings
}

# A front matter that begins a few lines late, or has no delimiters any more, is a mistake, of which only Hookline can tell
# what it means for a commit.
read_header() {
  number=0
  while IFS= read -r line || [ "$line" ]; do
    number=$((number + 1))
    if [ $number = 1 ]; then
      case $line in '#!'*) continue ;; *) return ;; esac
    fi
    trim "x$line"
    case $delimiter in
    '' | late)
      [ $number -gt 20 ] && return
      case $trimmed in
      x--- | x#--- | x//---) [ $number = 2 ] && delimiter=\${trimmed#x} || delimiter=late ;;
      *type*) is_type_astray && kind=maybe && return ;;
      *[[:alnum:]]*[[:alnum:]]*) ;;
      *--*) delimiter=late ;;
      esac
      ;;
    "\${trimmed#x}")
      is_closed=yes
      return
      ;;
    *)
      [ $number -gt 99 ] && return
      note_line
      ;;
    esac
  done
}

# The line without the sign that makes it a remark of the script's language.
without_sign() {
  trim "$line"
  case $trimmed in
  '#'*) sign=+ text=\${line#*'#'} ;;
  //*) sign=+ text=\${line#*//} ;;
  *) sign=- text=$line ;;
  esac
  trim "$text"
}

# Whether it says a type where nothing reads it; without a delimiter before it, a type that there is.
is_type_astray() {
  without_sign
  case $trimmed in type*:*) ;; *) return 1 ;; esac
  trim "\${trimmed#type}"
  case $trimmed in :*) ;; *) return 1 ;; esac
  [ "$delimiter" ] && return 0
  case $trimmed in *session* | *file* | *pre-commit*) ;; *) return 1 ;; esac
}

# Only the type and the pattern count: each once, not deeper than the other lines, and in one line.
note_line() {
  without_sign
  place=$sign\${text%%[![:space:]]*}
  case $trimmed in '') return ;; esac
  case $signs in *$sign*) ;; *) signs=$signs$sign ;; esac
  case $delimiter$sign in [#/]*-) type=odd ;; esac
  case $trimmed in '#'*) return ;; esac
  case $delimiter$sign$base in
  ---+-*) return ;;
  ----+*) base='' is_simple='' ;;
  esac
  [ "$base" ] || base=$place
  if [ \${#place} -gt \${#base} ]; then
    case $last in type) type=odd ;; pattern) is_simple='' ;; esac
  elif is_field; then
    last=''
  fi
  case $trimmed in
  type | type[![:alnum:]_-]* | '"type"'* | "'type'"*) note_type ;;
  pattern | pattern[![:alnum:]_-]* | '"pattern"'* | "'pattern'"*) note_pattern ;;
  esac
}
# What is deeper than a field belongs to it, also when something stands between them that is none.
is_field() {
  case "$trimmed " in *': '*) ;; *) return 1 ;; esac
  case \${trimmed%%:*} in *[![:alnum:]_-]*) return 1 ;; esac
}
note_type() {
  found=odd last=type
  case $trimmed in
  'type: '*)
    trim "\${trimmed#type:}"
    trim "\${trimmed%%[[:space:]][#]*}"
    case $trimmed in
    session | '"session"' | "'session'" | file | '"file"' | "'file'") found=other ;;
    pre-commit | '"pre-commit"' | "'pre-commit'") found=commit ;;
    esac
    ;;
  esac
  [ -z "$type" ] && [ "$place" = "$base" ] || found=odd
  type=$found type_sign=$sign
}
note_pattern() {
  last=pattern
  [ -z "$pattern" ] && [ "$place" = "$base" ] || is_simple=''
  case $trimmed in 'pattern: '*) ;; *) is_simple='' ;; esac
  trim "\${trimmed#pattern:}"
  pattern=$trimmed
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

# What git says of staged files whose names end in one of these.
diff_staged() {
  for one in $endings; do set -- "$@" "*$one"; done
  GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=0 GIT_NOGLOB_PATHSPECS=0 git -c core.fsmonitor=false \\
    diff --cached --no-ext-diff --no-textconv --no-renames "$@"
}
is_staged() { ! diff_staged --quiet --; }

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
${aloneText}`;
