/** The last part of the file that git runs before each commit: what happens where Hookline is gone. POSIX sh. */

/** It goes on where git-stub-text.ts ends, and uses its functions. */
export const aloneText: string = `
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
