# Hookline: what an agent's event comes to where Hookline cannot be started. Written by "hookline install".
hl_state=__STATE__
# __ANSWER__
