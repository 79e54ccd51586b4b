/**
 * TypeScript up to version 6, behind typescript-language-server. What that publishes comes in parts, without a version,
 * without an end, and not at all where a clean file stays clean; tsserver answers when it is asked, so it is asked.
 */
import type { Diagnostic } from "../../engine/reach.ts";
import { isRecord } from "../../engine/schema.ts";

/** Passes a request on to tsserver; who offers it can be asked like this. */
export const tsserverCommand = "typescript.tsserverRequest";

const requests = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"];

/**
 * @param execute runs a command of the language server
 * @throws what `execute` throws, and an Error where tsserver did not answer
 */
export async function askTsserver(
  file: string,
  execute: (params: { command: string; arguments: unknown[] }) => Promise<unknown>,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const request of requests) {
    const words = [request, { file, includeLinePosition: true }];
    const answer = await execute({ command: tsserverCommand, arguments: words });
    if (!isRecord(answer) || !Array.isArray(answer.body))
      throw new Error(`tsserver did not answer: ${isRecord(answer) ? (answer.message ?? answer.type) : "no response"}`);
    found.push(...answer.body.filter(isRecord).map(readDiagnostic));
  }
  return found;
}

const severities: { readonly [category: string]: Diagnostic["severity"] } = {
  error: "error",
  warning: "warning",
  suggestion: "hint",
  message: "information",
};

function readDiagnostic(given: Record<string, unknown>): Diagnostic {
  const start = place(given.startLocation);
  const end = place(given.endLocation);
  return {
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    severity: severities[String(given.category)] ?? "error",
    message: String(given.message),
    source: "typescript",
    ...(given.code === undefined ? {} : { code: String(given.code) }),
  };
}

/** tsserver counts from 1 already. */
const place = (location: unknown): { line: number; column: number } =>
  isRecord(location) ? { line: Number(location.line), column: Number(location.offset) } : { line: 1, column: 1 };
