/** Trust is of what the files say, all of it: nothing but a change of a file changes what a person is asked (R30). */
import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { loadingFor } from "../../../src/hosts/cli/loaded.ts";
import { type Loaded, type Loading, loadAll } from "../../../src/loading/loading.ts";
import { hashOfAll, type Item } from "../../../src/loading/trust/item.ts";
import { openTrust, type TrustRecords } from "../../../src/loading/trust/records.ts";
import { type Workspace, workspace } from "../workspace.ts";

const rule = (id: string, condition: string, action: string): string =>
  `hooks:\n  - { id: ${id}, on: tool_start, condition: ${condition}, action: ${action} }\n`;
const gate = '{ type: gate, reason: "no" }';
const registry = (id: string, more = ""): string =>
  `id: ${id}\nsummary: s\nevent_type: PreAbilityCall\nblocking: true\nhandler: { kind: script, command: ./hooks/a.sh }\n${more}`;

/** A hook of each format, each file with what may depend on where and when it is read. */
const files: Readonly<Record<string, unknown>> = {
  "home/project/.git/HEAD": "ref: refs/heads/main\n",
  "home/project/hooks/a.sh": "#!/bin/sh\nexit 0\n",
  "home/project/.claude/settings.json": {
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sh hooks/a.sh" }] }] },
  },
  "home/project/.hookline/hooks.json": {
    deny: ["Bash(npm publish *)"],
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "$HOME/x && sh ./hooks/a.sh; npx tool" }] }] },
  },
  "home/project/.hookline/rules/a.yaml": rule("a", "{ type: always }", "{ type: shell, command: sh hooks/a.sh }"),
  "home/project/.hookline/rules/own.yaml": rule("own", "{ type: is_friday }", gate),
  "home/project/.hookline/rules/act.yaml": rule("act", "{ type: always }", "{ type: tell_team, who: me }"),
  "home/project/.system/hooks/prod.yaml": registry("prod", "environments: [prod]\n"),
  "home/project/.system/hooks/same-1.yaml": registry("same").replace("blocking: true\n", "environments: [ci]\n"),
  "home/project/.system/hooks/same-2.yaml": registry("same").replace("blocking: true\n", ""),
  "home/project/.hookline/hooks/check.sh": '#!/bin/sh\n#---\n# name: check\n# type: file\n# pattern: "*.ts"\n#---\n',
  "home/project/.discobot/hooks/check.sh": "#!/bin/sh\n#---\n# name: check\n# type: session\n#---\n",
  "home/project/.hookline/automations/a.yaml":
    "name: Night\ntrigger: { type: cron, cron: '0 2 * * *' }\nprompt_template: hello\nllm_config: { provider: anthropic, model: m }\n",
  "home/project/hookline.yaml": "mcp_servers: { a: { command: ./hooks/a.sh } }\n",
  "home/project/hookline.config.mjs": `export default (hookline) => {
  hookline.registerCondition("is_friday", { test: () => true });
  hookline.registerAction("tell_team", { role: process.env.ROLE ?? "guard", params: { check: () => [], json: { type: "object", properties: { who: {} } } }, run: () => ({ deny: "told" }) });
};`,
};

/** The same without the module, which is loaded in a process of its own, and what uses it. */
const plainFiles = Object.fromEntries(
  Object.entries(files).filter(([path]) => !/\/(?:hookline\.config\.mjs|own\.yaml|act\.yaml)$/.test(path)),
);

interface Asking {
  place: Workspace;
  records: TrustRecords;
  items(at?: Partial<Where>): Promise<Item[]>;
  load(environment?: Record<string, string>): Promise<Loaded>;
}
interface Where {
  cwd: string;
  home: string;
  environment: Record<string, string>;
}

