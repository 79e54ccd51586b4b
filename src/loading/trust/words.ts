/** The texts of a hook's parameters, and their words as far as any shell divides them; apart from what the words name. */
import type { Json } from "../../engine/event.ts";

/** Every text in a step's parameters; a program with its arguments is one, already in words. */
export function* textsIn(content: Json): Generator<[string, Word[]?]> {
  if (typeof content === "string") yield [content];
  else if (Array.isArray(content)) for (const one of content) yield* textsIn(one);
  else if (content !== null && typeof content === "object") {
    const { command, args, ...rest } = content as Record<string, Json>;
    if (typeof command === "string" && Array.isArray(args)) {
      const all = [command, ...args.filter((one) => typeof one === "string")];
      yield [command, all.map((text, index) => ({ text, begins: index === 0 }))];
      for (const one of args) if (typeof one === "string" && /[\s;&|]/.test(one)) yield [one]; // it may be a line for a shell
    } else for (const one of [command, args]) if (one !== undefined) yield* textsIn(one);
    for (const one of Object.values(rest)) yield* textsIn(one);
  }
}

export interface Word {
  text: string;
  /** A program's name stands here. */
  begins: boolean;
}

/** Quotes, escapes and operators divide words; a quoted blank does not. */
const token =
  /(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|\$\{[^}]{0,200}\}|[^\s"'\\;&|()`<>{}])+|[;&|()`\n{}]+|\d*>>?&?\s*(?:"[^"]*"|'[^']*'|[^\s;&|()<>]+)|</g;
const operator = /^[;&|()`\n{}]+$/;
/** Words after which a program's name still is to come. */
const leading =
  /^(?:if|then|else|elif|do|while|until|time|exec|command|builtin|eval|env|nohup|sudo|nice|xargs|timeout|\d+[smhd]?|!|&&|-\S*|[A-Za-z_]\w*=.*)$/s;

export function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  let begins = true;
  for (const [found] of text.matchAll(token)) {
    if (/^\d*>/.test(found)) continue; // what is written there is no program
    if (operator.test(found)) begins = true;
    else {
      const word = unquoted(found);
      words.push({ text: word, begins });
      // A quoted line is a program of its own for `bash -c` and the like.
      if (/[\s;&|$()<`]/.test(word) && word !== text && /^["']/.test(found)) words.push(...wordsIn(word));
      begins = begins && leading.test(word);
    }
  }
  return words;
}

const unquoted = (word: string): string =>
  word.replace(
    /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
    (_all, double, single, escaped) => double ?? single ?? escaped ?? "",
  );
