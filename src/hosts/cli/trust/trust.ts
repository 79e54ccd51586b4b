/** hookline trust and untrust: a person looks at what a workspace would run, and says yes or takes it back (R30). */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loadPatterns } from "../../../conditions/patterns.ts";
import { HooklineError } from "../../../engine/error.ts";
import { loadAll } from "../../../loading/loading.ts";
import type { TrustRecords } from "../../../loading/trust/records.ts";
import { trusting, trustRecords } from "../../compose/trust.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { loadingFor } from "../loaded.ts";
import type { Place } from "../place.ts";
import { askForKey, isPersonThere, safeText } from "../terminal.ts";
import { type AskingFolder, foldersAt } from "./folders.ts";
import { showFolder } from "./show.ts";

export async function trust(invocation: Invocation): Promise<ExitCode> {
  const [first, second] = invocation.words;
  const records = trustRecords(invocation);
  if (first === "list") return list(invocation, records);
  if (first === "diff") return diff({ ...invocation, cwd: folderOf(second, invocation) }, records);
  if (second !== undefined) throw usageError(`unexpected argument "${second}"`, invocation.usage);
  const at = { ...invocation, cwd: folderOf(first, invocation) };
  const hash = textFlag(invocation.flags, "hash");
  if (hash !== undefined) return pin(at, records, hash);
  if (invocation.flags.watch === true) return watch(at, records);
  return ask(at, records);
}

function folderOf(word: string | undefined, { cwd }: Invocation): string {
  const path = resolve(cwd, word ?? "");
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  throw new HooklineError("usage", {
    what: `no folder is called "${word}"`,
    where: path,
    advice: "name a folder that exists",
  });
}

const isOpen = ({ state }: AskingFolder): boolean => state === "untrusted" || state === "changed";

/** A module is read at once, so that its guards are known before it changes. */
async function accept(folder: AskingFolder, records: TrustRecords, place: Place): Promise<void> {
  const items = folder.items.map(({ item }) => item);
  records.add(folder.path, items, Date.now());
  if (!items.some(({ kind }) => kind === "module")) return;
  await loadAll({ ...place, cwd: folder.path, trust: records, patterns: await loadPatterns() }, loadingFor(place));
}

/** Trusts what Hookline itself has just written there, for a person who asked for it. */
export async function trustOwn(place: Place): Promise<void> {
  const records = trustRecords(place);
  for (const folder of await foldersAt(place, records)) if (isOpen(folder)) await accept(folder, records, place);
}

/** Shows what is not trusted, and asks for each folder by itself. Without a person at a terminal nothing is trusted. */
async function ask(invocation: Invocation, records: TrustRecords): Promise<ExitCode> {
  const { terminal } = invocation;
  const folders = await foldersAt(invocation, records);
  const open = folders.filter(isOpen);
  if (open.length === 0) {
    const some = folders.some(({ state }) => state === "trusted");
    terminal.print(some ? "everything here is trusted" : "nothing here needs trust");
    return 0;
  }
  for (const folder of open) if ((await askFor(folder, records, invocation)) !== "yes") return 1;
  return 0;
}

async function askFor(
  folder: AskingFolder,
  records: TrustRecords,
  invocation: Invocation,
): Promise<"yes" | "no" | "no terminal"> {
  const { terminal, signal } = invocation;
  showFolder(folder, records, invocation);
  terminal.print("");
  const count = folder.items.filter(({ isTrusted }) => !isTrusted).length;
  const answer = await askForKey(
    `Trust ${count === 1 ? "it" : `these ${count}`}? ${count === 1 ? "It then runs" : "They then run"} as you. [y/N] `,
    invocation,
  );
  if (answer === undefined) {
    terminal.error("hookline: nothing was trusted — no person is at a terminal — read the files, then run:");
    terminal.error(`  hookline trust ${safeText(folder.path)} --hash ${folder.hash}`);
    return "no terminal";
  }
  if (answer !== "y" || signal.aborted) {
    terminal.print("nothing was trusted");
    return "no";
  }
  await accept(folder, records, invocation);
  terminal.print(`trusted: ${safeText(folder.path)}`);
  return "yes";
}

/**
 * For commands with which a person tries hooks: at a terminal they show first what is not trusted, and ask for one key. Whatever
 * the answer, the command goes on.
 */
