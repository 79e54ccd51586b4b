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
/** Words and signs: a file of five thousand rules has as many, and a few megabytes of commas would take a minute. */
const mostMarks = 500_000;
/** The library's own stack holds the document and the text being read, too. */
const around = 3;

/** Keys are checked while the tree is made: the library compares each with each. Merging and tags are ours, too. */
const options = { uniqueKeys: false, resolveKnownTags: false, prettyErrors: false, logLevel: "silent" } as const;

/** Reads the first document. Never throws. */
export function parseYaml(text: string): Parsed {
  const parser = new Parser();
  const composer = new Composer(options);
  const faults: Fault[] = controlFaults(text);
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
  const described = document.errors.slice(0, faultsDescribed).map((error) => faultOf(error, document, text));
  const rest = document.errors.slice(faultsDescribed).map(({ pos }) => pos[0]);
  const faults = [...others, ...described];
  return { contents: document.contents, faults, offsets: [...faults.map(({ offset }) => offset), ...rest] };
}

function controlFaults(text: string): Fault[] {
  const offset = text.indexOf("\0");
  if (offset === -1) return [];
  return [{ offset, message: "a NUL character, which no text holds", suggestion: "save the file as UTF-8" }];
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
  message: `the file has more than ${mostMarks} words and signs and is not read`,
  suggestion: "split it",
});

const longestSaid = 120;

function faultOf({ code, message, pos: [offset] }: YAMLError, document: Document.Parsed, text: string): Fault {
  const tab = tabBefore(text, offset);
  if (code === "TAB_AS_INDENT" || tab !== undefined) {
    const message = "a tab; YAML is indented with spaces";
    return { offset: tab ?? offset, message, suggestion: "replace the tab by spaces" };
  }
  const opened = opening(document, offset);
  if (/closing .*quote/.test(message))
    return { offset: opened, message: "this quote is not closed", suggestion: "close it" };
  if (/flow (map|seq)/i.test(message))
    return { offset: opened, message: "this bracket is not closed", suggestion: "close it" };
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
