/** Programs that name files for others: `find`, `ls`, `grep -l`. What is done to a file that only the shell will know may be done to these. */
import type { SimpleCommand, Written } from "../engine/effects.ts";
import { baseName } from "../engine/pattern.ts";
import { operandsOf } from "./own-words.ts";

type Words = readonly string[];

/** A word with blanks is a text, and no name. */
const namesIn = (words: Words): string[] => operandsOf(words).filter((word) => /^\S+$/.test(word));

/** Behind a search stands what is searched for. */
const searched =
  (names: RegExp) =>
  (words: Words): string[] =>
    words.some((word) => names.test(word)) ? namesIn(words).slice(1) : [];

/** The folders stand before the first test. */
function startsOf(words: Words): string[] {
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  return words.slice(0, first < 0 ? undefined : first);
}

const each = <T>(names: string, row: T): { [name: string]: T } =>
  Object.fromEntries(names.split(" ").map((name) => [name, row]));

const listers: { readonly [name: string]: (words: Words) => string[] } = {
  ...each("find gfind", startsOf),
  ...each("ls gls dir exa eza lsd tree du stat realpath readlink echo printf", namesIn),
  ...each("fd fdfind", (words: Words) => namesIn(words).slice(1)),
  ...each("grep egrep fgrep zgrep ggrep", searched(/^-[a-zA-Z]*[lL]|^--files-with/)),
  ...each("rg ag ack", searched(/^-[a-zA-Z]*[lL]|^--files/)),
  git: (words) => (/^(?:ls-files|ls-tree|grep|diff|status)$/.test(words[0] ?? "") ? namesIn(words.slice(1)) : []),
};

/** What this program names, for any that takes it: whole, and with all that is in it. The folder of the line itself means too much. */
export function listed({ words: [program = "", ...words] }: SimpleCommand): Written[] {
  const name = baseName(program);
  const places = Object.hasOwn(listers, name) ? (listers[name]?.(words) ?? []) : [];
  return [
    ...places
      .filter((path) => !/^(?:\.{0,2}\/?)*$/.test(path))
      .flatMap((path): Written[] => [{ path, whole: true }, { path: `${path.replace(/\/+$/, "")}/*` }]),
    ...(/^g?find$/.test(name)
      ? namesFound(words)
      : /^fd(?:find)?$/.test(name)
        ? namesIn(words).slice(0, 1).map(asName)
        : []),
  ];
}

const namesOfTests = /^-i?(?:name|path|wholename)$/;

/** What `find` looks for by name, and not what it leaves out. */
export function namesFound(words: Words): Written[] {
  const starts = startsOf(words);
  const tests = words.flatMap((word, at) =>
    namesOfTests.test(words[at - 1] ?? "")
      ? { word, isLeftOut: /^(?:!|-not)$/.test(words[at - 2] ?? "") || words[at + 1] === "-prune" }
      : [],
  );
  const except = tests.flatMap(({ word, isLeftOut }) => (isLeftOut ? word : []));
  return tests.flatMap(({ word, isLeftOut }) =>
    isLeftOut ? [] : { ...asName(word), from: starts.length > 0 ? starts : ["."], except },
  );
}
const asName = (path: string): Written => ({ path, isName: true, from: ["."] });
