hl_path=$PATH:
while [ "$hl_path" ] && command -v node >/dev/null 2>&1; do
  hl_one=${hl_path%%:*} hl_path=${hl_path#*:}
  case $hl_one in */node_modules/.bin | */node_modules/.bin/) continue ;; /*) ;; *) continue ;; esac
  for hl_folder in __FOLDERS__; do
    hl_folder=${hl_folder%/}
    case $hl_one/ in "$hl_folder"/*) continue 2 ;; esac
  done
  [ -f "$hl_one/hookline" ] && [ -x "$hl_one/hookline" ] && exec "$hl_one/hookline" __CALL__
done
