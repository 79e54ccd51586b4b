/** The two looks at what a hook was trusted with: before it starts, and when it has ended or answered (R93). */
import assert from "node:assert/strict";
import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Question, Reply } from "../../../src/engine/persistent-program.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import type { Command, Ended } from "../../../src/engine/program.ts";
import { verifying } from "../../../src/engine/verified.ts";
import { changedOf, stateOfFile } from "../../../src/loading/trust/item.ts";
import { createSpawner } from "../../../src/runtime/processes/spawner.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { race } from "./race.ts";

interface Trusted {
  root: string;
  script: string;
  hook: Hook;
  /** The ports that the hook is given. */
  ports(hook?: Hook): Ports;
}

function trusted(t: TestContext, text: string): Trusted {
  const root = temporaryFolder(t);
  mkdirSync(join(root, "hooks"));
  const script = join(root, "hooks", "a.sh");
  writeFileSync(script, text, { mode: 0o755 });
  const origin = { dialect: "settings", layer: "project", root };
  const hook = { origin, bound: { [script]: stateOfFile(script) } } as unknown as Hook; // all that is read of it
  const spawner = createSpawner({});
  t.after(() => spawner.close());
  const own = { spawn: spawner.spawn, changed: ({ bound }: Hook) => changedOf(bound) } as unknown as Ports; // no other port is asked
  return { root, script, hook, ports: (given = hook) => verifying(own, given) };
}

const start = ({ root, ports }: Trusted, command: Partial<Command>, hook?: Hook): Promise<Ended> | undefined =>
  ports(hook).spawn?.(
    { program: "", args: [], cwd: root, environment: { PATH: process.env.PATH ?? "" }, input: "", ...command },
    { signal: new AbortController().signal },
  );

test("a program that a person has trusted is started where it lies", async (t) => {
  const place = trusted(t, '#!/bin/sh\ncd "$(dirname "$0")/.." && echo "$0 $PWD"\n');
  const ended = await start(place, { program: place.script });
  assert.deepEqual([ended?.how, ended?.stdout], ["exit", `${place.script} ${place.root}\n`]);
});

const changes: Readonly<Record<string, (script: string) => void>> = {
  "one byte": (script) => appendFileSync(script, "#"),
  "its execute bit": (script) => chmodSync(script, 0o644),
  "that it is there": (script) => rmSync(script),
};
for (const [what, change] of Object.entries(changes))
  test(`a program of which this was changed is not started, by its path or by a line: ${what}`, async (t) => {
    const place = trusted(t, "#!/bin/sh\ntouch ran\n");
    change(place.script);
    for (const command of [{ program: place.script }, { program: "/bin/sh", args: ["-c", "hooks/a.sh"] }]) {
      const ended = await start(place, command);
      assert.equal(ended?.how, "launch");
      assert.match(ended.reason ?? "", /a\.sh is not what was trusted/);
    }
  });

test("a file that is put into a folder which a line runs stops the line", async (t) => {
  const place = trusted(t, "#!/bin/sh\n");
  const folder = join(place.root, "hooks");
  const whole = { ...place.hook, bound: { [folder]: stateOfFile(folder) } };
  const line = { program: "/bin/sh", args: ["-c", "for one in hooks/*; do $one; done"] };
  assert.equal((await start(place, line, whole))?.how, "exit");
  writeFileSync(join(folder, "new.sh"), "#!/bin/sh\n", { mode: 0o755 });
  assert.match((await start(place, line, whole))?.reason ?? "", /not what was trusted/);
});

test("the answer of a program whose file is another one when it has ended does not count, and what it printed is kept", async (t) => {
  const place = trusted(t, '#!/bin/sh\necho "#" >> "$0"\necho allow\n');
  const { how, code, reason, stdout } = (await start(place, { program: place.script })) ?? {};
  assert.deepEqual([how, code, stdout], ["launch", undefined, "allow\n"]);
  assert.match(reason ?? "", /a\.sh was changed while it ran, so its answer does not count/);
});

test("the answer of a persistent program does not count while its file is another one than it was started from", async (t) => {
  const { script, hook } = trusted(t, "#!/bin/sh\n");
  const answer: Reply = { is: "answer", fields: {}, line: "{}", notes: [] };
  const asked = async (during: () => void): Promise<Reply | undefined> => {
    const residents = {
      async ask(question: Question): Promise<Reply> {
        const command = question.command();
        if (typeof command === "string") return { is: "failure", failure: "launch", reason: command, notes: [] };
        during();
        return answer;
      },
    };
    const own = { residents, changed: ({ bound }: Hook) => changedOf(bound) } as unknown as Ports; // no other port is asked
    const question = { command: () => ({ program: script, args: [], cwd: "/", environment: {} }) };
    return verifying(own, hook).residents?.ask(question as unknown as Question); // the program above reads no more
  };
  assert.deepEqual(await asked(() => {}), answer);
  const during = await asked(() => appendFileSync(script, "#"));
  assert.match(during?.is === "failure" ? during.reason : "", /was changed while it ran/);
  const before = await asked(() => {});
  assert.match(before?.is === "failure" ? before.reason : "", /is not what was trusted/);
});

test("[T3] no answer of a script counts that is exchanged before, while or after it runs", async (t) => {
  const folder = temporaryFolder(t);
  const { good, refused, failed, evil } = await race(folder, 40);
  assert.deepEqual(evil, []);
  assert.equal(good + refused + failed, 40);
});
