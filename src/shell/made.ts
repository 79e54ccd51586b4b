/** Files that a line itself makes and then runs: what is in them is what the line wrote, copied or linked there. */
import { posix } from "node:path";
import type { Redirect } from "../engine/effects.ts";
import { baseName, unknownText } from "../engine/pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { type Call, type Command, folderOf, type Reading } from "./shell.ts";

export interface Made {
  /** As precise as the line tells. */
  path: string;
  /** text: these are its bytes, or those behind what lay there. copy: those of another file. unknown: nobody can tell. */
  holds: { is: "text"; text: string; adds?: true } | { is: "copy"; from: string } | { is: "unknown" };
}

type Place = Pick<Call, "folder" | "shell">;

/** An absolute path wherever the line tells. */
export function pathIn(folder: string | undefined, path: string): string {
  const plain = path.replaceAll(/\0+/g, unknownText);
  if (plain.startsWith(unknownText)) return plain;
  if (plain.startsWith("/")) return posix.normalize(plain);
  if (folder === undefined) return plain.replace(/^(\.\/+)+/, "");
  return folder.startsWith("/") ? posix.resolve(folder, plain) : `${folder}/${plain}`;
}

export function noteMade(reading: Reading, path: string, holds: Made["holds"], place: Place): void {
  const full = pathIn(folderOf(place), path);
  const base = baseName(full);
  const others = (reading.made.get(base) ?? []).filter((one) => one.path !== full);
  reading.made.set(base, [...others.slice(-mostOfOneName), { path: full, holds }]);
}

const mostOfOneName = 20;
const isSure = (path: string): boolean => path.startsWith("/");

/** The file that a program or a script is, if the line made it. A path that is not known may be any file of its name. */
export const madeAt = (reading: Reading, path: string, place: Place): Made | undefined =>
  reading.made.size === 0 ? undefined : madeIn(reading, path, folderOf(place));

