/** What a session's scripts are run for, in repositories, as stories that hold whether the repository is watched or looked at afresh. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../../../src/engine/outcome.ts";
import { createHookline, type Hookline } from "../../../src/index.ts";
import { environment, type Repository, repositoryIn, temporaryFolder } from "../../runtime/triggers/repository.ts";

interface World {
  repository: Repository;
  line: Hookline;
  session: string;
  /** In this folder of the repository. */
  prompt(folder?: string): Promise<unknown>;
  stop(folder?: string): Promise<Outcome>;
  /** The names that the script of this name was last run for, since it was last asked here; undefined: it was not run. */
  told(script: string): string[] | undefined;
}

/** A script that keeps the names that it is run for, and fails where one of the files says so. */
const check =
  'cp "$HOOKLINE_CHANGED_FILES_0" "$OUT/$(basename "$0")"; ! xargs -0 grep -qs bad < "$HOOKLINE_CHANGED_FILES_0"';

/** @param scripts what they do, by their places; their pattern is *.go */
async function worldWith(
  context: TestContext,
  watch: boolean,
  scripts: Readonly<Record<string, string>>,
): Promise<World> {
  const top = temporaryFolder(context);
  const repository = repositoryIn(join(top, "app"));
  const out = join(top, "out");
  mkdirSync(out);
  repository.write("z.go", "good\n");
  for (const [name, does] of Object.entries(scripts)) {
    repository.write(name, `#!/bin/sh\n#---\n# type: file\n# pattern: "*.go"\n#---\n${does}\n`);
    chmodSync(join(repository.folder, name), 0o755);
  }
  repository.commit();
  const cwd = repository.folder;
  const line = await createHookline({ cwd, home: join(top, "home"), environment: { ...environment, OUT: out }, watch });
  context.after(() => line.close());
  const session = "s";
  const at = (folder = "") => ({ session, cwd: join(cwd, folder) });
  await line.emit("SessionStart", { source: "startup" }, at());
  return {
    repository,
    line,
    session,
    prompt: async (folder) => line.emit("UserPromptSubmit", { prompt: "go on" }, at(folder)),
    stop: async (folder) => line.emit("Stop", {}, at(folder)),
    told(script) {
      const file = join(out, script);
      if (!existsSync(file)) return undefined;
      const names = readFileSync(file, "utf8").split("\0").filter(Boolean);
      rmSync(file);
      return names;
    },
  };
}

interface Story {
  sentence: string;
  scripts: Readonly<Record<string, string>>;
  holds(world: World): Promise<void>;
}
export const stories: Story[] = [];

export const ways = ["watched", "looked at afresh"] as const;
type Way = (typeof ways)[number];
const mainOnes: Readonly<Record<Way, string>> = { watched: "goes back to it", "looked at afresh": "git cannot say" };
/** Whether it is among those of each commit. */
export const isMain = ({ sentence }: Story, way: Way): boolean => sentence.includes(mainOnes[way]);

const about = (sentence: string, scripts: Story["scripts"], holds: Story["holds"]): void =>
  void stories.push({ sentence, scripts, holds });

/** @param watch whether the repository is watched */
export const holds = async (t: TestContext, { scripts, holds: story }: Story, watch: boolean): Promise<void> =>
  story(await worldWith(t, watch, scripts));

const lint = { ".hookline/hooks/lint.sh": check };

about("[E29, R57] however many files have changed, a script is run for all that match", lint, async (world) => {
  const { repository, stop, told } = world;
  repository.write("a/0.go", "");
  for (let index = 1; index < 10_200; index++) writeFileSync(join(repository.folder, "a", `${index}.go`), "");
  repository.write("z.go", "bad\n");
  assert.equal((await stop()).verdict?.is, "deny");
  assert.equal(told("lint.sh")?.length, 10_201);
});

about(
  "[R57] what a commit of the session holds has changed when the work tree goes back to it",
  lint,
  async (world) => {
    const { repository, prompt, stop, told } = world;
    repository.write("z.go", "bad\n");
    repository.commit();
    repository.write("z.go", "fixed\n");
    assert.deepEqual(await stop(), {});
    assert.deepEqual(told("lint.sh"), ["z.go"]);
    await prompt();
    repository.git("checkout", "-q", "--", "z.go");
    assert.equal((await stop()).verdict?.is, "deny");
    assert.deepEqual(told("lint.sh"), ["z.go"]);
  },
);

