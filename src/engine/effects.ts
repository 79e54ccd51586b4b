/**
 * What a tool call does, as far as its text tells: which programs it runs, and what these read, write, delete, send and start.
 * Every rule shares one reading of an event. What nobody can tell from the text is in the reading as well, with the reason.
 */

import { unknownText } from "./command-pattern.ts";
import type { Fields } from "./event.ts";
import { shortened } from "./one-line.ts";

/** Why a text does not tell something (R87). A rule about commands holds for "runs"; "does" concerns its own program alone. */
export interface Unknown {
  /** runs: which program runs is not known. does: the program is known, and what it does is not. */
  what: "runs" | "does";
  /** For a person, such as "cannot tell what `$X` runs". */
  why: string;
  /** The program whose doing is unknown. */
  program?: string;
}

/** A file that a shell opens for a command. */
export interface Redirect {
  /** As the line has it, with what is known of its variables filled in. */
  path: string;
  how: "reads" | "writes" | "appends";
}

/** One program with its words, such as each half of `cat x | sort`. */
export interface SimpleCommand {
  /** The program first. What only the shell will know is `unknownText`. */
  words: readonly string[];
  /** The folder it runs in, absolute. Absent: the line has gone somewhere that its text does not tell. */
  cwd?: string;
  /** Index of the command that runs it: `sudo`, `xargs`, `bash -c`. */
  by?: number;
  /** Indexes of the commands whose output it reads. */
  input: readonly number[];
  /** Indexes of the commands whose output stands in its words: `$(…)`, `<(…)`. */
  given: readonly number[];
  redirects: readonly Redirect[];
  /** What a here-document gives it. */
  text?: string;
  /** The code that it runs, of a file that the line itself has written. */
  code?: string;
  /** It stands among the words of an unknown program, which may run it or not: no allow rule looks at it (R102). */
  isPerhaps?: true;
}

export interface ShellReading {
  /** In the order of the line; a wrapper stands before what it runs. */
  commands: readonly SimpleCommand[];
  unknown: readonly Unknown[];
  /** Links that the line makes, absolute: what stands behind each is where it leads. */
  links?: ReadonlyMap<string, string>;
  /** Files whose new text stands in the line. */
  made?: readonly { path: string; text: string; adds?: true }[];
  /** A function that runs itself in two processes or more. */
  forks?: true;
}

/** What a person says of shells and programs in their own settings. */
export interface ShellSettings {
  /** Programs that run others, which Hookline does not know (R102). */
  runs_others?: string[];
  /** By the tool of a shell that Hookline cannot read, such as PowerShell: what follows from that alone. Default: ask, as for every unknown. */
  unread?: { [tool: string]: "ask" | "pass" };
}

/** Where a shell line begins. */
export interface ShellPlace {
  cwd: string;
  home: string;
  /** Programs of which a person says that they run others (R102). */
  runsOthers?: ReadonlySet<string>;
  /** A file that the line hands to Hookline's own program. Absent: nothing of the disk is known. Never throws. */
  textAt?(path: string): string | undefined;
  /** What an alias of git stands for, where one is called in this folder. Absent: none is known. Never throws. */
  gitAlias?(name: string, at: { folder: string | undefined; home: string }): string | undefined;
}

/** Places that rules know by name, and what each means. */
export const placeNames = {
  workspace: "below the folder of the repository",
  "whole workspace": "the folder of the repository itself with everything in it",
  "outside workspace": "neither in the repository nor among temporary files of the session or caches",
  home: "the home folder itself with everything in it",
  root: "the root of the file system",
  system: "folders of the operating system, such as /etc and /usr",
  temporary: "folders for temporary files",
  disks: "devices of disks and memory",
  credentials: "keys, tokens, password stores, files of browsers and cloud tools",
  "environment files": "`.env` and its kind, but no samples",
  "start files": "what shells, git, ssh and the system run or read when they start",
  "hook files": "hooks and settings of every agent, of Hookline and of git",
  git: "the folder .git and what lies in it",
  unknown: "a path that the call does not tell",
  "unknown folder": "all that is in a folder which the call does not tell",
} as const;
export type PlaceName = keyof typeof placeNames;
export const isPlaceName = (name: string): name is PlaceName => Object.hasOwn(placeNames, name);

/** What a rule can ask about. */
export const effectNames = [
  "reads",
  "writes",
  "deletes",
  "permits",
  "executes",
  "network",
  "pipes",
  "elevates",
  "forks",
] as const;
export type EffectName = (typeof effectNames)[number];