function madeIn(reading: Reading, path: string, folder: string | undefined): Made | undefined {
  const full = pathIn(folder, path);
  const base = baseName(full);
  if (isUnknown(base) || /[*?[]/.test(base))
    return reading.made.get(base)?.find((one) => one.path === full) ?? { path: full, holds: { is: "unknown" } };
  const named = reading.made.get(base) ?? [];
  const exact = named.findLast((one) => one.path === full);
  // What was copied from there is not what is there.
  const isFrom = ({ holds }: Made): boolean => holds.is === "copy" && holds.from === path;
  return exact ?? named.findLast((one) => (!isSure(one.path) || !isSure(full)) && !isFrom(one));
}

/** A program that is looked for where the line says, and that it made there. */
export function madeOnPath(reading: Reading, name: string): Made | undefined {
  const hashed = reading.hashed.get(name);
  if (hashed !== undefined) return { path: hashed, holds: { is: "copy", from: hashed } };
  const named = reading.made.get(name);
  return reading.changesPath ? named?.at(-1) : named?.findLast(({ path }) => isOnPath(path));
}

/** Folders of programs are called so, and a folder that only the shell knows may be one. */
const isOnPath = (path: string): boolean => /(?:^|\/)(?:s?bin|\.bin)\/[^/]+$|^\0/.test(path);

const standardOutput = (redirect: Redirect): boolean => redirect.how !== "reads";

/** @param own the redirections of the command itself @param text what it prints */
export function noteRedirects(own: readonly Redirect[], text: string | undefined, call: Call): void {
  const { reading } = call;
  for (const redirect of own.filter(standardOutput)) {
    const before = redirect.how === "appends" ? madeAt(reading, redirect.path, call) : undefined;
    // A file that was there before is as known as any: of it, the line tells what it adds.
    const isWhole = before === undefined || before.holds.is === "text";
    const start = before?.holds.is === "text" ? before.holds : { text: "" };
    const adds = redirect.how === "appends" && (before === undefined || "adds" in start) ? { adds: true as const } : {};
    const holds: Made["holds"] =
      text === undefined || !isWhole ? { is: "unknown" } : { is: "text", text: start.text + text, ...adds };
    noteMade(reading, redirect.path, holds, call);
  }
}

const printers: ReadonlySet<string> = new Set(["cat", "echo", "printf", "base64", "gbase64"]);

/** What a command prints, where its words and the files that the line made tell. */
export function printed({ words, text, cwd }: Command, reading: Reading): string | undefined {
  const name = baseName(words[0] ?? "");
  if (!printers.has(name) || words.some((word) => isUnknown(word))) return undefined;
  const rest = words.slice(1);
  if (name === "cat" && text !== undefined && (rest.length === 0 || rest[0] === "-")) return text;
  if (name === "cat") return textOfAll(operandsOf(rest), cwd, reading);
  if (name.endsWith("base64"))
    return text !== undefined && /^(?:-d|-D|--decode)$/.test(rest.join(" ")) ? decoded(text) : undefined;
  if (name === "echo") {
    const isWhole = rest[0] === "-n";
    if (/^-[neE]+$/.test(rest[0] ?? "") && !isWhole) return undefined;
    const joined = rest.slice(isWhole ? 1 : 0).join(" ");
    // What some shells make another sign of.
    return /\\[abcefnrtv0\\]|\\$/.test(joined) ? undefined : `${joined}${isWhole ? "" : "\n"}`;
  }
  if (name !== "printf") return undefined;
  const [format = "", ...values] = rest[0] === "--" ? rest.slice(1) : rest;
  if (!/^(?:[^%\\]|\\n|\\t|%s)*$/.test(format)) return undefined;
  const plain = format.replaceAll("\\n", "\n").replaceAll("\\t", "\t");
  const holes = plain.split("%s").length - 1;
  if (holes === 0) return values.length === 0 ? plain : undefined;
  if (values.length % holes !== 0 || values.length === 0) return undefined;
  const rounds = Array.from({ length: values.length / holes }, (_, round) => {
    let at = round * holes;
    return plain.replaceAll("%s", () => values[at++] ?? "");
  });
  return rounds.join("");
}

/** Of files that the line made, one behind the other. */
export function textOfAll(paths: readonly string[], cwd: string | undefined, reading: Reading): string | undefined {
  if (reading.made.size === 0 || paths.length === 0) return undefined;
  const texts = paths.map((path) => madeIn(reading, path, cwd)?.holds);
  return texts.every((one) => one?.is === "text") ? texts.map(({ text }) => text).join("") : undefined;
}

/** What can be no text of a line stays unknown. */
function decoded(text: string): string | undefined {
  const plain = text.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined;
  const bytes = Buffer.from(plain, "base64").toString("utf8");
  return [...bytes].some((sign) => sign < "\t" || sign === "\uFFFD") ? undefined : bytes;
}

/** Programs that bring a file to another name, and programs that write one. */
export function noteFiles(words: readonly string[], call: Call): void {
  ways.get(baseName(words[0] ?? ""))?.(words.slice(1), call);
}

type Way = (rest: readonly string[], call: Call) => void;

const operandsOf = (rest: readonly string[]): string[] => rest.filter((word) => !/^-./.test(word));

function optionValue(rest: readonly string[], ...names: readonly string[]): string | undefined {
  for (const [index, word] of rest.entries()) {
    for (const name of names) {
      if (word === name) return rest[index + 1];
      if (name.startsWith("--") && word.startsWith(`${name}=`)) return word.slice(name.length + 1);
      if (!name.startsWith("--") && word.startsWith(name) && !word.startsWith("--")) return word.slice(name.length);
    }
  }
  return undefined;
}

/** The target is a file, or a folder that gets files of these names. */
const copies: Way = (rest, call) => {
  const operands = operandsOf(rest);
  const folder = optionValue(rest, "-t", "--target-directory");
  const target = folder ?? (operands.length > 1 ? operands.pop() : ".");
  if (target === undefined) return;
  const from = operands.filter((word) => word !== folder);
  for (const source of from) {
    const holds = isStandardInput(source) ? heldBy(call) : copyOf(source, call);
    if (from.length === 1) noteMade(call.reading, target, holds, call);
    noteMade(call.reading, `${target.replace(/(?<!\/)\/+$/, "")}/${baseName(source)}`, holds, call);
  }
};

const isStandardInput = (path: string): boolean => /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path);

/** `install -m 755 a b` */
const withoutValues = (rest: readonly string[]): string[] =>
  rest.filter(
    (word, at) =>
      !/^-[mogS]$|^--(?:mode|owner|group|suffix)$/.test(word) &&
      !/^-[mogS]$|^--(?:mode|owner|group|suffix)$/.test(rest[at - 1] ?? ""),
  );

