/** What people read, and the one way to print it: colours only on a terminal, tables that fit it, no control characters from elsewhere. */
import { relative } from "node:path";
import type { Instant } from "../../engine/event.ts";
import { type Problem, warningAbout } from "../../engine/hook.ts";
import { visible } from "../../engine/one-line.ts";

export interface Terminal {
  /** Someone reads it, and what is written may drive it. */
  readonly isTerminal: boolean;
  /** Columns to fill; Infinity when piped, so that nothing is cut. */
  readonly width: number;
  print(line: string): void;
  error(line: string): void;
  paint(style: Style, text: string): string;
}
export type Style = keyof typeof styles;

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function openTerminal(
  stream: NodeJS.WriteStream,
  errors: NodeJS.WriteStream,
  { environment, quiet }: { environment: NodeJS.ProcessEnv; quiet: boolean },
): Terminal {
  const isTerminal = stream.isTTY === true;
  const write = stream.write.bind(stream); // ours, whatever a module of the project does to the stream later
  const colours = isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
  return {
    isTerminal,
    width: isTerminal ? stream.columns : Number.POSITIVE_INFINITY,
    print: (line) => void (quiet || write(`${isTerminal ? safeLine(line) : line}\n`)),
    error: (line) => void errors.write(`${errors.isTTY ? safeLine(line) : line}\n`),
    paint(style, text) {
      const [on, off] = styles[style];
      return colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}

const ownCode = new RegExp(`(\u001b\\[(?:${Object.values(styles).flat().join("|")})m)`);

/**
 * The last look at all that a terminal gets (T26): nothing but our own colours drives it, whatever a caller forgot. JSON means the
 * same afterwards. Files and programs get exact bytes.
 */
const safeLine = (line: string): string =>
  line
    .split(ownCode)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join("");

/** Text from elsewhere: what a hook printed must not drive the terminal. */
export const safeText: (text: string) => string = visible;

/** Text from elsewhere on one line. */
export const oneLine = (text: string): string => safeText(text.replaceAll(/\s*\n\s*/g, " ⏎ ").trim());

/** Cuts text to so many columns, with a sign that something is missing. */
export const cut = (text: string, columns: number): string =>
  text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;

/** Text from elsewhere in lines that fit the terminal, each with this before it; words that are longer than a line stay whole. */
export function wrapped({ width }: Pick<Terminal, "width">, before: string, text: string): string[] {
  const lines: string[] = [];
  for (const word of oneLine(text).split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || before.length + last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${before}${line}`);
}

export interface Column {
  title: string;
  align?: "right";
  /** Takes what the others leave, and is cut. */
  fills?: true;
  /** Left out where all its cells are empty. */
  ifAny?: true;
  /** Left out where the terminal is too narrow for all columns. */
  ifWide?: true;
  /** Never wider than this. */
  most?: number;
  style?(value: string): Style | undefined;
}

/** A table with aligned columns; cells are cut to the terminal's width, never when piped. */
export function table(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const safe = rows.map((row) => row.map(oneLine));
  const filled = columns.map(({ ifAny }, index) => !ifAny || safe.some((row) => row[index]));
  const widths = widthsOf(terminal.width, columns, safe);
  const isTooWide = widths.reduce((sum, width) => sum + width + 2, -2) > terminal.width;
  const shown = filled.includes(false) ? filled : columns.map(({ ifWide }) => !(ifWide && isTooWide));
  if (shown.includes(false)) {
    const kept = <T>(cells: readonly T[]): T[] => cells.filter((_, index) => shown[index]);
    return table(terminal, kept(columns), rows.map(kept));
  }
  const line = (cells: readonly string[], style?: Style): string =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0;
        const text = cut(cells[index] ?? "", width);
        const padded = column.align === "right" ? text.padStart(width) : text.padEnd(width);
        const chosen = style ?? column.style?.(cells[index] ?? "");
        return chosen ? terminal.paint(chosen, padded) : padded;
      })
      .join("  ")
      .trimEnd();
  const titles = columns.map((column) => column.title);
  return [line(titles, "dim"), ...safe.map((row) => line(row))];
}

const narrowest = 12;

/** Columns that fill share what the others leave: the modest get what they want, the rest is divided. */
function widthsOf(width: number, columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  const widths = columns.map(({ title, most = Number.POSITIVE_INFINITY }, index) =>
    Math.min(most, Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0))),
  );
  const fillers = columns.flatMap(({ fills }, index) => (fills ? [index] : []));
  const taken = widths.reduce(
    (sum, wanted, index) => sum + (fillers.includes(index) ? 0 : wanted),
    2 * (columns.length - 1),
  );
  let left = width - taken;
  fillers.sort((one, other) => (widths[one] ?? 0) - (widths[other] ?? 0));
  for (const [place, index] of fillers.entries()) {
    const share = Math.max(narrowest, Math.floor(left / (fillers.length - place)));
    widths[index] = Math.min(widths[index] ?? 0, share);
    left -= widths[index] ?? 0;
  }
  return widths;
}

/** A path as a person would say it: relative inside the folder, ~ for the home. */
export function shortPath(path: string, cwd: string, home: string): string {
  const inside = relative(cwd, path);
  if (path !== "" && !inside.startsWith("..")) return safeText(inside) || ".";
  return safeText(home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

/** A hook's file and line, as a person would say it. */
export const placeIn = (
  { file, line }: { file?: string | null | undefined; line?: number | null | undefined },
  { cwd, home }: { cwd: string; home: string },
): string => `${shortPath(file ?? "", cwd, home)}${line ? `:${line}` : ""}`;

/** Says on standard error that hook files are broken: the other hooks are active all the same. */
export function reportProblems(
  loaded: { readonly problems: readonly Problem[] },
  { terminal, cwd, home }: { terminal: Terminal; cwd: string; home: string },
): void {
  const problem = warningAbout(loaded, (path) => shortPath(path, cwd, home));
  if (problem) terminal.error(`hookline: ${safeText(problem)}`);
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** How long ago, in one unit. */
export function ago(at: Instant | undefined, now: Instant = Date.now()): string {
  if (at === undefined) return "never";
  const unit = units.find(([, size]) => now - at >= size);
  return unit ? `${Math.floor((now - at) / unit[1])} ${unit[0]} ago` : "just now";
}

interface Asking {
  terminal: Terminal;
  json: boolean;
  signal: AbortSignal;
}

/** A person sits there, who reads what is printed and can press a key. */
export const isPersonThere = ({ terminal, json }: Pick<Asking, "terminal" | "json">): boolean =>
  !json && terminal.isTerminal && process.stdin.isTTY === true;

const interrupt = "\u0003";

/** The letter of the key that a person presses, "" for any other key; undefined: no person is at this terminal. */
export async function askForKey(question: string, asking: Asking): Promise<string | undefined> {
  const { stdin, stdout } = process;
  if (!isPersonThere(asking)) return undefined;
  stdout.write(question);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    const key = await new Promise<string>((resolve) => {
      stdin.once("data", (bytes: Buffer) => resolve(bytes.toString()));
      asking.signal.addEventListener("abort", () => resolve(""), { once: true });
    });
    if (key === interrupt) process.kill(process.pid, "SIGINT"); // in raw mode Ctrl-C is a key like others
    const letter = /^([a-z])\s*$/i.exec(key)?.[1]?.toLowerCase() ?? ""; // Enter may come with it
    stdout.write(`${letter}\n`);
    return letter;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}
