/** Asks the language server of the file that a tool wrote, and puts what it finds into the tool's result (specification 003). */

import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Diagnosis, Diagnostic } from "../../engine/external-services.ts";
import { shortened } from "../../engine/one-line.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import { flag, isRecord, object, oneOf, say, text } from "../../engine/schema.ts";
import { pathInside } from "../../files/paths.ts";
import { contentAt, fileAt, inspectFields, usualPathField, wroteAPart } from "../repository.ts";
import { failed, handler } from "../step.ts";

interface LspDiagnoseParams {
  path_field?: string;
  content_field?: string;
  publish?: boolean;
  inject_result?: boolean;
  read_from_disk?: boolean;
  severity?: "error" | "warning" | "information" | "hint";
}

export const lspDiagnose: Handler = handler({
  action: {
    summary: "Asks the language server of a file that was just written, and adds what it finds to the tool's result.",
    role: (params) => (params.inject_result === false ? "observe" : "transform"),
  },
  params: object(
    {},
    {
      path_field: say(
        text(),
        "where the event names the file: a dotted field, or a parameter of the tool",
        usualPathField,
      ),
      content_field: say(
        text(),
        "where the event holds the file's text, likewise; without it the text is read from the disk",
      ),
      publish: say(flag, "also reports to listeners, such as an editor's panel", false),
      inject_result: say(
        flag,
        "adds the findings to the tool's result, or sends them to the model where the result cannot hold them",
        true,
      ),
      read_from_disk: say(flag, "reads the text from the disk; true unless content_field is given"),
      severity: say(
        oneOf("error", "warning", "information", "hint"),
        "the lowest severity that is reported",
        "warning",
      ),
    },
  ),
  needs: ["languageServers"],
  inspect: (params) => inspectFields(params, ["path_field", "content_field"]),
  async run(params, context) {
    const { path_field: field = usualPathField, publish = false, inject_result: inject = true } = params;
    const file = fileAt(field, context.scope);
    if (file === undefined) return skipped(`the event names no file (${field})`);
    const read = textOf(params, context);
    if ("missing" in read) return skipped(read.missing, file);
    const diagnosis = await diagnose(file, read.text, context);
    if ("ok" in diagnosis) return diagnosis;
    if (publish) context.ports.observe?.({ is: "diagnosis", diagnosis, hook: context.hook.id });
    if (diagnosis.skipped !== undefined) return skipped(diagnosis.skipped, file);
    const findings = findingsOf(diagnosis, params.severity ?? "warning");
    const output: Fields = {
      file,
      server: diagnosis.server ?? "",
      diagnostics: asFields(findings),
      counts: countsOf(diagnosis),
    };
    return { ok: true, output, ...(inject && findings.diagnostics.length > 0 ? tell(findings, output, context) : {}) };
  },
});

const skipped = (reason: string, file?: string): StepResult => ({
  ok: true,
  output: { skipped: reason, ...(file === undefined ? {} : { file }) },
  notes: [`nothing was diagnosed: ${reason}`],
});

/** undefined: as it is on the disk. What a tool wrote in part has no other place, whatever the rule says. */
function textOf(
  { content_field: field, read_from_disk: fromDisk = field === undefined }: LspDiagnoseParams,
  { scope }: StepContext,
): { text: string | undefined } | { missing: string } {
  const text = field === undefined ? undefined : contentAt(field, scope);
  if (text !== undefined || fromDisk || wroteAPart(scope)) return { text };
  return { missing: `the event holds no text (${field ?? "no content_field is given"}), and read_from_disk is false` };
}

/** A server in trouble is a failed step; its reason stays readable where the time ran out. */
async function diagnose(file: string, text: string | undefined, context: StepContext): Promise<Diagnosis | StepResult> {
  const { ports, event, signal } = context;
  if (!ports.languageServers) return inTrouble("nothing here can start language servers");
  try {
    const servers = await ports.languageServers(event, context.hook);
    return await servers.diagnose(file, text, signal);
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error;
    return inTrouble(messageOf(error));
  }
}

const inTrouble = (reason: string): StepResult => ({ ...failed("error", reason), notes: [reason] });

/** Into the result where that is an object with room; else to the model as a message. */
function tell(
  findings: Findings,
  { file, server }: Fields,
  { event }: StepContext,
): { outcome: Outcome; notes?: string[] } {
  const result = event.data.tool_response;
  const shown = pathInside(event.cwd, String(file)) ?? String(file);
  const message = asText(findings, shown, String(server));
  const outcome: Outcome = { messages: [{ to: "model", role: "user", text: message }] };
  if (!isRecord(result) || !takesResults(event)) return { outcome };
  const free = ["diagnostics", "lsp_diagnostics"].find((key) => !Object.hasOwn(result, key));
  if (free === undefined)
    return {
      outcome,
      notes: ["the result has diagnostics and lsp_diagnostics already: the findings went as a message"],
    };
  return { outcome: { updatedOutput: { ...result, [free]: asFields(findings) } } };
}

const takesResults = ({ name, accepts }: StepContext["event"]): boolean =>
  rowOf(name).accepts.includes("updatedOutput") && (accepts?.includes("updatedOutput") ?? true);

const severities: readonly Diagnostic["severity"][] = ["error", "warning", "information", "hint"];

const most = { diagnostics: 50, charactersOfAMessage: 500 } as const;

/** Those that are worth reporting, the worst first, and how many there are in all. */
interface Findings {
  diagnostics: Diagnostic[];
  /** More than are reported. */
  left: number;
}

/** @param least the mildest severity that is reported */
function findingsOf({ diagnostics }: Diagnosis, least: Diagnostic["severity"]): Findings {
  const weight = ({ severity }: Diagnostic): number => severities.indexOf(severity);
  const wanted = diagnostics.filter((one) => weight(one) <= severities.indexOf(least));
  const inOrder = wanted.toSorted((a, b) => weight(a) - weight(b) || a.line - b.line || a.column - b.column);
  return {
    diagnostics: inOrder.slice(0, most.diagnostics).map((one) => ({ ...one, message: cut(one.message) })),
    left: Math.max(0, inOrder.length - most.diagnostics),
  };
}

const countsOf = ({ diagnostics }: Diagnosis): Fields =>
  Object.fromEntries(
    severities.map((severity) => [severity, diagnostics.filter((one) => one.severity === severity).length]),
  );

const asFields = ({ diagnostics }: Findings): Fields[] =>
  diagnostics.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)));

/** @param file as its reader knows it */
function asText({ diagnostics, left }: Findings, file: string, server: string): string {
  const lines = diagnostics.map(({ line, column, severity, message, code }) => {
    const said = message.replaceAll("\n", "\n  ");
    return `- ${line}:${column} ${severity}: ${said}${code === undefined ? "" : ` (${code})`}`;
  });
  const rest = left > 0 ? [`- and ${left} more`] : [];
  return [`${server} found in ${file}:`, ...lines, ...rest].join("\n");
}

const cut = (message: string): string => shortened(message, most.charactersOfAMessage);