/** What standard input gives. */
const heldBy = ({ input }: Call): Made["holds"] =>
  typeof input === "object" ? { is: "text", text: input.text } : { is: "unknown" };

function copyOf(source: string, call: Call): Made["holds"] {
  const isSure = !mayVanish(source) && !/[*?[]/.test(source);
  return madeAt(call.reading, source, call)?.holds ?? (isSure ? { is: "copy", from: source } : { is: "unknown" });
}

/** What is behind a link is where it leads: a symbolic one from its own folder. */
const links: Way = (rest, call) => {
  copies(rest, call);
  const isSymbolic = rest.some((word) => /^-[A-Za-z]*s|^--symbolic/.test(word));
  const operands = operandsOf(rest);
  const folder = optionValue(rest, "-t", "--target-directory");
  const from = operands.filter((word) => word !== folder);
  const target = folder ?? (from.length > 1 ? (from.pop() ?? ".") : ".");
  for (const source of from) {
    if (isUnknown(source)) continue;
    const inside = `${target.replace(/(?<!\/)\/+$/, "")}/${baseName(source.replace(/(?<=.)\/+$/, ""))}`;
    const names = folder === undefined && operands.length > 1 && from.length === 1 ? [target, inside] : [inside];
    for (const name of names) {
      const path = pathIn(folderOf(call), name);
      const to = pathIn(isSymbolic ? posix.dirname(path) : folderOf(call), source);
      if (isSure(path) && isSure(to) && path !== to && call.reading.links.size < mostLinks)
        call.reading.links.set(path, to);
    }
  }
};
const mostLinks = 50;

const loads =
  (options: readonly string[], byAddress: (rest: readonly string[]) => boolean): Way =>
  (rest, call) => {
    const path = optionValue(rest, ...options);
    if (path !== undefined) noteMade(call.reading, path, { is: "unknown" }, call);
    if (path !== undefined || !byAddress(rest)) return;
    for (const word of operandsOf(rest)) {
      const base = baseName(word.replace(/[?#].*$/s, ""));
      if (base !== "") noteMade(call.reading, base, { is: "unknown" }, call);
    }
  };

const rewrites: Way = (rest, call) => {
  if (!rest.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word))) return;
  for (const path of operandsOf(rest))
    if (madeAt(call.reading, path, call)) noteMade(call.reading, path, { is: "unknown" }, call);
};

const ways: ReadonlyMap<string, Way> = new Map(
  Object.entries<Way>({
    cp: (rest, call) => (rest.some((word) => /^-[A-Za-z]*s|^--symbolic-link/.test(word)) ? links : copies)(rest, call),
    mv: copies,
    ln: links,
    gln: links,
    install: (rest, call) => copies(withoutValues(rest), call),
    rsync: copies,
    curl: loads(["-o", "--output"], (rest) => rest.some((word) => /^-[A-Za-z]*O|^--remote-name/.test(word))),
    wget: loads(["-O", "--output-document"], () => true),
    dd: (rest, call) => {
      const isWhole = rest.every((word) => /^(?:of|status)=/.test(word));
      for (const word of rest)
        if (word.startsWith("of="))
          noteMade(call.reading, word.slice(3), isWhole ? heldBy(call) : { is: "unknown" }, call);
    },
    tee: (rest, call) => {
      const text = typeof call.input === "object" ? call.input.text : undefined;
      const adds = rest.some((word) => /^(?:-[a-z]*a|--append)$/.test(word));
      for (const path of operandsOf(rest)) {
        const before = adds ? madeAt(call.reading, path, call)?.holds : undefined;
        const isTold = text !== undefined && (before === undefined || before.is === "text");
        const start = before?.is === "text" ? before : { text: "", ...(adds ? { adds: true as const } : {}) };
        noteMade(
          call.reading,
          path,
          isTold ? { ...start, is: "text", text: start.text + text } : { is: "unknown" },
          call,
        );
      }
    },
    // Who reads a pipe gets what others write there, whenever that is.
    mkfifo: (rest, call) => {
      for (const path of operandsOf(rest)) noteMade(call.reading, path, { is: "unknown" }, call);
    },
    sed: rewrites,
    gsed: rewrites,
    perl: rewrites,
  }),
);
