/** What every agent's adapter is: payload in, reply out, and the facts that install needs. Apart, so that each agent is one file and one row. */
import type { AgentEventName, Fields, Figures, HookEvent, Instant, Json, Seconds } from "../engine/event.ts";
import type { Layer } from "../engine/hook.ts";
import type { AgentProgram } from "../engine/loosening.ts";
import type { Outcome, OutcomeField, VerdictKind } from "../engine/outcome.ts";
import type { AbilityFolder } from "../engine/ports.ts";
import type { CallReports } from "../engine/receipt.ts";
import type { LineForm } from "../engine/skill-lines.ts";
import type { SettingsFormat } from "../formats/settings/entries.ts";
import type { RecordedSessions } from "./recorded-calls.ts";

/** The reply to the agent: a process prints it, an in-process plugin applies it. Never another exit code (R59). */
export interface Reply {
  /** JSON, or plain text where the agent reads plain text. Absent: print nothing. */
  body?: Json;
  stderr?: string;
  exitCode: 0 | 2;
}

export interface DecodeOptions {
  at: Instant;
  /** Makes the next id. */
  id(): string;
  /** The event that the registration names, for payloads that do not say it themselves. */
  event?: string;
  /** Which registration sent it ("user", "project", "local"); without it no delivery can be recognised (R49). */
  registration?: string;
  /** Used where the payload has no folder. */
  cwd?: string;
}