function asking(t: TestContext, given: Readonly<Record<string, unknown>> = files): Asking {
  const place = workspace(t, given);
  for (const path of Object.keys(given)) if (path.endsWith(".sh")) chmodSync(join(place.home, "..", path), 0o755);
  const state = join(place.home, "state");
  mkdirSync(state, { mode: 0o700 });
  const records = openTrust(state);
  const managedFolders = { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") };
  const request = { home: place.home, environment: {}, managedFolders, cwd: place.project };
  const loading: Loading & { close(): Promise<void> } = loadingFor() as ReturnType<typeof loadingFor> & {
    close(): Promise<void>;
  }; // it makes the ports, too
  t.after(() => loading.close());
  return {
    ...{ place, records },
    async items(at = {}) {
      const seen = new Map<string, Item>();
      const trust = { ...records, saw: (item: Item): void => void seen.set(item.hash, item) };
      await loadAll({ ...request, ...at, trust, withoutModules: true }, loading);
      return [...seen.values()];
    },
    load: (environment = {}) => loadAll({ ...request, environment, trust: records }, loading),
  };
}

const { TZ } = process.env;
const differences: Readonly<Record<string, (asked: Asking, t: TestContext) => Promise<Item[]>>> = {
  "the environment's name": ({ items }) => items({ environment: { HOOKLINE_ENV: "prod" } }),
  "whether it is CI": ({ items }) => items({ environment: { CI: "true" } }),
  "PATH, locale and keys of models": ({ items }) =>
    items({ environment: { PATH: "/nowhere", LC_ALL: "tr_TR.UTF-8", ANTHROPIC_API_KEY: "k", HOME: "/else" } }),
  "the folder of the repository that a person is in": ({ items, place }) =>
    items({ cwd: join(place.project, "hooks") }),
  "the time zone": async ({ items }, t) => {
    t.after(() => {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    });
    process.env.TZ = "Asia/Kolkata";
    return items();
  },
  "the times of files": ({ items, place }) => {
    for (const path of Object.keys(files)) utimesSync(join(place.home, "..", path), 1, 1);
    return items();
  },
  "where the repository lies": (_asked, t) => asking(t).items(),
  "what the user's own files say": ({ items, place }) => {
    place.write("home/.config/hookline/config.yaml", "mcp_servers: { b: { command: x } }\nmodels: { default: a/b }\n");
    return items();
  },
};
for (const [what, read] of Object.entries(differences))
  test(`a person is asked about the same whatever this is: ${what}`, async (t) => {
    const asked = asking(t);
    const before = await asked.items();
    assert.ok(before.length >= 14, before.map(({ file }) => file).join());
    const described = (items: readonly Item[]): string[] =>
      items.map(({ file, definition, files: bound }) => `${file} ${definition} ${JSON.stringify(bound)}`).sort();
    const after = await read(asked, t);
    assert.deepEqual(described(after), described(before));
    assert.equal(hashOfAll(after), hashOfAll(before));
  });

test("a script behind a link is the same in each clone, and another one when the link leads elsewhere", async (t) => {
  const linked = async (to: string): Promise<string> => {
    const { place, items } = asking(t);
    renameSync(join(place.project, "hooks"), join(place.project, "real"));
    symlinkSync("real", join(place.project, "hooks"));
    writeFileSync(join(place.project, "real", "b.sh"), readFileSync(join(place.project, "real", "a.sh")));
    rmSync(join(place.project, "real", "a.sh"));
    symlinkSync(to, join(place.project, "real", "a.sh"));
    writeFileSync(join(place.project, "real", "c.sh"), readFileSync(join(place.project, "real", "b.sh")));
    return hashOfAll(await items());
  };
  assert.equal(await linked("b.sh"), await linked("b.sh"));
  assert.notEqual(await linked("b.sh"), await linked("c.sh"));
});

const running = ({ set }: Loaded): string[] =>
  set.hooks.filter((hook) => hook.enabled && hook.untrusted === undefined).map(({ name }) => name);

test("rules that use a condition and an action of the project's own module run once a person has trusted all that was shown", async (t) => {
  const { place, records, items, load } = asking(t);
  records.add(place.project, await items(), 1);
  const loaded = await load();
  assert.deepEqual(loaded.untrusted, []);
  const names = running(loaded);
  for (const name of ["own", "act"]) assert.ok(names.includes(name), names.join());
  assert.equal(loaded.set.hooks.find(({ name }) => name === "act")?.role, "guard");
});

test("a trusted guard of a module's action stays one when its rule is changed", async (t) => {
  const { place, records, items, load } = asking(t);
  records.add(place.project, await items(), 1);
  place.write(
    "home/project/.hookline/rules/act.yaml",
    rule("act", "{ type: tool_name, match: None }", "{ type: tell_team, who: me }"),
  );
  const guard = (await load()).set.hooks.find(({ name, untrusted }) => name === "act" && untrusted === undefined);
  assert.deepEqual([guard?.steps[0].uses, guard?.onFailure], ["invalid", "block"]);
});

test("a guard for another environment is trusted where it does not run, and runs where it is for", async (t) => {
  const { place, records, items, load } = asking(t, plainFiles);
  records.add(place.project, await items(), 1);
  assert.equal(running(await load()).includes("prod"), false);
  const there = await load({ HOOKLINE_ENV: "prod" });
  assert.deepEqual(there.untrusted, []);
  assert.ok(running(there).includes("prod"));
  const text = registry("prod", "environments: [dev]\n");
  place.write("home/project/.system/hooks/prod.yaml", text);
  const moved = (await load()).set.hooks.filter(({ name }) => name === "prod");
  assert.ok(
    moved.some(({ untrusted }) => untrusted !== undefined),
    "another environment is a change",
  );
});

test("a hook that nobody has trusted takes its id from no trusted one", async (t) => {
  const { place, records, items, load } = asking(t, plainFiles);
  records.add(place.project, await items(), 1);
  const isOn = ({ set }: Loaded, path: string): boolean | undefined =>
    set.hooks.find((hook: Hook) => hook.origin.file?.endsWith(path))?.enabled;
  assert.equal(isOn(await load(), "same-2.yaml"), true);
  assert.equal(isOn(await load({ CI: "1" }), "same-2.yaml"), false);
  mkdirSync(dirname(join(place.project, ".system/hooks/first.yaml")), { recursive: true });
  writeFileSync(join(place.project, ".system/hooks/first.yaml"), registry("same").replace("blocking: true\n", ""));
  const loaded = await load();
  assert.equal(isOn(loaded, "same-2.yaml"), true);
  assert.ok(loaded.problems.some(({ message }) => /which is not trusted, so this hook runs/.test(message)));
});