about("[R57] where the commit that the session began with is gone, all files count", lint, async (world) => {
  const { repository, stop, told, prompt } = world;
  repository.write("other.go", "good\n");
  repository.git("add", "-A");
  repository.git("commit", "-q", "--amend", "-m", "written anew");
  repository.git("reflog", "expire", "--expire=now", "--all");
  repository.git("gc", "-q", "--prune=now");
  repository.write("y.go", "bad\n");
  assert.equal((await stop()).verdict?.is, "deny");
  assert.deepEqual(told("lint.sh"), ["other.go", "y.go", "z.go"]);
  repository.write("y.go", "good\n");
  assert.deepEqual(await stop(), {});
  told("lint.sh");
  await prompt();
  assert.deepEqual(await stop(), {});
  assert.equal(told("lint.sh"), undefined, "nothing has changed since");
});

about("[R57] a repository that is made anew in the turn is looked at as a whole", lint, async (world) => {
  const { repository, stop, told } = world;
  repository.write("z.go", "bad\n");
  rmSync(join(repository.folder, ".git"), { recursive: true });
  repository.git("init", "-q", "-b", "main", ".");
  repository.commit();
  assert.equal((await stop()).verdict?.is, "deny");
  assert.deepEqual(told("lint.sh"), ["z.go"]);
});

about("where git cannot say what has changed, a person hears once, and nothing is lost", lint, async (world) => {
  const { repository, line, prompt, stop, told } = world;
  const index = join(repository.folder, ".git/index");
  const whole = readFileSync(index);
  repository.write("z.go", "bad\n");
  writeFileSync(index, "what is no index");
  const { messages } = await stop();
  assert.match(
    messages?.map(({ text }) => text).join() ?? "",
    /^lint\.sh was not run: its condition cannot be tested: /,
  );
  await prompt();
  assert.deepEqual(await stop(), {});
  assert.deepEqual(
    (await line.runs({ event: "Stop" })).map(({ status }) => status),
    ["skipped", "skipped"],
  );
  writeFileSync(index, whole);
  assert.equal((await stop()).verdict?.is, "deny");
  assert.deepEqual(told("lint.sh"), ["z.go"]);
});

about(
  "[E22, E35] what the next turn writes while it ends an evaluation is seen at its end",
  {
    ".hookline/hooks/a.sh": `touch "$OUT/started"; test -e fast || sleep 60; ${check}`,
    ".hookline/hooks/b.sh": check,
  },
  async ({ repository, prompt, stop, told }) => {
    await prompt();
    repository.write("a.go", "good\n");
    const stopping = stop();
    while (!told("started")) await pause(10);
    await prompt();
    repository.write("y.go", "bad\n");
    assert.deepEqual(await stopping, {});
    repository.write("fast");
    assert.equal((await stop()).verdict?.is, "deny");
    assert.deepEqual(told("a.sh"), ["a.go", "y.go"]);
    repository.write("y.go", "good\n");
    assert.deepEqual(await stop(), {});
    assert.deepEqual(told("b.sh"), ["a.go", "y.go"]);
  },
);

about(
  "[R57] what one project's scripts have seen, another's in the same repository have not",
  { ".hookline/hooks/root.sh": check, "pa/.hookline/hooks/pa.sh": check },
  async ({ repository, prompt, stop, told }) => {
    repository.write("pa/a.go", "good\n");
    await prompt();
    await stop();
    assert.deepEqual([told("root.sh"), told("pa.sh")], [["pa/a.go"], undefined]);
    await prompt();
    await stop("pa");
    assert.deepEqual(told("pa.sh"), ["a.go"]);
    await prompt();
    repository.write("z.go", "changed\n");
    await stop();
    assert.deepEqual(told("root.sh"), ["z.go"]);
    await stop();
    await stop("pa");
    assert.equal(told("pa.sh"), undefined, "what lies elsewhere is none of its files");
  },
);

about(
  "[R57] what a session commits before it comes to the project whose scripts look has changed",
  { "pa/.hookline/hooks/pa.sh": check },
  async ({ repository, prompt, stop, told }) => {
    await prompt();
    repository.write("pa/a.go", "bad\n");
    repository.commit();
    assert.equal((await stop("pa")).verdict?.is, "deny");
    assert.deepEqual(told("pa.sh"), ["a.go"]);
  },
);
