/** What holds for every process that stays and is asked, by its standard streams or by a line apart: one bash answers whatever it is told. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import type { StartPipedProcess } from "../../../src/engine/program.ts";
import {
  type Asker,
  createDialogue,
  type Dialogue,
  type DialogueEnd,
  type DialogueOptions,
  type Settled,
} from "../../../src/runtime/processes/dialogue.ts";
import { startApart, startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { goes } from "./gone.ts";
import { isRunning, PATH } from "./running.ts";

/** Reads "ID WORD" a line, and answers "ID TEXT". */
const program = `while read -r id word <&"$1"; do case $word in
  keep) kept="$id $kept" ;;
  all) for one in $id $kept; do echo "$one heard" >&"$2"; done; kept= ;;
  twice) echo "$id once" >&"$2"; echo "$id again" >&"$2" ;;
  garbage) echo "no answer" >&"$2" ;;
  flood) head -c 3000000 /dev/zero | tr '\\0' x >&"$2" ;;
  crash) echo "out of luck" >&2; exit 3 ;;
  bye) echo "$id bye" >&"$2"; exit 0 ;;
  child) sleep 600 >&2 & echo "$id $!" >&"$2" ;;
  *) echo "$id $word" >&"$2" ;;
esac; done`;

interface Way {
  start: StartPipedProcess;
  streams: readonly [from: string, to: string];
}
const ways: Readonly<Record<string, Way>> = {
  "its standard streams": { start: startPipedProcess, streams: ["0", "1"] },
  "a line apart": { start: startApart, streams: ["3", "3"] },
};

interface Talk {
  dialogue: Dialogue<string, Asker<string>>;
  ask(word: string): Promise<Settled<string>> & { asker: Asker<string> };
  end: Promise<DialogueEnd>;
}

async function talk(t: TestContext, way: Way, options: Partial<DialogueOptions<string>> = {}): Promise<Talk> {
  const args = ["--norc", "-c", program, "bash", ...way.streams];
  const child = await way.start({ program: "bash", args, cwd: tmpdir(), environment: { PATH } });
  t.after(() => child.end());
  const ended = Promise.withResolvers<DialogueEnd>();
  const dialogue = createDialogue<string, Asker<string>>({
    ...{ child, idle: 600, stray: "ends it", ended: ended.resolve },
    read(line) {
      const [, id, answer] = /^(\d+) (.*)$/.exec(line) ?? [];
      return id === undefined || answer === undefined ? `it wrote what is no answer: ${line}` : { id, answer };
    },
    ...options,
  });
  return {
    dialogue,
    end: ended.promise,
    ask(word) {
      const { promise, resolve } = Promise.withResolvers<Settled<string>>();
      const asker: Asker<string> = { settle: resolve };
      dialogue.send(asker, (id) => `${id} ${word}\n`);
      return Object.assign(promise, { asker });
    },
  };
}

/** What came of a question, in a few words. */
const said = async (settled: Promise<Settled<string>>): Promise<string> => {
  const done = await settled;
  return done.is === "answer" ? done.answer : `${done.failure}: ${done.reason}`;
};

for (const [what, way] of Object.entries(ways)) {
  test(`by ${what}: answers may come in any order, and each reaches its own question`, async (t) => {
    const { ask, dialogue } = await talk(t, way);
    const all = [ask("keep"), ask("one"), ask("keep"), ask("all"), ask("two")];
    assert.deepEqual(await Promise.all(all.map(said)), ["heard", "one", "heard", "heard", "two"]);
    assert.deepEqual([dialogue.asked(), dialogue.underWay()], [5, 0]);
  });

  test(`by ${what}: a crash fails what is under way with its last words, and later questions at once`, async (t) => {
    const { ask, end } = await talk(t, way);
    const [kept, crashed] = await Promise.all([ask("keep"), ask("crash")]);
    for (const one of [kept, crashed])
      assert.deepEqual(one, {
        ...{ is: "failure", failure: "exit", reason: "it ended with exit code 3 before it answered" },
        stderr: "out of luck",
      });
    assert.equal((await end).isClean, false);
    assert.match(await said(ask("one")), /^exit: it ended with exit code 3/);
  });

  test(`by ${what}: a line that is no answer, is too long, or answers twice ends it`, async (t) => {
    const reasons: Readonly<Record<string, string>> = {
      garbage: "output: it wrote what is no answer: no answer",
      flood: "output: it wrote a line of more than 1048576 bytes",
      twice: 'output: it answered a question that was not asked: "2 again"',
    };
    for (const [word, reason] of Object.entries(reasons)) {
      const { ask, dialogue, end } = await talk(t, way);
      const [kept] = [ask("keep"), ask(word)];
      assert.equal(await said(kept), reason);
      assert.ok(dialogue.isOver());
      await (await end).gone;
    }
  });

  test(`by ${what}: an answer that is not waited for any more is dropped where that is no fault`, async (t) => {
    const { ask, dialogue } = await talk(t, way, { stray: "is dropped" });
    const kept = ask("keep");
    dialogue.forget(kept.asker);
    assert.equal(dialogue.underWay(), 0);
    assert.equal(await said(ask("all")), "heard");
    assert.equal(await said(ask("twice")), "once");
    assert.equal(await said(ask("one")), "one");
  });

  test(`by ${what}: one that retires answers what it has; one that rests too long is ended; one that goes with nothing under way is no failure`, async (t) => {
    const retiring = await talk(t, way);
    const kept = retiring.ask("keep");
    retiring.dialogue.retire("its files have changed");
    assert.equal(await said(retiring.ask("all")), "heard");
    assert.equal(await said(kept), "heard");
    const { isClean, reason } = await retiring.end;
    assert.deepEqual([isClean, reason], [true, "its files have changed"]);
    const resting = await talk(t, way, { idle: 0.05 });
    assert.equal((await resting.end).reason, "no event used it for 0.05 s");
    const leaving = await talk(t, way);
    assert.equal(await said(leaving.ask("bye")), "bye");
    assert.deepEqual([(await leaving.end).isClean, (await leaving.end).answered], [true, 1]);
  });

  test(`by ${what}: ended over one question, it fails the others as such, and nothing of it is left`, async (t) => {
    const { ask, dialogue, end } = await talk(t, way);
    const child = Number(await said(ask("child")));
    const [first, second] = [ask("keep"), ask("keep")];
    dialogue.end("timeout", "it did not answer within 1 s", second.asker);
    assert.equal(await said(first), "error: it was ended: it did not answer within 1 s to another event");
    assert.equal(await said(second), "timeout: it did not answer within 1 s");
    await (await end).gone;
    assert.ok(await goes(child));
    assert.equal(isRunning(dialogue.pid), false);
  });
}

test("what is printed beside a line apart is no answer, and one that closes its line is ended", async (t) => {
  const started = await startApart({
    ...{ program: "bash", args: ["--norc", "-c", "echo 1 printed; exec 3>&- 3<&-; sleep 600"] },
    ...{ cwd: tmpdir(), environment: { PATH } },
  });
  t.after(() => started.end());
  let answered = "";
  started.onOutput((chunk) => {
    answered += String(chunk);
  });
  assert.equal(await started.ended, "it closed its line to Hookline");
  assert.deepEqual([answered, started.complaints()], ["", "1 printed"]);
});
