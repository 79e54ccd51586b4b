/** What runs inside Claude Code and can come between a call of a tool and Hookline: mods of plugins, and skills whose shell lines it runs by itself. By their files; nothing of them is started. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isRecord } from "../../engine/schema.ts";
import { linesIn } from "../../engine/skill-lines.ts";
import { textAt } from "../../files/regular-file.ts";
import type { CodeInside, HookFiles, Places } from "../adapter.ts";

interface Found {
  folder: string;
  name: string;
  from: string;
  /** As the agent has noted it. */
  since?: string;
}

/** @param settings files in which a plugin is switched on or off, the nearest last. Never throws */
export function insideClaude(files: HookFiles, places: Places, settings: readonly string[]): CodeInside[] {
  const [skills = ""] = files.loads?.mods?.(places) ?? [];
  const plugins: Found[] = [
    ...installed(files, places, settings),
    ...foldersIn(skills).map((name) => ({ folder: join(skills, name), name, from: "the folder of skills" })),
  ];
  const mods = plugins.flatMap((one) => modIn(one));
  const isOurs = ({ path }: CodeInside): boolean => (textAt(path) ?? "").includes(ourMark);
  const hasOurs = mods.some(isOurs);
  return [
    ...mods.filter((mod) => !isOurs(mod)).map((mod) => ({ ...mod, stands: standsOf(mod, hasOurs) })),
    ...skillsWithLines([skills, ...["skills", "commands", "agents"].map((name) => join(places.root, ".claude", name))]),
  ];
}

const ourMark = "hookline:managed";

/** Of what a mod can hook, what lies between a call and its answer; the rest draws, speaks or watches. */
const between =
  /^(?:tool\.(?:call|check|judge|run)|classic\.\w+|http\.fetch|process\.(?:run|hookEnv)|fs\.read|env\.get|session\.(?:cwd|info)|engine\.create)$/;

function standsOf({ hooks, from }: CodeInside, hasOurs: boolean): string {
  if (!hasOurs) {
    const isAround = hooks.some((event) => event !== "tool.check");
    return isAround ? "before the commands of settings, so before Hookline" : "after Hookline: it may lift a denial";
  }
  if (from === "the folder of skills") return "before or after Hookline's mod, as the folder's order has it";
  return "before Hookline's mod: what it answers itself does not reach Hookline";
}

/** Claude Code loads a mod only where each event stands as a text in its call of `on`. */
function modIn({ folder, name, from, since }: Found): CodeInside[] {
  const manifest = json(join(folder, "hooks", "hooks.json"));
  const modules = Array.isArray(manifest.modules) ? manifest.modules.filter((one) => typeof one === "string") : [];
  const [first] = modules;
  if (first === undefined) return [];
  const code = filesIn(folder, /\.[cm]?[jt]sx?$/).map((file) => textAt(file) ?? "");
  const events = code.flatMap((text) =>
    [...text.matchAll(/\bon\s*\(\s*["'`]([\w.]+)["'`]/g)].map(([, event = ""]) => event),
  );
  const hooks = [...new Set(events)].filter((event) => between.test(event));
  const path = join(folder, "hooks", first);
  if (hooks.length === 0) return [];
  return [{ is: "mod", name, from, path, hooks, since: since ?? sinceOf(path), stands: "" }];
}

const filesAtMost = 100;

function filesIn(folder: string, ending: RegExp): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && ending.test(one.name))
      .slice(0, filesAtMost)
      .map((one) => join(one.parentPath, one.name));
  } catch {
    return []; // there is no such folder
  }
}

function installed({ plugins }: HookFiles, places: Places, settings: readonly string[]): Found[] {
  const registry = plugins?.registry;
  if (!registry) return [];
  const known = json(registry.path(places));
  const times = isRecord(known.plugins) ? known.plugins : {};
  const on = Object.assign({}, ...settings.map((file) => json(file).enabledPlugins).filter(isRecord));
  return registry.read(known).flatMap(({ name, installs }) =>
    on[name] === false
      ? []
      : installs
          .filter(({ project }) => project === undefined || project === places.root)
          .slice(0, 1)
          .map(({ path }) => ({ folder: path, name, from: `installed, ${name}`, ...installedAt(times[name]) })),
  );
}

function installedAt(entries: unknown): { since?: string } {
  const [first] = [entries].flat().filter(isRecord);
  return typeof first?.installedAt === "string" ? { since: first.installedAt } : {};
}

/** Before 2.1.332 such lines come to no hook. */
function skillsWithLines(folders: readonly string[]): CodeInside[] {
  return folders.flatMap((folder) =>
    filesIn(folder, /\.md$/).flatMap((path): CodeInside[] => {
      const lines = linesIn(textAt(path) ?? "", ["quoted", "fenced"]);
      if (lines.length === 0) return [];
      const stands =
        "beside Hookline: it runs them before the model hears of it, from 2.1.332 on with PreSkillShellCommand";
      const name = relative(folder, path);
      return [{ is: "skill", name, from: folder, path, hooks: lines, since: sinceOf(path), stands }];
    }),
  );
}

function foldersIn(folder: string): string[] {
  try {
    const isThere = (one: Dirent): boolean => one.isDirectory() || one.isSymbolicLink();
    return readdirSync(folder, { withFileTypes: true })
      .filter(isThere)
      .map(({ name }) => name);
  } catch {
    return []; // there is none
  }
}

const sinceOf = (path: string): string => statSync(path, { throwIfNoEntry: false })?.mtime.toISOString() ?? "";

function json(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textAt(path) ?? "");
    return isRecord(value) ? value : {};
  } catch {
    return {}; // the agent cannot read it either
  }
}
