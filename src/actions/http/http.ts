/** Posts the event as JSON and reads the reply's body as the answer (C65). Only a 2xx body decides anything. */
import { messageOf } from "../../engine/error.ts";
import type { Fetch, Handler, StepContext, StepResult } from "../../engine/ports.ts";
import { addressFault, isOwn, reachOf, showsLoopback } from "../../engine/reach.ts";
import { listOf, mapOf, object, text } from "../../engine/schema.ts";
import { writtenName } from "../command/protocols/endings.ts";
import { readAnswer, settings } from "../command/protocols/settings.ts";
import { failed, shorten } from "../step.ts";

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
  isServer: true,
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

const withNotes = (result: StepResult, notes: string[]): StepResult =>
  notes.length === 0 ? result : { ...result, notes: [...notes, ...(result.notes ?? [])] };

function requestOf(params: HttpParams, { event, hook, caller, ports }: StepContext) {
  const isSecret = ports.conventions?.isSessionSecret ?? (() => false);
  const given = Object.entries(caller.environment ?? {}).filter(([name]) => !isSecret(name));
  const environment = Object.fromEntries(given);
  const allowed = params.allowedEnvVars ?? [];
  const url = fillIn(params.url, allowed, environment);
  const fault = addressFault(url.text);
  if (fault !== undefined) return fault;
  const filled = fillHeaders(params.headers ?? {}, allowed, environment);
  if (typeof filled === "string") return filled;
  const isHooksOwn = isOwn(hook.origin);
  if (!isHooksOwn && allowed.length > 0 && !keepsSecrets(url.text))
    return "the hook of a project sends variables to https addresses and to this machine only";
  return {
    // The environment is the person's own: what it says of a person's hook, the person has written.
    reach: reachOf(url.text, { isOwn: isHooksOwn, written: [isHooksOwn ? url.text : params.url] }),
    url: url.text,
    method: "POST",
    headers: { accept: "application/json", ...filled.headers, "content-type": "application/json" },
    body: settings.write(event, writtenName(hook, event.name), hook),
    limitInBytes,
    notes: [...url.notes, ...filled.notes],
  };
}

const keepsSecrets = (url: string): boolean => url.toLowerCase().startsWith("https:") || showsLoopback(url);

function resultOf(
  { status, body, cut, movedTo }: Awaited<ReturnType<Fetch>>,
  { event, hook }: StepContext,
): StepResult {
  const evidence = { stdout: shorten(body) };
  if (status < 200 || status > 299) return { ...failed("exit", `the server answered ${status}`), evidence };
  if (movedTo !== undefined) {
    const reason = `the reply came from ${movedTo}, to which the server redirected, so it decides nothing`;
    return { ...failed("output", reason), evidence };
  }
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
