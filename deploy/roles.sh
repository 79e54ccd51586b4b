#!/bin/sh
# The database and the roles of Hookline, as a superuser makes them once: the owner migrates, the writer writes rows, the reader reads them.
set -eu
psql --set ON_ERROR_STOP=1 --set owner_password="$POSTGRES_PASSWORD" --set writer_password="$WRITER_PASSWORD" "$@" <<'SQL'
create role hookline_owner login password :'owner_password';
create role hookline_writer login password :'writer_password';
create role hookline_reader nologin;
create database hookline owner hookline_owner;
revoke all on database hookline from public;
grant connect on database hookline to hookline_writer, hookline_reader;
SQL