/** Where the person and the project live. */
export interface Places {
  home: string;
  /** The project's root, as the agent sees it. */
  root: string;
  /** Agents let variables move their folders. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** The hook files of one tool: where they lie, how what stands in them is read, and what its own names are. */
export interface HookFiles {
  /** The agent that reads them itself; absent: one that Hookline has no adapter for. */
  agent?: string;
  format: SettingsFormat;
  user?(home: Pick<Places, "home" | "environment">): { path: string; label: string };
  /** Below a folder of a project. */
  project?: string;
  local?: string;
  managed?: { folder(platform: string): string; file: string };
  /** Environment variables that move them. */
  movedBy?: readonly string[];
  /** Names in a folder that make it a project's (R34). */
  markers: readonly string[];
  /** Whether a file that a person names is one of them, by its path alone. */
  isNamed?(path: string): boolean;
  plugins?: PluginPlaces;
  loads?: LoadedCode;
  abilities?: readonly AbilityFolder[];
  variables?: ProgramVariables;
}

/** What loads code into an agent when it starts. A call that writes it, or starts the agent with it, lifts every guard there. */
export interface LoadedCode {
  /** Files and folders of projects and of the home folder, wherever these lie. */
  places: readonly string[];
  /** Where variables have moved those of the user, absolute. */
  moved?(home: Pick<Places, "home" | "environment">): readonly string[];
  /** Names and endings of paths that make a folder a plugin with hooks, wherever it lies: an agent can be started with it. */
  ofPlugin?: readonly string[];
  /** Absolute folders of the user in which a folder loads code if it holds hooks. */
  mods?(home: Pick<Places, "home" | "environment">): readonly string[];
  program?: AgentProgram;
  /** Words for the model, with shell lines in them that the agent runs itself when they are called. */
  lines?: {
    folders: readonly string[];
    moved?(home: Pick<Places, "home" | "environment">): readonly string[];
    forms: readonly LineForm[];
    /** Below a project or a home: folders of extensions, each with such folders in it. */
    extensions?: readonly string[];
  };
}

export interface PluginPlaces {
  format: SettingsFormat;
  /** Where a plugin's hooks stand in its folder; a manifest may name another file. */
  files: readonly { name: string; isManifest?: true }[];
  /** The folder of a project or a home in which each folder is a plugin, but for those beside them. */
  folder?: string;
  beside?: readonly string[];
  /** What the agent keeps of the plugins that it has installed. */
  registry?: {
    path(home: Pick<Places, "home" | "environment">): string;
    read(registry: Readonly<Record<string, unknown>>): InstalledPlugin[];
  };
}
export interface InstalledPlugin {
  name: string;
  /** Absolute folders; with a project: only there. */
  installs: readonly { path: string; project?: string }[];
}

/** Variables of hooks' programs: PREFIX_PROJECT_DIR, PREFIX_SESSION_ID, PREFIX_TOOL_NAME, PREFIX_EVENT_TYPE, PREFIX_PLUGIN_ROOT. */
export interface ProgramVariables {
  prefix: string;
  /** To every program, as hooks are written for them; to those of files whose format asks for them; to those of its own events. */
  given: "always" | "if asked" | "to its own";
  /** The agent names its project to the hooks that it runs by PREFIX_PROJECT_DIR. */
  namesProject?: true;
  /** Further variables that hooks' programs may find, by their whole names, or by their beginning with a _ at the end. */
  others?: readonly string[];
  /** Set in the shells that the agent starts for its model, and in none that a person types in. */
  ofShell?: readonly string[];
  /** Further variables of one session: what outlives it starts without them. */
  ofSession?: readonly string[];
  /** Keys to the session that are not named as those of other agents are. */
  secrets?: RegExp;
}

/** Code or shell lines that run inside an agent, and can come between a call of a tool and us. */
export interface CodeInside {
  is: "mod" | "skill";
  name: string;
  /** Where the agent has it from. */
  from: string;
  path: string;
  /** The agent's own events that it answers, or the shell lines that it makes the agent run. */
  hooks: readonly string[];
  /** As the agent has noted it, or when its file was last changed: a time in ISO 8601. */
  since: string;
  /** On which side of ours, as a sentence goes on. */
  stands: string;
}

export const installLayers = ["user", "project", "local"] as const;
export type InstallLayer = (typeof installLayers)[number];

/** The agent loads a file that we write as a whole, such as a plugin. */
export interface OwnedFile {
  is: "owned file";
  /** Its text. The mark stands in it as it is given, in a comment; the commands are lines for a shell. */
  print(registered: { mark: string; calls: readonly { event: string; command: string }[] }): string;
}

/** Functions that the agent runs inside itself: a folder of ours, with what the agent reads of it and their code. */
export interface OwnMod {
  /** Where alone it loads such a folder without a question. */
  layer: InstallLayer;
  folder(places: Places): string;
  /** The code's path in it, and its text. */
  code: string;
  print: OwnedFile["print"];
  /** Other files of it. */
  beside: Readonly<Record<string, Json>>;
  /** What it asks about beside the lines of settings, and where it takes their place. */
  asks: readonly AgentEventName[];
  asksAlone: readonly AgentEventName[];
}

export interface JsonGroups {
  is: "JSON groups";
  /** What the file calls an event, where that is not our name. */
  names?: Readonly<Partial<Record<AgentEventName, string>>>;
  /** What `timeout` counts there. */
  timeoutIn?: "milliseconds";
}

/** The layers in which an agent can be registered. */
export const layersOf = ({ settings: { layers } }: Pick<AgentAdapter, "settings">): readonly InstallLayer[] =>
  layers ?? installLayers;

/** How an agent is registered to call Hookline. */
export interface AgentSettings {
  /** Asked for the layers that it has. */
  file(layer: InstallLayer, places: Places): string;
  /** The layers that the agent has a file for. Absent: all. */
  layers?: readonly InstallLayer[];
  /** Groups of hooks in a JSON settings file of Claude Code's shape, of which a part is ours; or a file that is ours. */
  editor: JsonGroups | OwnedFile;
  /** Absent: the agent has no such thing. */
  mod?: OwnMod;
  /** Why a layer's file must name no address of the daemon, as what follows "--http". */
  withoutHttp?: Readonly<Partial<Record<InstallLayer, string>>>;
  /** Always registered, and only where a hook wants them at install, because a silent hook costs something there (R50). */
  events: readonly AgentEventName[];
  onlyWanted: readonly AgentEventName[];
  /** How long the agent is to wait for an answer, where it can be told. */
  timeout: Seconds;
  /** Agents that run the files of these layers too (double firing, R35). */
  alsoReadBy: Readonly<Partial<Record<InstallLayer, readonly string[]>>>;
  /** What a person has to do in the agent before it runs what is registered. */
  afterInstall?: string;
  /** What a person should know of these layers before anything else. */
  layerNotes?: Readonly<Partial<Record<InstallLayer, string>>>;
  /** Keys of the file that switch its hooks off, and what to say then. */
  switches: Readonly<Record<string, string>>;
}

export interface AgentAdapter {
  /** The word after `hookline hook`, and the sender of its events. */
  name: string;
  title: string;
  /** How it is started, and the version whose behaviour this adapter was measured with. */
  program: { name: string; measured: string };
  /** What its reply can carry on each event that it sends. */
  capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>>;
  /** The verdicts that it obeys, where these are fewer than the event's: the others are given in a weaker form, or as a deny. */
  verdicts?: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>>;
  /** What it reports of calls that were judged: by it a verdict is followed. Absent: nothing. */
  reports?: CallReports;
  /** How long it waits for the answer to these, where that is less than what install registers. */
  patience?: Readonly<Partial<Record<AgentEventName, Seconds>>>;
  /**
   * Whether it is this agent that runs the line of a registration, whatever agent the line names: some read the files of others.
   * Absent: it reads no file of another agent. Never throws.
   */
  runs?(wire: unknown, environment: Readonly<Record<string, string | undefined>>): boolean;
  /** Every event that hooks can hear of from it: what it sends, and what `derived` makes of that. */
  sends: ReadonlySet<AgentEventName>;
  /**
   * The events that a payload means, to be judged in this order; the reply carries what they come to together. None: the agent
   * repeats itself, and there is nothing to say. May throw HooklineError: input_invalid, or event_unknown for an event that is newer
   * than this table.
   */
  decode(wire: unknown, options: DecodeOptions): readonly HookEvent[];
  /** Derived events (R62): other events that the request means too, to be sent before it. No reply reaches the agent from them. */
  derived?(event: HookEvent, id: () => string): HookEvent[];
  /** What the agent's own files say of the conversation: "tokens", "turns" or "messages", as needed. Never throws. */
  figures?(
    event: HookEvent,
    needs: ReadonlySet<string>,
    windows: Readonly<Record<string, number>>,
  ): Figures | undefined;
  /**
   * Whether the agent says of this session that no person can answer a question in it. Absent: it never says so. Never throws.
   *
   * @param environment of the agent, if known
   */
  isHeadless?(event: HookEvent, environment: Readonly<Record<string, string | undefined>>): boolean;
  /**
   * Exactly the agent's own fields for this event, never a superset. Never throws.
   *
   * @param event the first of those that the payload means
   * @param wire the payload, to put a rewritten input into the agent's own form
   */
  encode(event: HookEvent, outcome: Outcome, wire: unknown): Reply;
  /** Whether the agent asks an HTTP hook on this event too, and obeys its answer as it obeys a command's (R50). Absent: never. */
  overHttp?(event: AgentEventName): boolean;
  /**
   * As encode, for a body with status 200, as no exit code reaches the agent over HTTP: where it would have said no with one, the
   * nearest that the agent obeys. Undefined: an empty body. Never throws.
   */
  encodeForHttp?(event: HookEvent, outcome: Outcome): Json | undefined;
  /** How what could not be read is refused, where a guard is active; an event that the agent has newly got has no name here. Never throws. */
  refuse(reason: string, event: AgentEventName | undefined): Reply;
  /** The same over HTTP. Absent: an agent that speaks no HTTP. */
  refuseOverHttp?(reason: string, event: AgentEventName | undefined): Json | undefined;
  /** A payload of this event that nothing is done with, as doctor sends it. Never throws. */
  canary(event: AgentEventName, given: { session: string; cwd: string }): Json;
  files: HookFiles;
  /** How to read the calls in what it keeps of its sessions. Absent: it keeps nothing, or its form is not known here. */
  recorded?(): Promise<RecordedSessions>;
  /** What it can be started with that keeps its hooks from running. */
  startedWithout?: readonly string[];
  /** Why the agent itself would ignore this answer of a program in a hook file that it reads. Absent: nothing is known of that. */
  ignores?(answer: Fields, event: HookEvent["name"]): string | undefined;
  /**
   * Whether the agent runs the hooks of this file itself (R35).
   *
   * @param layer of the hooks: a link from one layer's file to another's makes nothing of the other the agent's own
   */
  readsItself(file: string, places: Places, layer: Layer): boolean;
  settings: AgentSettings;
}
