/**
 * How the file that git runs before each commit reads a front matter, in functions of the shell alone: what it says for
 * sure, and where only the dialect of scripts can tell. Apart from the rest, because it has to agree with that dialect.
 */

/** POSIX sh; it defines classify, and what that needs. */
export const headerText: string = `\
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
  if [ "$base" ] && [ \${#place} -gt \${#base} ]; then
    case $last in type) type=odd ;; pattern) is_simple='' ;; esac
  elif is_field; then
    last='' base=$place
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
}`;
