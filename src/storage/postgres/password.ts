/**
 * The password of a role that stands in no address: what PGPASSWORD holds, else a line of the password file, as every program of Postgres
 * reads it. The library `pg` reads that file too, and warns that it will not for long.
 */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { word } from "../../engine/program.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";
import { type Address, readAddress, refused } from "./address.ts";

const largestInBytes = 1024 * 1024;

/** Undefined: none is named. Throws HooklineError store_unusable: the file may be read by others, or cannot be read. */
export function passwordOf(address: Address): string | undefined {
  const { PGPASSWORD: own, PGPASSFILE: named } = process.env; // read late, as `pg` does
  if (own !== undefined) return own;
  const file = named ?? join(homedir(), ".pgpass");
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) return undefined;
  if (process.platform !== "win32" && (there.mode & 0o077) !== 0)
    throw refused(`other users may read ${file}`, address.shown, `run \`chmod 600 ${word(file)}\``);
  return passwordIn(textOf(file, address), address);
}

function textOf(file: string, { shown }: Address): string {
  const advice = "name a file of passwords that you may read";
  try {
    const found = readRegularFileSync(file, largestInBytes);
    if ("text" in found) return found.text;
    throw refused(`${file}: ${found.refused}`, shown, advice);
  } catch (error) {
    throw error instanceof HooklineError ? error : refused(`${file}: ${messageOf(error)}`, shown, advice, error);
  }
}

/** The whole address, for a library that connects by itself: with the password, and with the TLS that it means. Throws as above. */
export function wholeAddress(url: string): string {
  const address = readAddress(url);
  const whole = new URL(url);
  const password = address.password ?? passwordOf(address);
  if (password !== undefined) whole.password = encodeURIComponent(password);
  if (address.tls && !whole.searchParams.has("sslmode")) whole.searchParams.set("sslmode", "verify-full");
  return whole.href;
}

/** Of the first line that fits: host:port:database:role:password, where `*` stands for any and `\` before a character for itself. */
function passwordIn(text: string, { host, port, database, user }: Address): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    const fields = fieldsOf(line);
    if (!line.startsWith("#") && wanted.every((one, index) => fields[index] === "*" || fields[index] === one))
      return fields[wanted.length];
  }
  return undefined;
}

const fieldsOf = (line: string): string[] =>
  Array.from(line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g), ([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"));
