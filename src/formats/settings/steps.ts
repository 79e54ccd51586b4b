/** The handler types of settings hooks: the fields of each, its time limit (R14), the step it becomes, and `resident`. */
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { anything, either, flag, integer, listOf, mapOf, oneOf, type Schema, say, text } from "../../engine/schema.ts";
import { addressFault } from "../reading/mismatches.ts";
import type { Entry, SettingsFormat } from "./entries.ts";
import type { EntryReader } from "./entry-reader.ts";

export interface StepContext {
  format: SettingsFormat;
  /** As process.platform says it; some files hold another command for Windows. */
  platform: string;
}
export interface HandlerType {
  fields: { readonly [key: string]: Schema<unknown> };
  /** The fields that it needs, and what to write. */
  required: { readonly [key: string]: string };
  timeout: Seconds;
  /** What its values become where they are not the parameters themselves. */
  parameters?(values: Fields, reader: EntryReader, context: StepContext): Fields;
  /** What a person calls a hook that has no name. */
  label(parameters: Fields): string;
}

const texts = listOf(text());
const commandKeys = "command args shell environment commandWindows bash powershell".split(" ");
const prompt = {
  prompt: text("what the model is asked; $ARGUMENTS in it is the event"),
  model: text("the model, as provider/model"),
  max_tokens: integer("tokens of one run, input and output together", 1),
  continueOnBlock: say(flag, "true: a block after a call does not end the turn", false),
  mayAllow: say(flag, "true: an allow of the model counts, if no other hook decided", false),
};

