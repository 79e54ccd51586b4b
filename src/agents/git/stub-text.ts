/**
 * The text of the file that git runs before each commit, which is the same in every repository but for the folders that it
 * looks into. POSIX sh, and in functions of the shell alone as long as no question needs git: a commit waits for it. What it
 * cannot tell for sure it asks Hookline. How a front matter is read is in stub-header.ts.
 */
import { hookFiles } from "../index.ts";
import { headerText } from "./stub-header.ts";

/** Paths below a project's folder that may hold hooks; the stars are the shell's. */
export const watchedBelow = (): readonly string[] => [
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
  ...new Set(agentFiles().flatMap((name) => [name.slice(0, Math.max(0, name.lastIndexOf("/"))) || name, name])),
];

/** Below a project's folder. */
const agentFiles = (): string[] =>
  hookFiles().flatMap(({ project, local }) => [project, local].filter((one) => one !== undefined));

/** A worktree without any of these uses the main worktree's hook files. */
const markers = (): string[] => [
  ".hookline",
  "hookline.yaml",
  ...hookFiles().flatMap((table) => table.markers),
  ".discobot",
  ".system/hooks",
];

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
if [ -f .git ] && ! { ${markers()
  .map((marker) => `[ -e ${marker} ]`)
  .join(" || ")}; }; then
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
# The same for those of the paths behind it that are there, in this worktree or in the main one.
for_each_of() {
  visit=$1
  shift
  for below in "$top" \${main:+"$main"}; do
    for name; do
      case $name in /*) file=$name ;; *) file=$below/$name ;; esac
      [ -e "$file" ] && "$visit" && return 0
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
  [ "$file" -nt "$0" ] && return 0
  case $known in *"//$file//"*) return 1 ;; esac
}
any_news_below() {
  for file in ${watchedBelow()
    .map((path) => `"$1"/${path}`)
    .join(" ")}; do
    [ -e "$file" ] || continue
    [ "$file" -nt "$0" ] && return 0
    [ "$shared" ] && continue
    case $known in *"//$file//"*) ;; *) return 0 ;; esac
  done
  return 1
}

may_be_for_commits() { ! [ -r "$file" ] || ! is_of_another_type <"$file"; }

renew='' is_open=''
if any_news_below "$top" || { [ "$main" ] && any_news_below "$main"; } || for_each_watched is_news; then renew=--renew; fi
if [ -z "$renew" ] && ! for_each_noted :; then
  for_each_file may_be_for_commits || exit 0
  is_open=yes
fi

# Up to here it goes for most commits: a shell reads no further than it has to.

${headerText}
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

/** The last part: what happens where Hookline is gone. It uses the functions of the first. */
const aloneText: string = `
printable() { case $1 in *[![:print:]]*) shown=$2 ;; *) shown=$1 ;; esac; }
refuse() {
  reason=$1
  [ "$original" ] && way="mv $here/$original $0" || way="rm $0"
  printable "$way" 'remove the file pre-commit in the folder of hooks'
  printf 'hookline: %s, so the commit is refused — install Hookline again; or take it out of git: %s; or pass by it once: git commit --no-verify\\n' "$reason" "$shown" >&2
  exit 1
}

printf 'hookline: Hookline is gone — %s — pre-commit scripts run without it, and neither log nor status is kept; hookline git install mends that\\n' "$bin" >&2
tell_of_noted() {
  printable "$name" 'a file'
  case $guarded in *"//$name//"* | *"//$file//"*) refuse "a guard in $shown cannot be asked" ;; esac
  printf 'hookline: hooks on git.pre-commit cannot be asked without it — %s\\n' "$shown" >&2
  return 1
}
for_each_noted tell_of_noted

# The staged files that are there: each with a NUL behind it in a file, and as words of a shell.
list_staged() {
  [ "$listing" ] || listing=$(mktemp -d "\${TMPDIR:-/tmp}/hookline-XXXXXX") || refuse 'no folder can be made for the names of staged files'
  diff_staged --name-only --diff-filter=d -z -- >"$listing/changed-files" || refuse 'git does not tell what is staged'
  words=$(LC_ALL=C tr '\\n\\0' '\\001\\n' <"$listing/changed-files" | LC_ALL=C sed "/^-/s/^/.\\\\//
/[] \\"'\\\`\\\\*?[{}\\$;&|<>()!#~[:cntrl:]]/{
s/'/'\\\\\\\\''/g
s/^/'/
s/$/'/
}" | LC_ALL=C tr '\\n\\001' ' \\n')
  words=\${words% }
  [ -z "$words" ] && [ -s "$listing/changed-files" ] && refuse 'the names of staged files cannot be told to scripts'
}
listing=''
trap '[ -z "$listing" ] || rm -rf "$listing"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

export HOOKLINE_HOOK_TYPE=pre-commit DISCOBOT_HOOK_TYPE=pre-commit HOOKLINE_WORKSPACE="$PWD" DISCOBOT_WORKSPACE="$PWD"
run_script() {
  classify "$file"
  [ $kind = no ] && return 1
  printable "$file" 'a script'
  [ $kind = maybe ] && refuse "only Hookline can tell whether $shown is a pre-commit script"
  [ "$endings" ] && ! is_staged && return 1
  list_staged
  HOOKLINE_CHANGED_FILES=$words DISCOBOT_CHANGED_FILES=$words \\
    HOOKLINE_CHANGED_FILES_0=$listing/changed-files DISCOBOT_CHANGED_FILES_0=$listing/changed-files "$file" && return 1
  code=$?
  printf 'hookline: %s refused the commit (exit code %s)\\n' "$shown" "$code" >&2
  exit "$code"
}
for_each_file run_script
exit 0
`;
