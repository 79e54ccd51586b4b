/** Posts the event as JSON and reads the reply's body as the answer (C65). Only a 2xx body decides anything. */
import { messageOf } from "../../engine/error.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import type { Failure } from "../../engine/record.ts";
import { listOf, mapOf, object, text } from "../../engine/schema.ts";
import { writtenName } from "../command/protocols/endings.ts";
import { readAnswer, settings } from "../command/protocols/settings.ts";
import { shorten } from "../texts.ts";

export interface HttpParams {
  url: string;
  headers?: { [name: string]: string };
  /** The variables that headers and the address may hold. */
  allowedEnvVars?: string[];
}

const limitInBytes = 1 << 20;

export const http: Handler<HttpParams> = {
  params: object({ url: text("an http or https address") }, { headers: mapOf(text()), allowedEnvVars: listOf(text()) }),
  needs: ["fetch"],
  async run(params, context) {
    const request = requestOf(params, context);
    if (typeof request === "string") return failed("launch", request);
    if (!context.ports.fetch) return failed("launch", "nothing here can send requests");
    try {
      const reply = await context.ports.fetch(request, context.signal);
      return withNotes(resultOf(reply, context), request.notes);
    } catch (error) {
      return withNotes(unreached(error, request.url, context), request.notes);
    }
  },
};

const failed = (failure: Failure, reason: string): StepResult => ({ ok: false, output: {}, failure, reason });

const withNotes = (result: StepResult, notes: string[]): StepResult =>
  notes.length === 0 ? result : { ...result, notes: [...notes, ...(result.notes ?? [])] };

function requestOf(params: HttpParams, { event, hook, caller }: StepContext) {
  const environment = caller.environment ?? {};
  const allowed = params.allowedEnvVars ?? [];
  const url = fillIn(params.url, allowed, environment);
  const fault = addressFault(url.text);
  if (fault !== undefined) return fault;
  const filled = fillHeaders(params.headers ?? {}, allowed, environment);
  if (typeof filled === "string") return filled;
  return {
    url: url.text,
    method: "POST",
    headers: { accept: "application/json", ...filled.headers, "content-type": "application/json" },
    body: settings.write(event, writtenName(hook, event.name), hook),
    limitInBytes,
    notes: [...url.notes, ...filled.notes],
  };
}

/** Why nothing is sent there; undefined: it may be. */
export function addressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return `"${url}" is not an address`;
  const { protocol, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return `"${url}" is neither http nor https`;
  return username || password ? "the address holds a user name or password: send it as a header" : undefined;
}

function resultOf(
  { status, body, cut }: { status: number; body: string; cut: boolean },
  { event, hook }: StepContext,
): StepResult {
  const evidence = { stdout: shorten(body) };
  if (status < 200 || status > 299) return { ...failed("exit", `the server answered ${status}`), evidence };
  if (cut) return { ...failed("output", `the reply is larger than ${limitInBytes} bytes (output_limit)`), evidence };
  return { ...readAnswer(body, event, hook.id), evidence };
}

function unreached(error: unknown, url: string, { signal, caller, timeout }: StepContext): StepResult {
  if (caller.signal?.aborted) return failed("timeout", "the caller gave up");
  if (signal.aborted) return failed("timeout", `no reply within ${timeout} s`);
  return failed("error", `${new URL(url).origin} gave no reply: ${messageOf(error)}`);
}

interface Filled {
  text: string;
  notes: string[];
}
type Environment = Readonly<Record<string, string>>;

/** `$NAME` and `${NAME}`; a name that is not allowed, or not set, becomes empty and leaves a note. */
function fillIn(written: string, allowed: readonly string[], environment: Environment): Filled {
  const notes: string[] = [];
  const text = written.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    if (!allowed.includes(name)) notes.push(`the variable ${name} is not in allowedEnvVars: sent empty`);
    else if (!Object.hasOwn(environment, name)) notes.push(`the variable ${name} is not set: sent empty`);
    else return environment[name] ?? "";
    return "";
  });
  return { text, notes };
}

/** All headers, or a sentence why they cannot be sent. */
function fillHeaders(
  written: Readonly<Record<string, string>>,
  allowed: readonly string[],
  environment: Environment,
): { headers: Record<string, string>; notes: string[] } | string {
  const headers: Record<string, string> = {};
  const notes: string[] = [];
  for (const [name, value] of Object.entries(written)) {
    const filled = fillIn(value, allowed, environment);
    if (breaksHeader.test(filled.text)) return `the header ${name} would hold a line break or a NUL`;
    notes.push(...filled.notes);
    headers[name.toLowerCase()] = filled.text.trim();
  }
  return { headers, notes };
}

const breaksHeader = /[\r\n\0]/;
