/** What people read, and the one way to print it: colours only on a terminal, lines that fit it, no control characters from elsewhere. */
import { type Problem, warningAbout } from "../../engine/hook.ts";
import { visible } from "../../engine/one-line.ts";
import { oneLine as onOneLine, pathFrom } from "../../operations/shown.ts";
import { widthOf, wrapped } from "./width.ts";

export interface Terminal {
  /** Someone reads it, and what is written may drive it. */
  readonly isTerminal: boolean;
  /** Columns to fill: of a pipe those that COLUMNS says, else 80. */
  readonly width: number;
  /** A line for a person, in several where a terminal is narrower. */
  print(line: string): void;
  /** Text for a program, or for who copies it: its lines stay as they are. */
  exact(text: string): void;
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
  { environment, quiet, json = false }: { environment: NodeJS.ProcessEnv; quiet: boolean; json?: boolean },
): Terminal {
  const isTerminal = stream.isTTY === true;
  const write = stream.write.bind(stream); // ours, whatever a module of the project does to the stream later
  const colours = isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
  const width = columnsOf(stream, environment);
  const exact = (text: string): void => void (quiet || write(`${isTerminal ? safeLine(text) : text}\n`));
  return {
    isTerminal,
    width,
    exact,
    print: isTerminal && !json ? (line) => exact(fitting(line, width)) : exact,
    error: (line) =>
      void errors.write(`${errors.isTTY ? safeLine(fitting(line, columnsOf(errors, environment))) : line}\n`),
    paint(style, text) {
      const [on, off] = styles[style];
      return colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}

const usualColumns = 80;
const columnsOf = ({ columns }: NodeJS.WriteStream, { COLUMNS }: NodeJS.ProcessEnv): number =>
  columns || Number(COLUMNS) || usualColumns;

/** Below a label what it is about is aligned: "store    ~/.local/…". */
const label = /^ *\S+(?: \S+)? {2,}(?=\S)/;

/** Lines that are too long, in several. */
const fitting = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      if (widthOf(line) <= width) return line;
      const plain = line.replaceAll(ownCode, "");
      const labelled = widthOf(label.exec(plain)?.[0] ?? "");
      const hang = labelled > 0 && labelled < width / 2 ? labelled : plain.length - plain.trimStart().length;
      return wrapped(line, width, { hang });
    })
    .join("\n");

const ownCode = new RegExp(`(\u001b\\[(?:${Object.values(styles).flat().join("|")})m)`, "g");

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
export const oneLine = (text: string): string => safeText(onOneLine(text));

/** A path as a person would say it: relative inside the folder, ~ for the home. */
export const shortPath = (path: string, cwd: string, home: string): string => safeText(pathFrom(path, cwd, home));

/** Says on standard error that hook files are broken: the other hooks are active all the same. */
export function reportProblems(
  loaded: { readonly problems: readonly Problem[] },
  { terminal, cwd, home }: { terminal: Terminal; cwd: string; home: string },
): void {
  const problem = warningAbout(loaded, (path) => shortPath(path, cwd, home));
  if (problem) terminal.error(`hookline: ${safeText(problem)}`);
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

/** In raw mode Ctrl-C is a key like others. Returns once the command knows. */
const interrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    process.kill(process.pid, "SIGINT");
  });

/** The letter or digit of the key that a person presses, "enter", or "" for any other key; undefined: no person is at this terminal. */
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
    if (key === interrupt) await interrupted(asking.signal);
    const letter = /^([a-z1-9])\s*$/i.exec(key)?.[1]?.toLowerCase() ?? ""; // Enter may come with it
    stdout.write(`${letter}\n`);
    return /^[\r\n]+$/.test(key) ? "enter" : letter;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}
