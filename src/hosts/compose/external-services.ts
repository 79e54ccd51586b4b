/**
 * What hooks reach outside the engine: tools, models and language servers, each made from the project's settings when a hook
 * first asks for it. Apart, because all of it is heavy and most events need none.
 */
import { figuresOf } from "../../agents/index.ts";
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookEvent, Instant } from "../../engine/event.ts";
import type { LanguageServers, Model, Tools } from "../../engine/external-services.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import type { StartPipedProcess } from "../../engine/program.ts";
import type { Store } from "../../engine/record.ts";
import { notTrustedBytes } from "../../engine/verified.ts";
import type { Config } from "../../formats/config/config.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import { type Bound, changedOf } from "../../loading/trust/item.ts";
import type { AutomationService } from "../../operations/automations/stored.ts";
import type { OperationContext } from "../../operations/operation.ts";
import type { ProjectService } from "../../services/projects/index.ts";
import type { Told } from "./told.ts";

export interface ExternalServicesOptions {
  environment: Readonly<Record<string, string>>;
  home: string;
  /** Starts servers that are spoken to over their pipes. */
  start: StartPipedProcess;
  /** The project's folder and settings, where the event happens. */
  root(event: HookEvent): string;
  settings(event: HookEvent): Settings;
  /** Which files have changed for the event's session. Never rejects. */
  changesOf(event: HookEvent): Promise<NonNullable<HookEvent["changes"]>>;
  /** Told of servers that cannot be reached while others can. */
  complain?(reason: string): void;
  /** Takes secrets out of texts. Absent: those of the environment. */
  redact?(text: string): string;
}
type Settings = Pick<LoadedHooks, "config" | "userConfig" | "settingsBound">;
/** What the module `hookline` of the tools works on. */
export interface Served extends Told {
  engine: Engine;
  store: Store;
  active: OperationContext["active"];
  cwd: string;
  /** The automations that the store keeps; undefined: it keeps none. */
  automations?(): Promise<AutomationService | undefined>;
  now(): Instant;
  id(): string;
}
export interface ExternalServices {
  ports: Pick<Ports, "tools" | "model" | "languageServers" | "enrich" | "redact" | "projects" | "git">;
  /** Projects with their tasks, notes and memory; undefined: the store keeps none. */
  board(): Promise<ProjectService | undefined>;
  /** Called once, when the engine is there. */
  serve(served: Served): void;
  close(): Promise<void>;
}

/** Projects whose servers are kept alive at once. */
const projectsAtMost = 16;

export function createExternalServices(options: ExternalServicesOptions): ExternalServices {
  let served: Served | undefined;
  const tools = perProject<Tools>(options, async ({ event, settings, bound }) => {
    const [{ createTools }, { createOperations }] = await Promise.all([
      import("../../services/mcp/index.ts"),
      import("../../operations/index.ts"),
    ]);
    return createTools({
      servers: settings.mcpServers,
      ...(served
        ? { operations: createOperations({ ...served, environment: options.environment, home: options.home, board }) }
        : {}),
      start: startUnchanged(options.start, bound),
      changed: () => changedOf(bound),
      environment: options.environment,
      cwd: options.root(event),
      ...(options.complain ? { complain: options.complain } : {}),
    });
  });
  const languageServers = perProject<LanguageServers>(options, (given) => openLanguageServers(given, options));
  const models = perProject<Model & { close(): Promise<void> }>(options, openModels);
  /** With the sender's account and model: a daemon asks as the command would. */
  const model: Ports["model"] = async (event, hook, environment = options.environment) => {
    const { variablesOf } = await import("../../services/models/index.ts");
    return models.of(event, hook, (settings) => variablesOf(settings.models, environment));
  };
  let asking: Promise<NonNullable<Ports["git"]>> | undefined;
  const git: Ports["git"] = async (question, signal) => {
    asking ??= import("../../runtime/processes/git.ts").then(({ createGit, createGitPort }) =>
      createGitPort(createGit(options.environment)),
    );
    return (await asking)(question, signal);
  };
  let redaction: Promise<(text: string) => string> | undefined;
  const redact = async (text: string): Promise<string> => {
    if (options.redact) return options.redact(text);
    redaction ??= import("../../storage/redaction/redaction.ts").then(({ createRedaction }) =>
      createRedaction(options),
    );
    return (await redaction)(text);
  };
  let opened: Promise<ProjectService | undefined> | undefined;
  async function board(): Promise<ProjectService | undefined> {
    if (!served) return undefined;
    const { store, engine, now, id } = served;
    opened ??= import("./projects.ts").then(({ openProjectService }) =>
      openProjectService({
        ...options,
        ...{ store, engine, now, id, redact },
        settingsIn: (cwd) => options.settings({ id: "", name: "note.read", at: 0, cwd, data: {}, sender: "" }),
        complain: options.complain ?? (() => {}),
      }),
    );
    const opening = opened;
    return opening.catch((error: unknown) => {
      opened = undefined; // the next who asks may have more luck
      throw error;
    });
  }
  return {
    board,
    ports: {
      projects: async () => (await board()) ?? (await import("../../services/projects/records.ts")).withoutStore,
      redact,
      tools: (event, hook) => tools.of(event, hook),
      model,
      languageServers: (event, hook) => languageServers.of(event, hook),
      git,
      enrich(event, needs) {
        const { config, userConfig } = options.settings(event);
        const own = figuresOf(event, needs, userConfig.models.windows ?? {});
        // Figures are the event's, so also what the user's guards see: a project only adds models that are not known.
        const figures = own && own.window === undefined ? figuresOf(event, needs, config.models.windows ?? {}) : own;
        const given = figures ? { ...event, figures } : event;
        return needs.has("changes") && !event.changes ? withChanges(given, options) : given;
      },
    },
    serve(given) {
      served = given;
    },
    async close() {
      await Promise.all([tools.close(), languageServers.close()]);
    },
  };
}

