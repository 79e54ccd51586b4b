# Hookline: starts its client for an agent's event. Written by "hookline install" as __START__; "hookline uninstall" takes it away.
[ -e __LOADER__ ] && [ -x __NATIVE__ ] && exec __NATIVE__ __VERSION__ __NODE__ __BIN__ __GONE__ "$@"
[ -x __BASH__ ] && [ -r __CLIENT__ ] && exec __BASH__ -p __CLIENT__ "$@"
[ -x __NODE__ ] && [ -f __BIN__ ] && exec __NODE__ __BIN__ "$@"
[ -r __GONE__ ] && . __GONE__
