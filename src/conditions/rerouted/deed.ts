/** Deeds: what a call does, and to what, in words by which another way to do the same is known. */
import { unknownText } from "../../engine/command-pattern.ts";

export interface Deed {
  /** From the tables of this folder. */
  kind: string;
  /** An absolute path or a name; `anything`: all that there is, or what the call does not tell. */
  on: string;
  /** With everything below the path. */
  below?: true;
  /** Index of the command that does it; absent: the tool itself. */
  command?: number;
}

export const anything = "*";

/** Which of the deeds of a refused call it was refused for, where nothing says so: of the weightiest. */
const weights: Readonly<Record<string, number>> = { writes: 1, reads: 0, runs: -1 };
const heaviest = 2;
const weightOf = ({ kind }: Deed): number => weights[kind] ?? heaviest;

export function weightiest(deeds: readonly Deed[]): Deed[] {
  const most = Math.max(...deeds.map(weightOf), -1);
  return deeds.filter((deed) => weightOf(deed) === most);
}

/** Other kinds that come to the same. */
const alike: Readonly<Record<string, readonly string[]>> = {
  removes: ["removes", "empties"],
  empties: ["empties", "removes"],
  "forces history": ["forces history", "deletes remote branch"],
};

const ofPaths: ReadonlySet<string> = new Set(["removes", "empties", "writes", "reads", "permits", "executes"]);
export const isOfPath = ({ kind }: Deed): boolean => ofPaths.has(kind);

export interface Comparing {
  /** Where a path leads. */
  real(path: string): string;
  /** A pattern of names, as a shell's. */
  glob(pattern: string): (path: string) => boolean;
  /** The text of the call: what it mentions may be what it does not tell. */
  text: string;
}

/** The first of these deeds that does what was refused. */
export function sameDeed(refused: Deed, deeds: readonly Deed[], comparing: Comparing): Deed | undefined {
  const kinds = alike[refused.kind] ?? [refused.kind];
  const near = deeds.filter(({ kind }) => kinds.includes(kind));
  const found = near.find((deed) => isOn(refused, deed, comparing));
  return found ?? (refused.kind === "removes" ? inPieces(refused, near, comparing) : undefined);
}

function isOn(refused: Deed, deed: Deed, comparing: Comparing): boolean {
  if (!isOfPath(refused)) return isOnNamed(refused.on, deed.on);
  if (deed.on.startsWith(unknownText))
    return refused.kind !== "reads" && refused.kind !== "writes" && mentions(comparing.text, refused.on);
  return [refused.on, comparing.real(refused.on)].some((path) => holds(deed, path, comparing));
}

/** All holds each of it, and a part is not all. Where a line leaves out the branch, it may be any. */
function isOnNamed(refused: string, on: string): boolean {
  if (refused === on || on === anything) return true;
  const [remote = ""] = on.split(" ");
  const isOpen = refused.endsWith(` ${anything}`) || on.endsWith(` ${anything}`);
  return isOpen && refused.startsWith(`${remote} `);
}