/** Where an event names its files, git is not asked. */
async function withChanges(event: HookEvent, { changesOf }: ExternalServicesOptions): Promise<HookEvent> {
  const { filesNamedBy } = await import("../../engine/file-pattern.ts");
  return filesNamedBy(event) ? event : { ...event, changes: await changesOf(event) };
}

/**
 * A hook is served by its own layer's settings and those above: what a project names can serve the project's hooks, never
 * stand in for what a user's guard relies on.
 */
function settingsFor(
  { origin }: Hook,
  { config, userConfig, settingsBound }: Settings,
): Pick<Given, "settings" | "bound" | "isOfProject"> {
  const isOfUser = origin.layer === "managed" || origin.layer === "user" || (origin.layer === "plugin" && !origin.root);
  return isOfUser
    ? { settings: userConfig, bound: {}, isOfProject: false }
    : { settings: config, bound: settingsBound, isOfProject: true };
}

async function openLanguageServers(
  { event, settings, bound, isOfProject }: Given,
  options: ExternalServicesOptions,
): Promise<LanguageServers> {
  const [{ createLanguageServers }, { isTrustedFolder }] = await Promise.all([
    import("../../services/language-servers/index.ts"),
    import("./trust.ts"),
  ]);
  return createLanguageServers({
    servers: settings.languageServers,
    start: startUnchanged(options.start, bound),
    changed: () => changedOf(bound),
    root: options.root(event),
    environment: options.environment,
    isTrusted: () => isOfProject || isTrustedFolder(options.root(event), options),
  });
}

async function openModels({ settings, environment }: Given): Promise<Model & { close(): Promise<void> }> {
  const { createModel } = await import("../../services/models/index.ts");
  const model = createModel(settings.models, environment);
  return { ask: (request, signal) => model.ask(request, signal), close: async () => {} };
}

/** A server of a project is started from the files that a person has trusted, where they lie. */
const startUnchanged =
  (start: StartPipedProcess, bound: Bound): StartPipedProcess =>
  async (command) => {
    const path = changedOf(bound);
    if (path !== undefined) throw new Error(notTrustedBytes(path));
    return start(command);
  };

type Environment = ExternalServicesOptions["environment"];

/** What one of them is made from. */
interface Given {
  event: HookEvent;
  settings: Config;
  /** The files that these settings were trusted with. */
  bound: Bound;
  /** A hook of the project asks, which runs only where a person has trusted it. */
  isOfProject: boolean;
  environment: Environment;
}

interface PerProject<T> {
  /** @param variables what counts of the environment, where it is not that of all projects */
  of(event: HookEvent, hook: Hook, variables?: (settings: Config) => Environment): Promise<T>;
  close(): Promise<void>;
}

/** One for each project, settings and variables; the one that was not asked for the longest goes first. */
function perProject<T extends { close(): Promise<void> }>(
  { root, settings, environment }: ExternalServicesOptions,
  make: (given: Given) => Promise<T>,
): PerProject<T> {
  const made = new Map<string, Promise<T>>();
  const end = (one: Promise<T> | undefined): Promise<void> | undefined => one?.then((it) => it.close()).catch(() => {}); // it never began, or is gone already
  return {
    of(event, hook, variables) {
      const found = settingsFor(hook, settings(event));
      const given = variables?.(found.settings);
      const key = JSON.stringify([root(event), found, given]);
      const known = made.get(key) ?? make({ event, ...found, environment: given ?? environment });
      made.delete(key);
      made.set(key, known);
      known.catch(() => made.delete(key)); // the next who asks may have more luck
      dropOldest(made, projectsAtMost, (oldest) => {
        void end(made.get(oldest));
        made.delete(oldest);
      });
      return known;
    },
    async close() {
      await Promise.all([...made.values()].map(end));
      made.clear();
    },
  };
}
