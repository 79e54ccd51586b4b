/** A diagnostic as the protocol sends it, in Hookline's form: counted from 1, and with a severity that is always there. */
import type { Diagnostic as Sent } from "vscode-languageserver-protocol/node";
import type { Diagnostic } from "../../engine/reach.ts";

const severities: { readonly [severity: number]: Diagnostic["severity"] } = {
  1: "error",
  2: "warning",
  3: "information",
  4: "hint",
};

export function readDiagnostic({ range, severity, message, source, code }: Sent): Diagnostic {
  return {
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
    severity: severities[severity ?? 1] ?? "error",
    message: typeof message === "string" ? message : String((message as { value?: unknown }).value), // or MarkupContent
    ...(source === undefined ? {} : { source }),
    ...(code === undefined ? {} : { code: String(code) }),
  };
}
