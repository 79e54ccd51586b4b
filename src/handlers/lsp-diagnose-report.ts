/** What a language server found, in the forms in which it is told: counted, as data, and as a list for reading. */
import type { Fields } from "../core/event.ts";
import type { Diagnosis, Diagnostic } from "../core/reach.ts";

export const severities: readonly Diagnostic["severity"][] = ["error", "warning", "information", "hint"];

const told = { diagnostics: 50, charactersOfAMessage: 500 } as const;

/** Those that are worth telling, the worst first, and how many there are in all. */
export interface Findings {
  diagnostics: Diagnostic[];
  /** More than are told. */
  left: number;
}

/** @param least the mildest severity that is told */
export function findingsOf({ diagnostics }: Diagnosis, least: Diagnostic["severity"]): Findings {
  const weight = ({ severity }: Diagnostic): number => severities.indexOf(severity);
  const wanted = diagnostics.filter((one) => weight(one) <= severities.indexOf(least));
  const inOrder = wanted.toSorted((a, b) => weight(a) - weight(b) || a.line - b.line || a.column - b.column);
  return {
    diagnostics: inOrder.slice(0, told.diagnostics).map((one) => ({ ...one, message: cut(one.message) })),
    left: Math.max(0, inOrder.length - told.diagnostics),
  };
}

export const countsOf = ({ diagnostics }: Diagnosis): Fields =>
  Object.fromEntries(
    severities.map((severity) => [severity, diagnostics.filter((one) => one.severity === severity).length]),
  );

export const asFields = ({ diagnostics }: Findings): Fields[] =>
  diagnostics.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)));

/** @param file as its reader knows it */
export function asText({ diagnostics, left }: Findings, file: string, server: string): string {
  const lines = diagnostics.map(({ line, column, severity, message, code }) => {
    const said = message.replaceAll("\n", "\n  ");
    return `- ${line}:${column} ${severity}: ${said}${code === undefined ? "" : ` (${code})`}`;
  });
  const rest = left > 0 ? [`- and ${left} more`] : [];
  return [`${server} found in ${file}:`, ...lines, ...rest].join("\n");
}

const cut = (message: string): string =>
  message.length > told.charactersOfAMessage ? `${message.slice(0, told.charactersOfAMessage)}…` : message;