export async function offerTrust(invocation: Invocation): Promise<void> {
  const { trust: records } = trusting(invocation);
  if (!records || invocation.flags.quiet === true || !isPersonThere(invocation)) return;
  for (const folder of (await foldersAt(invocation, records)).filter(isOpen)) {
    if (invocation.signal.aborted) return;
    await askFor(folder, records, invocation);
    invocation.terminal.print("");
  }
}

/** For machines: the folder is trusted if it is still what the hash says. */
async function pin(invocation: Invocation, records: TrustRecords, hash: string): Promise<ExitCode> {
  const folders = (await foldersAt(invocation, records)).filter(({ items }) => items.length > 0);
  const folder = folders.find((one) => one.hash === hash);
  if (!folder) {
    const found = folders.map((one) => `${safeText(one.path)} has the hash ${one.hash}`).join("; ");
    invocation.terminal.error(
      `hookline: nothing was trusted — ${found || "nothing here needs trust"} — compare it with what you have read: hookline trust diff`,
    );
    return 1;
  }
  await accept(folder, records, invocation);
  invocation.terminal.print(`trusted: ${safeText(folder.path)}`);
  return 0;
}

async function diff(invocation: Invocation, records: TrustRecords): Promise<ExitCode> {
  const folders = (await foldersAt(invocation, records)).filter(isOpen);
  if (invocation.json) {
    invocation.terminal.print(JSON.stringify(folders.map((folder) => ({ ...summaryOf(folder), items: folder.items }))));
    return folders.length > 0 ? 1 : 0;
  }
  for (const folder of folders) showFolder(folder, records, invocation);
  if (folders.length === 0) invocation.terminal.print("nothing differs from what is trusted");
  return folders.length > 0 ? 1 : 0;
}

/** The folders of this project, then the others that have ever been trusted. */
async function list(invocation: Invocation, records: TrustRecords): Promise<ExitCode> {
  const { terminal } = invocation;
  const here = (await foldersAt(invocation, records)).filter(
    ({ items, problem }) => items.length > 0 || problem !== undefined,
  );
  const folders = [...here];
  for (const { path } of records.all()) {
    if (folders.some((one) => one.path === path) || !existsSync(path)) continue;
    folders.push(...(await foldersAt({ ...invocation, cwd: path }, records)).filter((one) => one.path === path));
  }
  if (invocation.json) terminal.print(JSON.stringify(folders.map(summaryOf)));
  else if (folders.length === 0) terminal.print("nothing here needs trust, and no other folder is trusted");
  else
    for (const { path, state, items, problem } of folders)
      terminal.print(
        `${safeText(path)}  ${state === "untrusted" ? "not trusted" : state}, ${items.length === 1 ? "1 item" : `${items.length} items`}${problem ? ` (${safeText(problem)})` : ""}`,
      );
  return 0;
}

const summaryOf = ({ path, state, hash, items, problem }: AskingFolder): object => ({
  path,
  state,
  hash,
  hooks: items.map(({ item: { kind, name, file, line }, isTrusted }) => ({
    kind,
    name,
    file,
    line: line ?? null,
    trusted: isTrusted,
  })),
  files: [...new Set(items.flatMap(({ item }) => item.files.map((one) => one.path)))].sort(),
  ...(problem ? { problem } : {}),
});

/** Stays beside an editor: shows each change and asks for it, until it is ended. */
async function watch(invocation: Invocation, records: TrustRecords): Promise<ExitCode> {
  const { signal, terminal } = invocation;
  if (!terminal.isTerminal) throw usageError("--watch needs a terminal", invocation.usage);
  terminal.print("waiting for changes; Ctrl-C ends this");
  let refused = "";
  while (!signal.aborted) {
    const open = (await foldersAt(invocation, records)).filter(isOpen);
    const state = open.map(({ hash }) => hash).join();
    if (open.length > 0 && state !== refused) refused = (await ask(invocation, records)) === 0 ? "" : state;
    await delay(lookAgainAfter, undefined, { signal }).catch(() => {}); // Ctrl-C
  }
  return 0;
}
const lookAgainAfter = 500;

export async function untrust(invocation: Invocation): Promise<ExitCode> {
  const records = trustRecords(invocation);
  const at = { ...invocation, cwd: folderOf(invocation.words[0], invocation) };
  const removed = (await foldersAt(at, records)).filter(({ path }) => records.remove(path));
  for (const { path } of removed)
    invocation.terminal.print(`no longer trusted: ${safeText(path)}: its hooks do not run`);
  if (removed.length === 0) invocation.terminal.print("nothing here was trusted");
  return 0;
}
