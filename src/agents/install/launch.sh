# Starts Hookline for the agents of this project, or refuses what a guard waits for where Hookline is missing.
# hookline:managed launcher
# Written by "hookline install AGENT --layer project" and read by the lines that it registered: commit both. It downloads nothing.
hl_state=${HOME-}/.local/state/hookline
case ${XDG_STATE_HOME-} in /*) hl_state=$XDG_STATE_HOME/hookline ;; esac
[ -r "$hl_state/start.sh" ] && . "$hl_state/start.sh"
# __ANSWER__
