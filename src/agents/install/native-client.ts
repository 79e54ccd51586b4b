/**
 * The client that agents start on every event where one is compiled for this system (native/client.c). It does what the client for
 * bash does, without the start of bash. The program is the same for everybody: what differs stands as words in start.sh.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { nativeProgram } from "../../files/native.ts";
import { readRegularBytesSync, readRegularTextSync } from "../../files/regular-file.ts";
import { writeWhole } from "../../files/write.ts";
import type { Launched } from "./launch.ts";
import { nativeClientFile, startFile } from "./own-call.ts";

/**
 * A file that only a machine with this processor has: the loader of its programs. A state folder may be shared with machines of another
 * processor, and a shell that is to become a program of another one reads it as a script.
 */
const loaders: Readonly<Record<string, readonly string[]>> = {
  x64: ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"],
  arm64: ["/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1"],
};

type NativeClient = NonNullable<Launched["native"]>;

const loaderHere = (): string | undefined => loaders[process.arch]?.find((file) => existsSync(file));

/** It runs, sees when a process began, and may use sockets. What does not answer at once does not. */
const canRun = (file: string): boolean => spawnSync(file, ["--can-run"], { timeout: 5_000 }).status === 0;

export interface NativeProgram {
  file: string;
  loader: string;
}

/** The program of the package. Undefined: there is none for this machine. */
export function findNativeClient(): NativeProgram | undefined {
  const file = nativeProgram("hookline-client");
  const loader = loaderHere();
  return file !== undefined && loader !== undefined && canRun(file) ? { file, loader } : undefined;
}

/**
 * A copy in the state folder, for its owner alone, which goes on asking a daemon where the package has gone. It replaces another in one
 * step. Undefined: no program can be started there. May throw what the file system says.
 */
export function writeNativeClient(
  stateFolder: string,
  version: string,
  found: NativeProgram | undefined = findNativeClient(),
): NativeClient | undefined {
  if (!found) return undefined;
  const file = nativeClientFile(stateFolder);
  const program = readRegularBytesSync(found.file);
  if (!existsSync(file) || !readRegularBytesSync(file).equals(program))
    writeWhole(file, program, { mode: 0o700, finish: (temporary) => chmodSync(temporary, 0o700) }); // whatever the umask
  if (canRun(file)) return { file, loader: found.loader, version };
  rmSync(file, { force: true });
  return undefined;
}

/** For which version start.sh starts it; undefined: it does not. May throw what the file system says. */
export function writtenNativeClient(stateFolder: string): NativeClient | undefined {
  const [start, file] = [startFile(stateFolder), nativeClientFile(stateFolder)];
  if (!existsSync(start) || !existsSync(file)) return undefined;
  const line = new RegExp(
    `^\\[ -e '(?<loader>[^']*)' \\] .*/${basename(nativeClientFile(""))}' '(?<version>[^']*)' `,
    "m",
  );
  const { loader, version } = line.exec(readRegularTextSync(start))?.groups ?? {};
  return loader === undefined || version === undefined ? undefined : { file, loader, version };
}
