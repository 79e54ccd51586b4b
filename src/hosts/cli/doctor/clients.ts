/** What agents start on each event: the clients in the state folder and the files that start them, as this build writes them. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  clientText,
  findNativeClient,
  writtenClient,
  writtenNativeClient,
} from "../../../agents/install/client-programs.ts";
import { launchedProgram, launcherTexts } from "../../../agents/install/launch.ts";
import { clientFile, nativeClientFile, startFile } from "../../../agents/install/own-call.ts";
import { isProgram } from "../../../files/paths.ts";
import { readRegularBytesSync, readRegularTextSync } from "../../../files/regular-file.ts";
import { patience } from "../../../runtime/system.ts";
import { buildVersion } from "../command.ts";
import { type Area, row } from "./check.ts";
import type { Here, Registered } from "./here.ts";
import { installAgain, reinstall } from "./reinstall.ts";

/** A file of the state folder, and the agent whose install writes it. */
interface ClientFile {
  file: string;
  by: Registered;
}

const mends = {
  run: ({ by }: ClientFile): string => installAgain(by),
  fix: ({ by }: ClientFile, here: Here): Promise<string> => reinstall(by, here),
};

export const clients: Area = {
  name: "clients",
  checks: [
    row<ClientFile>("client-missing", {
      is: "bad",
      find: (here) => ofCaller(here, ({ state }) => [startFile(state)].filter((file) => !existsSync(file))),
      says: ({ file, by }, { show }) => `${by.agent.title} starts ${show(file)} on each event, and that file is gone`,
      ...mends,
    }),
    row<ClientFile>("client-changed", {
      is: "bad",
      find: (here) => ofCaller(here, ({ state }) => changedFiles(state)),
      says: ({ file }, { show }) => `${show(file)} is not as install wrote it`,
      ...mends,
    }),
    row<ClientFile>("client-leads-nowhere", {
      is: "bad",
      find: (here) => ofCaller(here, ({ state }) => (launchedProgram(state) ?? []).filter((file) => !existsSync(file))),
      says: ({ file }, { show }) => `the client is to start ${show(file)}, which is gone`,
      ...mends,
    }),
    row<ClientFile>("client-does-not-run", {
      is: "note",
      find: (here) => ofCaller(here, ({ state }) => unusable(state)),
      says: ({ file }, { show }) => `${show(file)} cannot be started here, so a slower client does its work`,
      ...mends,
    }),
  ],
  good(here) {
    if (!caller(here)) return "none is needed: no agent starts one";
    const native = writtenNativeClient(here.state);
    const shell = writtenClient(here.state);
    const names = [...(native ? ["hookline-client"] : []), ...(shell ? ["client.sh for bash"] : []), "Node"];
    return `agents start ${names.join(", or else ")}`;
  },
};

/** An agent whose lines read the state folder's files. */
const caller = ({ registrations, state }: Here): Registered | undefined =>
  registrations().registered.find(
    ({ layer, entries }) => layer === "project" || entries.some(({ command }) => command?.includes(startFile(state))),
  );

function ofCaller(here: Here, files: (here: Here) => readonly string[]): ClientFile[] {
  const by = caller(here);
  // Who has cloned a project is served by what the project's launcher finds, whatever lies here.
  if (!by || (by.layer === "project" && !existsSync(startFile(here.state)))) return [];
  return files(here).map((file) => ({ file, by }));
}

/** Those of another version are renewed by the next event. */
function changedFiles(state: string): string[] {
  if (!existsSync(startFile(state))) return [];
  const program = launchedProgram(state);
  if (!program) return [startFile(state)];
  const native = writtenNativeClient(state);
  const shell = writtenClient(state);
  const version = buildVersion();
  if ((native ?? shell)?.version !== undefined && (native ?? shell)?.version !== version) return [];
  const launched = { program, ...(native && { native }), ...(shell && { bash: shell.bash }) };
  const texts = [
    ...launcherTexts(state, launched),
    ...(shell ? [{ file: clientFile(state), text: clientText(state, { ...shell, program }) }] : []),
  ];
  const wrong = texts.filter(({ file, text }) => !existsSync(file) || readRegularTextSync(file) !== text);
  const own = native && findNativeClient();
  const isOther =
    own !== undefined && !readRegularBytesSync(own.file).equals(readRegularBytesSync(nativeClientFile(state)));
  return [...wrong.map(({ file }) => file), ...(isOther ? [nativeClientFile(state)] : [])];
}

function unusable(state: string): string[] {
  const native = writtenNativeClient(state)?.file;
  const bash = writtenClient(state)?.bash;
  const fails = (file: string): boolean => spawnSync(file, ["--can-run"], { timeout: patience(5_000) }).status !== 0;
  return [
    ...(native !== undefined && fails(native) ? [native] : []),
    ...(bash !== undefined && !isProgram(bash) ? [bash] : []),
  ];
}