/** Where data comes from that a command passes on, and what gets it. */
export const sources = ["network", "credentials", "decoded", "environment"] as const;
export const sinks = ["shell", "network"] as const;
export type Source = (typeof sources)[number];
export type Sink = (typeof sinks)[number];

export interface Effect {
  is: EffectName;
  /** Index of the command that does it. Absent: the tool itself does. */
  command?: number;
  /** Of reads, writes, deletes, permits (mode bits and owners) and executes: absolute. It begins with `unknownText` where nobody can tell. */
  path?: string;
  /** The path and everything below it. */
  below?: true;
  /** Code of another language, which the command runs, names the path. */
  inCode?: true;
  /** Of network: the name of the host; absent where the program's settings name it. */
  host?: string;
  /** Of pipes. */
  from?: Source;
  to?: Sink;
}

/** What a command writes, removes or replaces, for guards of files. */
export interface Written {
  /** Absolute where the line tells. */
  path: string;
  /** With all that is in it: it goes, another comes in its place, or it gets what nobody can tell. */
  whole?: true;
  /** What comes there. Where these are files, a folder of that name stays the folder that it is. */
  from?: readonly string[];
  /** Index of the command that does it. */
  command?: number;
  /** Any file of this name, in the folders of `from`. */
  isName?: true;
  /** Of a search by name: patterns of names and paths that it leaves out. */
  except?: readonly string[];
  /** Of git, for which the path is the folder where it works: no path stands in the line. */
  trees?: GitTrees;
  /** Below the path come the members of an archive. */
  unpacked?: Unpacked;
  /** The paths stand in a patch, below this one. Neither a text nor a file: nobody can tell. */
  patch?: { text?: string; file?: string };
}

/** What is taken out of an archive. Without a file, its content is unknown. */
export interface Unpacked {
  file?: string;
  /** These members alone, or what lies below them. */
  only?: readonly string[];
  /** So many names less at their beginning. */
  strip?: number;
  /** The last name alone. */
  isFlat?: true;
  /** The line gives the members other names. */
  isRenamed?: true;
}

/** What git brings into a work tree out of its own store, and what it takes away there. */
export interface GitTrees {
  /** What differs between two revisions comes. Without a first one, all of the second. isMerge: only what the second changed since both were one. */
  pairs: readonly { from?: string; to: string; isMerge?: true /** It need not be there. */; isPerhaps?: true }[];
  /** What lies there and goes: files that were changed, are not committed, are not known to git, or that it ignores; tracked: all that it knows. */
  loses?: readonly ("changed" | "staged" | "untracked" | "ignored" | "tracked")[];
  /** Of tracked files, what lies in these folders stays, and so do the files at the top and beside these folders. */
  keeps?: readonly string[];
  /** Only what these patterns of git mean, from the folder where it works. */
  only?: readonly string[];
  /** The remote, which is a folder where one of that name lies beside. */
  remote?: string;
  /** It changes what a name means, or what is staged: that counts where a later command brings it. */
  isName?: true;
  /** The revision cannot be determined, or it comes from a place that the line names. */
  isUntold?: true;
}

/** One reading of one tool call, shared by all rules. */
export interface CallEffects extends Pick<ShellReading, "commands" | "unknown"> {
  effects: readonly Effect[];
}

/** A tool call, and where it is made. */
export interface CallToRead extends ShellPlace {
  /** Canonical. */
  tool: string;
  input: Fields;
}

// Commands and their effects in a person's words.

const longest = 200;

export function commandText(words: readonly string[]): string {
  return shortened(withoutUnknown(words.join(" ")), longest);
}

const withoutUnknown = (text: string): string => text.replace(new RegExp(`${unknownText}+`, "g"), "…");

export function effectText({ is, path, below, host, from, to }: Effect): string {
  const at = path === undefined ? "" : ` ${withoutUnknown(path)}${below ? " and all below" : ""}`;
  switch (is) {
    case "network":
      return host === undefined ? "uses the network" : `connects to ${host}`;
    case "pipes":
      return `passes ${from === "decoded" ? "decoded text" : `text from ${from}`} to ${to === "shell" ? "a shell" : "the network"}`;
    case "elevates":
      return "runs as another user";
    case "forks":
      return "starts itself again and again";
    case "permits":
      return `changes mode or owner of${at}`;
    default:
      return `${is}${at}`;
  }
}
