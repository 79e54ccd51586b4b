/** One YAML text through its library, within limits: what it holds, and what is wrong with it in a person's words. */
import {
  Composer,
  type Document,
  isCollection,
  isScalar,
  Lexer,
  type ParsedNode,
  Parser,
  visit,
  type YAMLError,
} from "yaml";

/** What breaks the text; offsets count from its beginning. */
export interface Fault {
  offset: number;
  message: string;
  suggestion: string;
}
export interface Parsed {
  contents: ParsedNode | null;
  /** The first few; a broken quote makes many out of one. */
  faults: Fault[];
  /** Where every fault is. */
  offsets: number[];
  /** It is nested too deeply, and nothing of it was read. */
  refused?: true;
}

const faultsDescribed = 3;
/** Deeper than any file that a person writes; the library descends by recursion. */
export const deepestNesting = 100;
/** Words and signs: one text or one entry of a list has far fewer; 4 MB of commas have more, and would take ten seconds. */
export const mostMarks = 1_000_000;
/** The library's own stack holds the document and the text being read, too. */
const around = 3;

/** Keys are checked while the tree is made: the library compares each with each. Merging and tags are ours, too. */
const options = { uniqueKeys: false, resolveKnownTags: false, prettyErrors: false, logLevel: "silent" } as const;

/** Reads the first document. Never throws. */
export function parseYaml(text: string): Parsed {
  const parser = new Parser();
  const composer = new Composer(options);
  const faults: Fault[] = [...controlFaults(text), ...directiveFaults(text)];
  const refuse = (fault: Fault): Parsed => ({ contents: null, faults: [fault], offsets: [], refused: true });
  let first: Document.Parsed | undefined;
  let marks = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      for (const document of composer.next(token)) first ??= document;
      if (!first || token.type !== "document") continue;
      if (token.value) return parsedOf(first, text, [...faults, severalDocuments(token.offset)]);
    }
    if (parser.stack.length > deepestNesting + around) return refuse(tooDeep(parser.offset));
    if (++marks > mostMarks) return refuse(tooMany(parser.offset));
  }
  for (const token of parser.end()) {
    for (const document of composer.next(token)) first ??= document;
    if (first && token.type === "document" && token.value) faults.push(severalDocuments(token.offset));
  }
  for (const document of composer.end(true, text.length)) first ??= document;
  return first ? parsedOf(first, text, faults) : { contents: null, faults, offsets: [] };
}

function parsedOf(document: Document.Parsed, text: string, others: Fault[]): Parsed {
  const isTold = others.some(({ message }) => message === noDirective);
  const errors = document.errors.filter(({ message }) => !(isTold && /directives-end/.test(message)));
  const described = errors.slice(0, faultsDescribed).map((error) => faultOf(error, document, text));
  const rest = errors.slice(faultsDescribed).map(({ pos }) => pos[0]);
  const firstTab = described.find(({ message }) => message === noTab);
  const all = [...others, ...described];
  const faults = all.filter((fault) => fault === firstTab || fault.message !== noTab);
  return { contents: document.contents, faults, offsets: [...all.map(({ offset }) => offset), ...rest] };
}

function controlFaults(text: string): Fault[] {
  const offset = text.indexOf("\0");
  if (offset === -1) return [];
  return [{ offset, message: "a NUL character, which no text holds", suggestion: "save the file as UTF-8" }];
}

const noDirective = "a line that begins with % is for %YAML and %TAG alone";

/** The library passes over directives that it does not know. They stand before all else but remarks. */
function directiveFaults(text: string): Fault[] {
  const faults: Fault[] = [];
  for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length && faults.length < faultsDescribed; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end).trimEnd();
    if (!/^\s*(#|$)|^%/.test(line)) break;
    if (line.startsWith("%") && !/^%(YAML[ \t]+1\.[12]|TAG[ \t]+\S+[ \t]+\S+)([ \t]+#.*)?$/.test(line))
      faults.push({ offset: start, message: noDirective, suggestion: "remove the line, or begin it with #" });
    start = end + 1;
  }
  return faults;
}

const severalDocuments = (offset: number): Fault => ({
  offset,
  message: "a second document (---), which is not read: a file holds one",
  suggestion: "put it in a file of its own",
});

const tooDeep = (offset: number): Fault => ({
  offset,
  message: `it is nested more than ${deepestNesting} deep and is not read`,
  suggestion: "write fewer levels",
});

const tooMany = (offset: number): Fault => ({
  offset,
  message: `it has more than ${mostMarks} words and signs and is not read`,
  suggestion: "split it",
});

const noTab = "a tab; YAML is indented with spaces";
const longestSaid = 120;

function faultOf({ code, message, pos: [offset] }: YAMLError, document: Document.Parsed, text: string): Fault {
  const tab = tabBefore(text, offset);
  if (code === "TAB_AS_INDENT" || tab !== undefined) {
    return { offset: tab ?? offset, message: noTab, suggestion: "replace each tab before the text by spaces" };
  }
  const opened = opening(document, offset);
  if (/closing .*quote/.test(message))
    return { offset: opened, message: "this quote is not closed", suggestion: "close it" };
  if (/flow (map|seq)/i.test(message))
    return { offset: opened, message: "this bracket is not closed", suggestion: "close it" };
  const deeper = /compact mappings/.test(message) ? deeperLine(text, offset) : undefined;
  if (deeper !== undefined) {
    const message = "this line stands deeper than the one before it, so it goes on with the text there";
    return { offset: deeper, message, suggestion: "indent it like the key before it" };
  }
  const said = `${message.charAt(0).toLowerCase()}${message.slice(1, longestSaid)}`;
  return { offset, message: `this is not YAML: ${said}`, suggestion: advice[code] ?? "correct the line" };
}

const advice: { readonly [code: string]: string } = {
  BLOCK_AS_IMPLICIT_KEY: 'put quotes around a text that holds ": "',
  BAD_SCALAR_START: "put quotes around the text",
  BAD_INDENT: "indent it like its neighbours",
  BAD_ALIAS: "put quotes around the text",
  MISSING_CHAR: 'look for a missing "-", ":" or bracket, and at the indentation',
};

/** The text that begins here ends in its line, and the next one, farther in than the key, has a key of its own. */
function deeperLine(text: string, offset: number): number | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const column = /^ *(?:- +)*/.exec(text.slice(start, offset))?.[0].length ?? 0;
  const next = /^[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n){0,20}( *)["']?[\w-]+["']?[ \t]*:(?=\s)/.exec(text.slice(offset));
  const own = next?.[1]?.length ?? 0;
  if (!next || own <= column) return undefined;
  return offset + next[0].lastIndexOf("\n") + 1 + own;
}

/** A tab in the indentation of this line, whatever the library complains of. */
function tabBefore(text: string, offset: number): number | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const indentation = /^ *\t/.exec(text.slice(start, start + longestSaid))?.[0];
  return indentation === undefined ? undefined : start + indentation.length - 1;
}

/** The library tells where a text or a bracket ended; what a person looks for is where it began. */
function opening(document: Document.Parsed, end: number): number {
  let found = end;
  visit(document, {
    Node(_key, node) {
      const [from, to] = node.range ?? [end, end];
      const opens = isScalar(node) ? /^QUOTE/.test(node.type ?? "") : isCollection(node) && node.flow === true;
      if (opens && from < end && to >= end) found = from;
    },
  });
  return found;
}
