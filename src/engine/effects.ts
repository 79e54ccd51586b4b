/**
 * What a tool call does, as far as its text tells: which programs it runs, and what these read, write, delete, send and start.
 * Every rule shares one reading of an event. What nobody can tell from the text is in the reading as well, with the reason.
 */

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
}

export interface ShellReading {
  /** In the order of the line; a wrapper stands before what it runs. */
  commands: readonly SimpleCommand[];
  unknown: readonly Unknown[];
  /** A function that runs itself in two processes or more. */
  forks?: true;
}

/** Where a shell line begins. */
export interface ShellPlace {
  cwd: string;
  home: string;
}