function holds({ kind, on, below }: Deed, path: string, { real, glob }: Comparing): boolean {
  const isPattern = /[*?[]/.test(on);
  const [known = "", ...unknown] = on.split(unknownText);
  if (unknown.length > 0 && lastPart(known).length > 1 && !known.endsWith("/"))
    return path.startsWith(known) && !path.slice(known.length).includes("/");
  for (const one of isPattern ? [on] : [on, real(on)]) {
    if (one === path) return true;
    if (kind === "removes" && one.startsWith(`${path}/${unknownText}`)) return true; // whatever lies in it
    if (below && kind === "removes" && path.startsWith(one.endsWith("/") ? one : `${one}/`)) return true;
  }
  return isPattern && fits(on, path, glob);
}

function fits(pattern: string, path: string, glob: Comparing["glob"]): boolean {
  try {
    return glob(pattern)(path);
  } catch {
    return false; // no pattern that can be read
  }
}

/** A folder may go child by child; a single file of it may go by itself. */
function inPieces(refused: Deed, deeds: readonly Deed[], { real }: Comparing): Deed | undefined {
  const start = `${real(refused.on)}/`;
  const pieces = deeds.filter(({ on }) => on.startsWith(start) || on.startsWith(`${refused.on}/`));
  return new Set(pieces.map(({ on }) => on)).size > 1 ? pieces[0] : undefined;
}

/** The last part of a path or of a name, which people and programs call it by. */
export const lastPart = (name: string): string => name.replace(/\/+$/, "").split(/[/ ]/).at(-1) ?? name;

/** Whether the text names it, as a word of its own. */
export function mentions(text: string, name: string): boolean {
  const part = lastPart(name);
  if (part.length < 2) return false;
  return new RegExp(`(?<![\\w.-])${escaped(part)}(?![\\w-]|\\.\\w)`, "i").test(text);
}

/** As a part of a regular expression that stands for this text alone. */
export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** How code says that it does such a thing, and how people do. */
const verbs: Readonly<Record<string, { code: RegExp; words: RegExp }>> = {
  removes: {
    code: /\b(?:rm\s+-|rmtree|remove_tree|rmSync|rmdir\w*|unlink\w*|rimraf|RemoveAll|remove_dir_all|remove_file|rm_rf?|send2trash|shred|os\.remove|fs\.(?:rm|remove|delete)|File\.delete|Remove-Item|nftw|truncate)/,
    words:
      /\b(?:delet(?:e|ing)|remov(?:e|ing)|wip(?:e|ing)|eras(?:e|ing)|empty(?:ing)?|clear(?:ing)?(?: out)?|get rid of|nuke|rm)\b/i,
  },
  writes: {
    code: /\bopen\s*\([^)]*["'][wa]|write_text|writeFile|write_bytes|WriteFile|File\.write|file_put_contents|appendFile|fs::write|>\s*["']?[\w./]/,
    words:
      /\b(?:writ(?:e|ing)|overwrit(?:e|ing)|edit(?:ing)?|chang(?:e|ing)|modify(?:ing)?|updat(?:e|ing)|append(?:ing)?|replac(?:e|ing)|creat(?:e|ing))\b/i,
  },
  reads: {
    code: /\bopen\s*\(|read_text|readFile|ReadFile|File\.read|file_get_contents|read_to_string|\bcat\s/,
    words:
      /\b(?:read(?:ing)?|print(?:ing)?|show(?:ing)?|cat|dump(?:ing)?|display(?:ing)?|output|copy(?:ing)?|paste|send(?:ing)?)\b/i,
  },
  destroys: {
    code: /\b(?:delete|destroy|terminate|drop|purge|remove)\w*\s*\(|["']DELETE["']/i,
    words: /\b(?:delet(?:e|ing)|destroy(?:ing)?|terminat(?:e|ing)|drop(?:ping)?|remov(?:e|ing)|tear(?:ing)? down)\b/i,
  },
  "destroys data": {
    code: /\b(?:drop|truncate|delete\s+from|dropDatabase|deleteMany|drop_table|drop_all)\b/i,
    words: /\b(?:drop(?:ping)?|truncat(?:e|ing)|delet(?:e|ing)|wip(?:e|ing)|empty(?:ing)?)\b/i,
  },
  connects: {
    code: /\b(?:urlopen|requests?\.|fetch\s*\(|http|socket|curl|wget)/i,
    words: /\b(?:fetch|download|curl|post|send|request|upload|open|visit)\b/i,
  },
};
const noWords = /$^/;
const code: Readonly<Record<string, RegExp>> = {
  "forces history": /\bpush\b[\s\S]{0,120}\bforce\b/,
  pushes: /\b(?:remote|origin|repo|git)\w*\b[\s\S]{0,120}\.push\s*\(/,
  installs: /\b(?:pip|npm|ensurepip|subprocess)\b[\s\S]{0,60}\binstall\b/,
};
const verbsOf = (kind: string): { code: RegExp; words: RegExp } | undefined => {
  const [first = ""] = kind.split(" ");
  const [inCode, inWords] = [code[kind] ?? code[first], orders[kind] ?? orders[first]];
  return (
    verbs[kind === "empties" ? "removes" : kind] ??
    (inCode || inWords ? { code: inCode ?? noWords, words: inWords ?? noWords } : undefined)
  );
};
const orders: Readonly<Record<string, RegExp>> = {
  "forces history": /\bforce[- ]push|push(?:ing)?\b[^.\n]{0,30}\b(?:force|-f\b)/i,
  pushes: /\bpush\b/i,
  publishes: /\bpublish\b/i,
  deploys: /\bdeploy\b/i,
  "stops service": /\b(?:stop|disable|restart|kill)\b/i,
  kills: /\bkill\b/i,
  installs: /\b(?:install|add)\b/i,
  merges: /\bmerge\b/i,
};

/** Whether code, as far as its text tells, does it: it names the thing, and calls what does such things. */
export const codeMentions = (text: string, { kind, on }: Deed): boolean =>
  on !== anything && (verbsOf(kind)?.code.test(text) ?? false) && mentions(text, on);

const refusesTo = /\b(?:do not|don't|never|without|instead of|why|whether|avoid|not to|must not|should not)\b/i;

/** Whether a text tells somebody to do it: a verb, and soon behind it the thing. */
export function wordsOrder(text: string, { kind, on }: Deed): boolean {
  const verb = verbsOf(kind)?.words;
  if (!verb) return false;
  return text.split(/[.!?\n](?=\s|$)/).some((sentence) => {
    const found = verb.exec(sentence);
    if (!found || refusesTo.test(sentence.slice(0, found.index + found[0].length))) return false;
    return on === anything || mentions(sentence.slice(found.index, found.index + farthest), on);
  });
}
const farthest = 120;
