/** Files that a person has trusted, changed in every way that a file can change; what would still run is counted by bench/trust.ts. */
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Hook } from "../../../src/engine/hook.ts";
import { loadingFor } from "../../../src/hosts/cli/loaded.ts";
import { type Loading, loadAll } from "../../../src/loading/loading.ts";
import type { Item } from "../../../src/loading/trust/item.ts";
import { openTrust } from "../../../src/loading/trust/records.ts";

const command = (line: object): object => ({ hooks: { PreToolUse: [{ hooks: [{ type: "command", ...line }] }] } });

/** What is trusted, by path. */
const files: Readonly<Record<string, string>> = {
  ".claude/settings.json": JSON.stringify(command({ command: "bash hooks/line.sh --all" }), null, 2),
  ".hookline/hooks.json": JSON.stringify(command({ command: "./hooks/program.sh", args: ["-x"] }), null, 2),
  ".hookline/rules/team.yaml":
    "hooks:\n  - id: tests\n    on: tool_end\n    condition: { type: always }\n    action: { type: shell, command: sh hooks/rule.sh }\n",
  ".hookline/hooks/check.sh": '#!/bin/sh\n#---\n# name: check\n# type: file\n# pattern: "*.ts"\n#---\nexit 0\n',
  ".system/hooks/track.yaml":
    "id: track\nevent_type: PostAbilityCall\nsummary: notes\nhandler:\n  kind: script\n  command: ./hooks/track.sh\n",
  "hooks/line.sh": "#!/bin/bash\nset -e\nexit 0\n",
  "hooks/program.sh": "#!/bin/sh\necho program\nexit 0\n",
  "hooks/rule.sh": "#!/bin/sh\necho rule\n",
  "hooks/track.sh": "#!/bin/sh\ncat >/dev/null\necho '{}'\n",
};

type Change = (path: string, text: Buffer, at: number) => void;
const changes: readonly Change[] = [
  (path, text, at) =>
    put(
      path,
      text.map((byte, index) => (index === at ? byte ^ 1 : byte)),
    ),
  (path, text, at) => put(path, Buffer.concat([text.subarray(0, at), Buffer.from(" "), text.subarray(at)])),
  (path, text, at) => put(path, Buffer.concat([text.subarray(0, at), text.subarray(at + 1)])),
  (path, text) => put(path, Buffer.from(text.toString().replaceAll("\n", "\r\n"))),
  (path) => chmodSync(path, statSync(path).mode ^ 0o111),
  (path) => renameSync(path, `${path}.old`),
  (path, text) => {
    put(`${path}.other`, text);
    rmSync(path);
    symlinkSync(`${path}.other`, path);
  },
];
const put = (path: string, bytes: Uint8Array): void => writeFileSync(path, bytes);

export interface Mutated {
  mutations: number;
  /** What would have run although it is not what was trusted. */
  evil: string[];
  /** Changes of a definition after which the same hooks stood there, such as a blank in JSON: those may run. */
  sameMeaning: number;
}

/** @param random from 0 to 1 */
export async function mutate(folder: string, times: number, random: () => number): Promise<Mutated> {
  const [home, root, state] = ["home", "home/project", "state"].map((name) => join(folder, name));
  if (!home || !root || !state) throw new Error("no folders");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  mkdirSync(join(root, ".git"), { recursive: true });
  writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  const restore = (path: string): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    for (const one of [file, `${file}.old`, `${file}.other`]) rmSync(one, { force: true });
    writeFileSync(file, files[path] ?? "", { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  };
  for (const path of Object.keys(files)) restore(path);
  const records = openTrust(state);
  const { beforeModules: _quiet, ...loading }: Loading = loadingFor();
  const managedFolders = { claude: join(folder, "none"), hookline: join(folder, "none") };
  const load = async (): Promise<{ hooks: readonly Hook[]; items: Item[] }> => {
    const items: Item[] = [];
    const trust = { ...records, saw: (item: Item) => void items.push(item) };
    const { set } = await loadAll({ home, environment: {}, managedFolders, cwd: root, trust }, loading);
    return { hooks: set.hooks.filter((hook) => hook.untrusted === undefined && runs(hook)), items };
  };
  records.add(root, (await load()).items, 0);
  const trusted = new Set((await load()).hooks.map(contentOf));
  if (trusted.size !== 5) throw new Error(`${trusted.size} hooks were trusted`);

  const found: Mutated = { mutations: 0, evil: [], sameMeaning: 0 };
  const paths = Object.keys(files);
  const of = (count: number): number => Math.floor(random() * count);
  for (; found.mutations < times; found.mutations++) {
    const path = paths[of(paths.length)] ?? "";
    const text = Buffer.from(files[path] ?? "");
    const kind = of(changes.length);
    changes[kind]?.(join(root, path), text, of(text.length));
    const { hooks } = await load();
    const isRun = /\.sh$/.test(path);
    const evil = hooks.filter((hook) => !trusted.has(contentOf(hook)) || (isRun && names(hook, join(root, path))));
    if (evil.length > 0) found.evil.push(`change ${kind} of ${path}: ${evil.map(({ name }) => name).join(", ")}`);
    else if (!isRun && hooks.length === trusted.size) found.sameMeaning += 1;
    restore(path);
  }
  return found;
}

/** It starts something; a guard that fails in place of a changed one does not. */
const runs = ({ steps }: Hook): boolean => steps.every(({ uses }) => uses !== "invalid" && uses !== "gate");

/** All that decides what runs when, without what trust adds. */
const contentOf = ({ id: _id, origin: _origin, bound: _bound, ...content }: Hook): string => JSON.stringify(content);

/** Whatever trust was bound to: by the words of the hook itself. */
const names = ({ steps, origin }: Hook, path: string): boolean =>
  origin.file === path || JSON.stringify(steps).includes(path.slice(path.lastIndexOf("/") + 1));
