echo "not here" >&2
exit 2
