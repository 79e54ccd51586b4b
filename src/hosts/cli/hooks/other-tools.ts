/** Hooks of other tools beside ours, which `check` tells of: who runs them, and what makes them run together with ours. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type InstallLayer, layersOf } from "../../../agents/adapter.ts";
import { readHooksFolder } from "../../../agents/git/files.ts";
import { calledName } from "../../../agents/git/hooks.ts";
import { gitPlace } from "../../../agents/git/repository.ts";
import { agents } from "../../../agents/index.ts";
import { codeInside, insideWords } from "../../../agents/inside.ts";
import { isRegistered } from "../../../agents/install/registration.ts";
import { HooklineError } from "../../../engine/error.ts";
import type { Problem } from "../../../engine/hook.ts";
import { textAt } from "../../../files/regular-file.ts";
import { readTree } from "../../../formats/reading/json-tree.ts";
import { membersOf } from "../../../formats/reading/tree.ts";
import { askGitAs } from "../git/worktrees.ts";
import type { Place } from "../place.ts";

/** @param root the project's folder. Never throws */
export const otherTools = (root: string, place: Place): Problem[] => [
  ...agentsBeside(root, place),
  ...codeInside({ home: place.home, root, environment: place.environment }).map((one) =>
    note(one.path, `${one.agent.title}: ${insideWords(one)}`, "hookline doctor"),
  ),
  ...foundOf(withoutAdapter, root),
  ...(isInGit(root, place) ? [] : foundOf(gitManagers, root)),
];

const note = (file: string, message: string, suggestion: string): Problem => ({
  ...{ severity: "note", code: "other-tool", file, line: 1, column: 1 },
  message,
  suggestion,
});

interface Tool {
  name: string;
  /** Any of these in the project's folder shows it. */
  files: readonly string[];
  says: string;
  suggestion: string;
}

const withoutAdapter: readonly Tool[] = [
  {
    name: "Cursor",
    files: [".cursor/hooks.json"],
    says: "Cursor runs the hooks of this file, and Hookline does not read it",
    suggestion: "write what other agents are to obey as well in .hookline/hooks.json",
  },
];

const managed = (name: string, files: readonly string[], suggestion: string): Tool => ({
  ...{ name, files, suggestion },
  says: `the git hooks of ${name} stay as they are`,
});
const beside = "hookline git install adds ours beside them, once a hook listens to commits";

const gitManagers: readonly Tool[] = [
  managed(
    "lefthook",
    ["", "."].flatMap((dot) => ["yml", "yaml", "toml", "json"].map((ending) => `${dot}lefthook.${ending}`)),
    beside,
  ),
  managed("pre-commit", [".pre-commit-config.yaml", ".pre-commit-config.yml"], beside),
  managed(
    "husky",
    [".husky"],
    'write "prepare": "husky && hookline git install" in package.json, which adds ours beside them',
  ),
];

const foundOf = (tools: readonly Tool[], root: string): Problem[] =>
  tools.flatMap(({ files, says, suggestion }) => {
    const file = files.map((name) => join(root, name)).find((path) => existsSync(path));
    return file === undefined ? [] : [note(file, says, suggestion)];
  });

/** Whether git calls Hookline already; then both run, and nothing is to be said. */
function isInGit(root: string, { environment }: Place): boolean {
  if (foundOf(gitManagers, root).length === 0) return false;
  try {
    return calledName(readHooksFolder(gitPlace(askGitAs(environment), root).hooks)) !== undefined;
  } catch (error) {
    if (error instanceof HooklineError) return true; // no repository: no commit runs anything
    throw error;
  }
}

const ofProject: readonly InstallLayer[] = ["project", "local"];

/** Agents that run hooks of their own here and do not call Hookline. */
function agentsBeside(root: string, { home, environment }: Place): Problem[] {
  const places = { home, root, environment };
  return Object.values(agents).flatMap((agent) => {
    const { name, title, settings } = agent;
    if (settings.editor.is === "owned file") return []; // it holds no hooks of others
    const layers = layersOf(agent);
    const texts = layers
      .map((layer) => ({ layer, file: settings.file(layer, places) }))
      .map((one) => ({ ...one, text: textAt(one.file) }));
    if (texts.some(({ text }) => isRegistered(agent, text))) return [];
    return texts
      .filter(({ layer, text }) => ofProject.includes(layer) && hasHooks(text))
      .map(({ file }) =>
        note(
          file,
          `${title} runs the hooks of this file and does not call Hookline, so no other hook holds there`,
          `hookline install ${name}`,
        ),
      );
  });
}

function hasHooks(text: string | undefined): boolean {
  const members = membersOf(text === undefined ? undefined : readTree(text, () => {}));
  return members.some(({ key, value }) => key === "hooks" && membersOf(value).length > 0);
}
