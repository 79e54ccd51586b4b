/** A file that is checked by its path is judged as the file that it is where it lies. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadingFor } from "../../src/hosts/cli/loaded.ts";
import { checkOne } from "../../src/loading/loading.ts";
import { type Workspace, workspace } from "./workspace.ts";

const webhooks = "webhooks:\n  mine: { secret: one-that-is-long-enough-0123456789 }\n";
const automation = "name: a\ntrigger: { type: periodic, interval_seconds: 3600 }\nprompt_template: look\n";
const model =
  "models:\n  default: local/m\n  providers: { local: { kind: openai-compatible, url: http://127.0.0.1:9 } }\n";

/** What is said of the file, with the layer, the format and the root of its hooks. */
async function checked(place: Workspace, path: string, environment = {}): Promise<string[]> {
  const { problems, hooks } = await checkOne(
    join(place.project, "..", "..", path),
    {
      ...{ cwd: place.project, home: place.home, environment, platform: "linux" },
      managedFolders: { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") },
    },
    loadingFor({ cwd: place.project, home: place.home, environment }),
  );
  return [
    ...problems.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
    ...hooks.map(({ origin: { layer, dialect, root } }) =>
      [layer, dialect, ...(root === undefined ? [] : [root])].join(" "),
    ),
  ];
}

test("a person's own settings may say what a project's may not, wherever XDG_CONFIG_HOME and links put them", async (context) => {
  const place = workspace(context, {
    "home/.config/hookline/config.yaml": webhooks,
    "home/xdg/hookline/config.yml": webhooks,
    "home/dotfiles/config.yaml": webhooks,
    "managed/hookline/config.yaml": webhooks,
    "home/project/hookline.yaml": webhooks,
  });
  assert.deepEqual(await checked(place, "home/.config/hookline/config.yaml"), []);
  assert.deepEqual(await checked(place, "managed/hookline/config.yaml"), []);
  const xdg = { XDG_CONFIG_HOME: join(place.home, "xdg") };
  assert.deepEqual(await checked(place, "home/xdg/hookline/config.yml", xdg), []);
  const [refused = ""] = await checked(place, "home/project/hookline.yaml");
  assert.match(refused, /^error setting-refused a project's file may not say who can send events/);
  const linked = workspace(context, {
    "home/dotfiles/config.yaml": webhooks,
    "home/.config/hookline/rules/a.yaml": "",
  });
  symlinkSync(join(linked.home, "dotfiles/config.yaml"), join(linked.home, ".config/hookline/config.yaml"));
  assert.deepEqual(await checked(linked, "home/.config/hookline/config.yaml"), []);
  assert.deepEqual(await checked(linked, "home/dotfiles/config.yaml"), [], "the file that the link leads to");
});

test("hooks of a file that is checked by itself are of the layer that the file lies in", async (context) => {
  const rule =
    "hooks:\n  - { id: a, on: tool_start, condition: { type: always }, action: { type: log, message: x } }\n";
  const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };
  const place = workspace(context, {
    "home/.config/hookline/hooks.json": hooks,
    "home/.config/hookline/rules/a.yaml": rule,

    "home/.claude/settings.json": hooks,
    "home/project/.git/HEAD": "",
    "home/project/.hookline/hooks.local.json": hooks,
    "home/project/.hookline/rules/a.yaml": rule,
    "home/project/ours.yaml": `runtime:\n${rule.replaceAll(/^/gm, "  ")}`,
    "home/project/hookline.yaml": "apps: [./ours.yaml]\n",
  });
  place.write("home/.config/hookline/hooks/a.sh", "#!/bin/sh\n#---\n# type: session\n#---\ntrue\n", 0o755);
  for (const [path, said] of [
    [".config/hookline/hooks/a.sh", "user script"],
    [".config/hookline/hooks.json", "user settings"],
    [".config/hookline/rules/a.yaml", "user rules"],
    [".claude/settings.json", "user settings"],
    ["project/.hookline/hooks.local.json", `local settings ${place.project}`],
    ["project/.hookline/rules/a.yaml", `project rules ${place.project}`],
    ["project/ours.yaml", `project rules ${place.project}`],
  ] as const)
    assert.deepEqual(await checked(place, `home/${path}`), [said], path);
});

test("an automation that is checked by itself is read with the models that its project has", async (context) => {
  const place = workspace(context, {
    "home/project/.git/HEAD": "",
    "home/project/hookline.yaml": model,
    "home/project/.hookline/automations/a.yaml": automation,
  });
  assert.deepEqual(await checked(place, "home/project/.hookline/automations/a.yaml"), [
    `project automation ${place.project}`,
  ]);
});