export const handlerTypes: Readonly<Record<string, HandlerType>> = {
  command: {
    fields: {
      command: text("a line for the shell, or with args a program"),
      args: say(texts, "the program's arguments: then no shell runs"),
      shell: say(
        oneOf("bash", "sh", "powershell"),
        "which shell runs the line; default: bash, or sh where bash is missing",
      ),
      environment: say(oneOf("clean"), "clean: only PATH, HOME, locale and the like"),
      commandWindows: text("the command on Windows"),
      bash: text("other agents' name for the command where bash is"),
      powershell: text("other agents' name for the command on Windows"),
    },
    required: {},
    timeout: 600,
    parameters: commandParameters,
    label: ({ command }) => String(command),
  },
  http: {
    fields: {
      url: text("where the event is posted to"),
      headers: say(mapOf(text()), "sent with it; $NAME in them is filled from the environment"),
      allowedEnvVars: say(texts, "the variables that headers may hold; others are sent empty"),
    },
    required: { url: '"url": "https://…"' },
    timeout: 30,
    parameters: httpParameters,
    label: ({ url }) => String(url).replace(/[?#].*$/, ""),
  },
  prompt: {
    fields: prompt,
    required: { prompt: '"prompt": "Is this safe? $ARGUMENTS"' },
    timeout: 60,
    label: (given) => String(given.prompt),
  },
  agent: {
    fields: {
      ...prompt,
      turns: say(integer(undefined, 1), "calls of the model; on the last it has no tools, so it has to answer", 10),
      tools: say(either(oneOf("all"), texts), "the tools that it may call; default: read_file, list_files and search"),
    },
    required: { prompt: '"prompt": "Is this safe? $ARGUMENTS"' },
    timeout: 60,
    label: (given) => String(given.prompt),
  },
  mcp_tool: {
    fields: {
      server: text("the tool server"),
      tool: text("its tool"),
      input: say(mapOf(anything), "what the tool is given"),
    },
    required: { server: '"server": "github"', tool: '"tool": "search_issues"' },
    timeout: 60,
    label: ({ server, tool }) => `${server}.${tool}`,
  },
};

/** What the entry says for its handler. */
export function parametersOf(
  reader: EntryReader,
  { name, fields, required, parameters }: HandlerType & { name: string },
  context: StepContext,
): Fields {
  const values: Fields = {};
  for (const [key, schema] of Object.entries(fields)) {
    const value = reader.readBy(key, schema);
    if (value !== undefined) values[key] = value as Json; // it is a value of the file
  }
  for (const [key, example] of Object.entries(required)) {
    const written = reader.entry.fields.get(key)?.value ?? "";
    const isEmpty = typeof written === "string" && written.trim() === "";
    const message = `${name === "prompt" ? "a" : "an"} ${name} hook needs a "${key}"`;
    const isTold = misspeltIn(reader.entry, key, Object.keys(fields)) !== undefined;
    if (isEmpty && !isTold) reader.fault(key, "missing-field", message, `write ${example}`);
  }
  return parameters ? parameters(values, reader, context) : values;
}

function commandParameters(
  { commandWindows, bash, powershell, ...values }: Fields,
  reader: EntryReader,
  { format, platform }: StepContext,
): Fields {
  const inPowershell = powershell === undefined ? [] : [{ command: powershell, shell: "powershell" }];
  const windows = commandWindows === undefined ? inPowershell : [{ command: commandWindows }];
  const [chosen = { command: "" }] = [
    ...(platform === "win32" ? windows : []),
    ...(values.command === undefined ? [] : [{ command: values.command }]),
    ...(bash === undefined ? [] : [{ command: bash, shell: "bash" }]),
    ...inPowershell,
  ];
  const isTold = misspeltIn(reader.entry, "command", commandKeys) !== undefined;
  if (String(chosen.command).trim() === "" && !isTold)
    reader.fault("command", "missing-field", 'a command hook needs a "command"', adviceFor(reader));
  const variables = format.variables === undefined ? {} : { variables: format.variables };
  return { ...chosen, ...values, command: chosen.command, ...variables };
}

/** Without a type it is a command; other keys show what the author meant. */
function adviceFor({ entry }: EntryReader): string {
  if (entry.fields.has("url")) return 'write "type": "http"';
  if (entry.fields.has("prompt")) return 'write "type": "prompt"';
  return 'write "command": "…"';
}

/** The key under which a field stands that is missing by its own name; checkKeys reports it. */
export function misspeltIn({ fields }: Entry, needed: string, known: readonly string[]): string | undefined {
  if (fields.has(needed)) return undefined;
  return [...fields.keys()].find((key) => !known.includes(key) && nearest(key, known) === needed);
}

export const neededOf = ({ name, required }: HandlerType & { name: string }): string[] =>
  name === "command" ? ["command"] : Object.keys(required);

function httpParameters(values: Fields, reader: EntryReader): Fields {
  const { url = "", headers = {}, allowedEnvVars: allowed = [] } = values;
  const wrong = String(url).trim() === "" ? undefined : addressFault(String(url));
  if (wrong) reader.fault("url", "wrong-type", `"${url}" ${wrong.reason}`, `write "url": ${wrong.example}`);
  const names = Object.values(headers ?? {}).flatMap((value) =>
    [...String(value).matchAll(/\$\{?([A-Za-z_]\w*)\}?/g)].map(([, name = ""]) => name),
  );
  for (const name of new Set(names)) {
    if (Array.isArray(allowed) && allowed.includes(name)) continue;
    reader.report(reader.placeOf("headers"), {
      severity: "warning",
      code: "unknown-variable",
      message: `the header's variable ${name} is not allowed, so it is sent empty`,
      suggestion: `write "allowedEnvVars": [${JSON.stringify(name)}]`,
    });
  }
  return values;
}

/** True, or limits; undefined: it is started for each event. */
export function residentOf(reader: EntryReader, type: string, format: SettingsFormat): true | Fields | undefined {
  const value = reader.entry.fields.get("resident")?.value ?? false;
  if (value === false) return undefined;
  const refused = whyRefused(reader, type);
  if (refused) {
    reader.fault("resident", "resident-refused", ...refused);
    return undefined;
  }
  if (!format.isOurs) warnOfAgents(reader);
  return (reader.read("resident") || undefined) as true | Fields | undefined; // it is JSON
}

function whyRefused(reader: EntryReader, type: string): [message: string, suggestion: string] | undefined {
  if (type !== "command")
    return [`"resident" is for commands: a hook of type ${type} starts no program`, 'remove "resident"'];
  const key = ["async", "asyncRewake"].find((one) => reader.entry.fields.get(one)?.value === true);
  if (key === undefined) return undefined;
  const message = `a hook cannot be both "resident" and "${key}": its program answers each event before it gets the next`;
  return [message, `remove "${key}" or "resident"`];
}

/** Agents hand the program the event alone, and read no ids. */
function warnOfAgents({ report, placeOf }: EntryReader): void {
  report(placeOf("resident"), {
    severity: "warning",
    code: "ignored-field",
    message:
      '"resident": Hookline keeps this program, but an agent that reads the file itself ignores the key and starts it for each event',
    suggestion: "move the hook to .hookline/hooks.json",
  });
}
