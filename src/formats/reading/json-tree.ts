/** JSON with comments as a tree of positions, within limits, reading on after faults (R33, SAFETY D14). */

import { type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type Finding, forbiddenKeys, keyOf, type Node, type Report } from "./tree.ts";

export const largestFileInBytes: number = 256 * 1024;
const deepestNesting = 32;
/** A broken quote makes many faults out of one. */
const faultsToldOf = 3;

/** The tree of what can be read; undefined if nothing can. Never throws. */
export function readTree(source: string, report: Report): Node | undefined {
  const text = source.startsWith("\uFEFF") ? ` ${source.slice(1)}` : source;
  const limit = beyondLimits(text);
  if (limit) {
    report(0, { severity: "error", code: "shape", ...limit, loses: true });
    return undefined;
  }
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, { allowTrailingComma: true, allowEmptyContent: true });
  for (const fault of faults.slice(0, faultsToldOf)) report(fault.offset, syntaxFinding(fault));
  if (root) checkKeys(root, report);
  return root;
}

function beyondLimits(text: string): { message: string; suggestion: string } | undefined {
  if (text.length > largestFileInBytes || Buffer.byteLength(text) > largestFileInBytes) {
    return {
      message: `the file is larger than ${largestFileInBytes / 1024} kB and is not read`,
      suggestion: "split it",
    };
  }
  const depth = depthOf(text);
  if (depth <= deepestNesting) return undefined;
  return {
    message: `the file is nested ${depth} deep and is not read`,
    suggestion: `at most ${deepestNesting} levels`,
  };
}

/** Levels of brackets, counted before parsing because the parser descends by recursion. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at + 1);
    else if (character === "/" && text[at + 1] === "/") at = endOfLine(text, at);
    else if (character === "/" && text[at + 1] === "*") at = endOr(text, text.indexOf("*/", at + 2));
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth = Math.max(0, depth - 1);
  }
  return deepest;
}

const endOr = (text: string, found: number): number => (found === -1 ? text.length : found);

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

/** As the parser sees it: a string that is not closed ends with its line. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === '"' || character === "\n" || character === "\r") return at;
  }
  return text.length;
}

const syntaxFinding = (fault: ParseError): Finding => ({
  severity: "error",
  code: "syntax",
  message: `this is not JSON: ${printParseErrorCode(fault.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()}`,
  suggestion: `${remedies[printParseErrorCode(fault.error)] ?? "correct the file"}; the entries that can still be read are active`,
});

const remedies: { readonly [error: string]: string } = {
  InvalidSymbol: "put double quotes around it",
  PropertyNameExpected: "write a key in double quotes, or remove the comma before it",
  ValueExpected: "write a value, or remove the comma before it",
  ColonExpected: "write a colon before it",
  CommaExpected: "write a comma before it",
  CloseBraceExpected: "write } here, or remove one { before it",
  CloseBracketExpected: "write ] here, or remove one [ before it",
  EndOfFileExpected: "remove it, or a closing bracket before it",
  UnexpectedEndOfString: "close the double quote",
  UnexpectedEndOfComment: "close the comment with */",
  InvalidEscapeCharacter: "write \\\\ for a backslash",
  InvalidCharacter: "write \\n for a line break, and \\t for a tab",
};

function checkKeys(node: Node, report: Report): void {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? keyOf(child) : undefined;
    if (key !== undefined && forbiddenKeys.has(key)) {
      report(child.offset, {
        severity: "error",
        code: "shape",
        message: `the key "${key}" is refused`,
        suggestion: "remove it",
      });
      continue;
    }
    if (key !== undefined && seen.has(key)) report(child.offset, duplicate(key));
    if (key !== undefined) seen.add(key);
    checkKeys(child, report);
  }
}

const duplicate = (key: string): Finding => ({
  severity: "error",
  code: "duplicate-key",
  message: `"${key}" is written twice in this object; most readers take only the last`,
  suggestion: "make them one",
});
