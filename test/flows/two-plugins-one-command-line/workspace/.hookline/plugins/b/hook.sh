#!/bin/sh
echo from b >&2
exit 2
