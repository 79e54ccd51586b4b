/** The handler types of settings hooks: the keys of each, its time limit (R14), the step it becomes, and `resident`. */
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { type PersistentProgramLimits, usualLimits } from "../../engine/persistent-program.ts";
import { kindOf } from "../../engine/schema.ts";
import type { Flavour } from "./entries.ts";
import type { EntryReader } from "./entry-reader.ts";

export interface StepContext {
  flavour: Flavour;
  /** As process.platform says it; some files hold another command for Windows. */
  platform: string;
}
export interface HandlerType {
  keys: readonly string[];
  timeout: Seconds;
  parameters(reader: EntryReader, context: StepContext): Fields;
  /** What a person calls a hook that has no name. */
  label(parameters: Fields): string;
}

export const handlerTypes: Readonly<Record<string, HandlerType>> = {
  command: {
    keys: ["command", "args", "shell", "environment", "commandWindows", "bash", "powershell"],
    timeout: 600,
    parameters: commandParameters,
    label: ({ command }) => String(command),
  },
  http: {
    keys: ["url", "headers", "allowedEnvVars"],
    timeout: 30,
    parameters: httpParameters,
    label: ({ url }) => String(url).replace(/[?#].*$/, ""),
  },
  prompt: {
    keys: ["prompt", "model", "max_tokens", "continueOnBlock"],
    timeout: 60,
    parameters: promptParameters,
    label: ({ prompt }) => String(prompt),
  },
  agent: {
    keys: ["prompt", "model", "max_tokens", "continueOnBlock", "turns", "tools"],
    timeout: 60,
    parameters: agentParameters,
    label: ({ prompt }) => String(prompt),
  },
  mcp_tool: {
    keys: ["server", "tool", "input"],
    timeout: 60,
    parameters: toolParameters,
    label: ({ server, tool }) => `${server}.${tool}`,
  },
};

const present = (fields: { [key: string]: Json | undefined }): Fields => {
  const kept: Fields = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value;
  return kept;
};

const shells = ["bash", "sh", "powershell"] as const;

function commandParameters(reader: EntryReader, { flavour, platform }: StepContext): Fields {
  const shell = reader.choice("shell", shells);
  const chosen = chooseCommand(reader, platform);
  if (!chosen.command?.trim())
    reader.fault("command", "missing-field", 'a command hook needs a "command"', adviceFor(reader));
  return present({
    command: chosen.command ?? "",
    args: reader.texts("args"),
    shell: shell ?? chosen.shell,
    environment: reader.choice("environment", ["clean"]),
    variables: flavour.variables,
  });
}

function chooseCommand(reader: EntryReader, platform: string): { command: string | undefined; shell?: string } {
  const written = { command: reader.text("command"), windows: reader.text("commandWindows") };
  const copilot = { bash: reader.text("bash"), powershell: reader.text("powershell") };
  if (platform === "win32") {
    if (written.windows !== undefined) return { command: written.windows };
    if (copilot.powershell !== undefined) return { command: copilot.powershell, shell: "powershell" };
  }
  if (written.command !== undefined) return { command: written.command };
  if (copilot.bash !== undefined) return { command: copilot.bash, shell: "bash" };
  return copilot.powershell === undefined
    ? { command: undefined }
    : { command: copilot.powershell, shell: "powershell" };
}

/** Without a type it is a command; other keys tell what the author meant. */
function adviceFor({ entry }: EntryReader): string {
  if (entry.fields.has("url")) return 'write "type": "http"';
  if (entry.fields.has("prompt")) return 'write "type": "prompt"';
  const near = [...entry.fields.keys()].find(
    (key) => !handlerTypes.command?.keys.includes(key) && didYouMean(key, ["command"]),
  );
  return near ? `did you mean "command" by "${near}"?` : 'write "command": "…"';
}

function httpParameters(reader: EntryReader): Fields {
  const url = reader.text("url");
  const headers = reader.textMap("headers");
  const allowed = reader.texts("allowedEnvVars");
  if (!url?.trim()) reader.fault("url", "missing-field", 'an http hook needs a "url"', 'write "url": "https://…"');
  else if (!isHttp(url))
    reader.fault("url", "wrong-type", `"${url}" is no http or https address`, 'write "url": "https://…"');
  for (const name of variablesIn(headers ?? {})) {
    if (!allowed?.includes(name)) {
      reader.report(reader.entry.fields.get("headers")?.at ?? reader.entry.at, {
        severity: "warning",
        code: "unknown-variable",
        message: `the header's variable ${name} is not allowed, so it is sent empty`,
        suggestion: `write "allowedEnvVars": [${JSON.stringify(name)}]`,
      });
    }
  }
  return present({ url: url ?? "", headers, allowedEnvVars: allowed });
}

/** Variables in an address are filled in when the hook runs. */
const isHttp = (url: string): boolean => /^https?:\/\//i.test(url) && (url.includes("$") || URL.canParse(url));

const variablesIn = (headers: { [key: string]: string }): Set<string> =>
  new Set(
    Object.values(headers).flatMap((value) =>
      [...value.matchAll(/\$\{?([A-Za-z_]\w*)\}?/g)].map(([, name = ""]) => name),
    ),
  );

function promptParameters(reader: EntryReader): Fields {
  return present({
    prompt: required(reader, "prompt", '"prompt": "Is this safe? $ARGUMENTS"'),
    model: reader.text("model"),
    max_tokens: wholeNumber(reader, "max_tokens"),
    continueOnBlock: reader.flag("continueOnBlock"),
  });
}

function agentParameters(reader: EntryReader): Fields {
  const tools = reader.entry.fields.get("tools")?.value === "all" ? "all" : reader.texts("tools");
  return present({ ...promptParameters(reader), turns: wholeNumber(reader, "turns"), tools });
}

function toolParameters(reader: EntryReader): Fields {
  return present({
    server: required(reader, "server", '"server": "github"'),
    tool: required(reader, "tool", '"tool": "search_issues"'),
    input: inputOf(reader),
  });
}

function required(reader: EntryReader, key: string, example: string): string {
  const before = reader.faults.length;
  const value = reader.text(key);
  if (value?.trim()) return value;
  const type = reader.text("type");
  const message = `${type === "prompt" ? "a" : "an"} ${type} hook needs a "${key}"`;
  if (reader.faults.length === before) reader.fault(key, "missing-field", message, `write ${example}`);
  return "";
}

function wholeNumber(reader: EntryReader, key: string): number | undefined {
  const value = reader.number(key);
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  reader.fault(key, "wrong-type", `"${key}" needs a whole number above 0 but is ${value}`);
  return undefined;
}

function inputOf(reader: EntryReader): Fields | undefined {
  const value = reader.entry.fields.get("input")?.value;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object" && !Array.isArray(value)) return value;
  reader.fault(
    "input",
    "wrong-type",
    '"input" needs an object',
    'write "input": { "path": "${tool_input.file_path}" }',
  );
  return undefined;
}

const limitNames = Object.keys(usualLimits);
/** The others may be fractions: they are seconds. */
const whole: ReadonlySet<string> = new Set<keyof PersistentProgramLimits>(["memory", "concurrency", "events"]);

/** True, or limits; undefined: it is started for each event. */
export function residentOf(reader: EntryReader, type: string, flavour: Flavour): true | Fields | undefined {
  const value = reader.entry.fields.get("resident")?.value;
  if (value === undefined || value === null || value === false) return undefined;
  const refused = whyRefused(reader, type);
  if (refused) {
    reader.fault("resident", "resident-refused", ...refused);
    return undefined;
  }
  if (!flavour.isOurs) warnOfAgents(reader);
  if (value === true) return true;
  if (typeof value === "object" && !Array.isArray(value)) return limitsIn(reader, value);
  reader.fault("resident", "wrong-type", `"resident" needs true or an object of limits but is ${kindOf(value)}`);
  return undefined;
}

function whyRefused(reader: EntryReader, type: string): [message: string, suggestion: string] | undefined {
  if (type !== "command")
    return [`"resident" is for commands: a hook of type ${type} starts no program`, 'remove "resident"'];
  const key = ["async", "asyncRewake"].find((one) => reader.entry.fields.get(one)?.value === true);
  if (key === undefined) return undefined;
  const message = `a hook cannot be both "resident" and "${key}": its program answers each event before it gets the next`;
  return [message, `remove "${key}" or "resident"`];
}

/** They hand the program the event alone, and read no ids. */
function warnOfAgents({ report, entry }: EntryReader): void {
  report(entry.fields.get("resident")?.at ?? entry.at, {
    severity: "warning",
    code: "ignored-field",
    message:
      '"resident": Hookline keeps this program, but an agent that reads the file itself ignores the key and starts it for each event',
    suggestion: "move the hook to .hookline/hooks.json",
  });
}

function limitsIn(reader: EntryReader, limits: { [key: string]: Json }): Fields {
  for (const [name, value] of Object.entries(limits)) {
    if (!limitNames.includes(name)) {
      const advice = didYouMean(name, limitNames) ?? `known: ${limitNames.join(", ")}`;
      reader.fault("resident", "unknown-field", `nothing reads "${name}" in "resident"`, advice);
    } else if (typeof value !== "number" || value < 1 || (whole.has(name) && !Number.isSafeInteger(value))) {
      const expected = whole.has(name) ? "a whole number of at least 1" : "seconds, at least 1";
      reader.fault("resident", "wrong-type", `"${name}" in "resident" needs ${expected} but is ${kindOf(value)}`);
    }
  }
  return limits;
}
