/** The queue of what others send: told by turns of the event loop and by counts, never by time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLines, type Line } from "../../../src/files/lines.ts";
import { largestInBytes } from "../../../src/hosts/daemon/ingest.ts";
import { createIngestQueue, type Source, usualBounds } from "../../../src/hosts/daemon/ingest-queue.ts";

/** A clock on which every event takes a millisecond. */
function world(bounds: Partial<typeof usualBounds> = {}) {
  let time = 0;
  const turns: (() => void)[] = [];
  const queue = createIngestQueue({
    bounds: { ...usualBounds, ...bounds },
    elapsed: () => time,
    nextTurn: (callback) => void turns.push(callback),
  });
  const taken: string[] = [];
  return {
    queue,
    taken,
    /** A sender with so many events; each takes a millisecond. */
    sender(name: string, count: number): Source {
      let left = count;
      return {
        next() {
          if (left === 0) return false;
          left -= 1;
          time += 1;
          taken.push(name);
          return true;
        },
      };
    },
    /** The next turn of the loop; false: none was asked for. */
    turn(): boolean {
      const callback = turns.shift();
      callback?.();
      return callback !== undefined;
    },
  };
}

test("however much is waiting, each turn of the event loop takes one slice of it", () => {
  const { queue, sender, taken, turn } = world({ slice: 4 });
  queue.wake(sender("a", 1_000));
  let turns = 1; // the first slice is taken at once
  for (let before = 0; turn(); turns++) {
    assert.ok(taken.length - before <= 8, `${taken.length - before} events between two turns`);
    before = taken.length;
  }
  assert.equal(taken.length, 1_000);
  assert.ok(turns >= 250, `${turns} turns`);
});

test("a verdict that is asked for while 10,000 events wait is given after one slice of them", async () => {
  let time = 0;
  const queue = createIngestQueue({ bounds: { ...usualBounds, slice: 3 }, elapsed: () => time });
  const seen: string[] = [];
  let left = 10_000;
  setImmediate(() => seen.push("verdict")); // it came in the same turn
  queue.wake({
    next() {
      if (left === 0) return false;
      left -= 1;
      time += 1;
      seen.push("event");
      return true;
    },
  });
  while (left > 0) await new Promise(setImmediate);
  assert.equal(seen.length, 10_001);
  assert.ok(seen.indexOf("verdict") <= 6, `${seen.indexOf("verdict")} events were taken before it`);
});

test("a sender of little does not wait for a sender of much", () => {
  const { queue, sender, taken, turn } = world({ slice: 5 });
  queue.wake(sender("much", 10_000));
  queue.wake(sender("little", 1));
  while (turn()) if (taken.includes("little")) break;
  assert.ok(taken.indexOf("little") <= 64, `${taken.indexOf("little")} events were taken before it`);
});

test("while as many events wait for their hooks as may, no other is begun", async () => {
  const { queue, turn } = world({ undecided: 2 });
  const ends: (() => void)[] = [];
  queue.wake({ next: () => new Promise<void>((resolve) => ends.push(resolve)) });
  while (turn());
  assert.equal(ends.length, 2);
  ends[0]?.();
  await new Promise(setImmediate);
  while (turn());
  assert.equal(ends.length, 3);
  assert.equal(queue.held().undecided, 2);
});

test("it is full at its bounds, and reports when half of it is free", () => {
  const { queue } = world({ events: 10, bytes: 1_000 });
  queue.hold(9, 0);
  assert.equal(queue.isFull(), false);
  queue.hold(1, 0);
  assert.equal(queue.isFull(), true);
  let told = 0;
  queue.whenFree(() => {
    told += 1;
  });
  queue.release(4, 0);
  assert.deepEqual([told, queue.isFull()], [0, false]);
  queue.release(1, 0);
  queue.release(1, 0);
  assert.equal(told, 1);
  queue.hold(0, 1_000);
  assert.equal(queue.isFull(), true);
});

const textsOf = (pieces: readonly (string | Buffer)[], isEnded = true): string[] => {
  const lines = createLines(largestInBytes);
  const found: string[] = [];
  const read = (): void => {
    for (let line = lines.next(); line; line = lines.next()) found.push(named(line));
  };
  for (const piece of pieces) {
    lines.add(Buffer.from(piece));
    read();
  }
  if (isEnded) lines.end();
  read();
  assert.equal(lines.waitingInBytes(), 0);
  return found;
};
const named = (line: Line): string => ("text" in line ? line.text : `!${line.because}`);

test("lines are the same wherever what arrives is cut, also in the middle of a letter", () => {
  const text = '{"a":"ä€😀"}\n\n{"b":2}\r\n  \n{"c":3}';
  const whole = Buffer.from(text);
  const expected = ['{"a":"ä€😀"}', '{"b":2}\r', '{"c":3}'];
  assert.deepEqual(textsOf([whole]), expected);
  for (let size = 1; size < 12; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    assert.deepEqual(textsOf(pieces), expected, `pieces of ${size} bytes`);
  }
});

test("a line that is no UTF-8 is one bad line, and its neighbours are good", () => {
  const broken = Buffer.concat([Buffer.from("good\n"), Buffer.from([0xff, 0xfe]), Buffer.from("\nfine\n")]);
  assert.deepEqual(textsOf([broken]), ["good", "!input_invalid", "fine"]);
});

test("a line beyond the largest size is dropped as it comes in, and what follows it is taken", () => {
  const half = "x".repeat(700_000);
  assert.deepEqual(textsOf(["first\n", half, half, half, "\nlast\n"]), ["first", "!line_too_large", "last"]);
  assert.deepEqual(textsOf([`${half}${half}\nlast`]), ["!line_too_large", "last"]);
});

test("a line's size is that of its bytes, whether it comes whole or in parts, and next to one that is no UTF-8", () => {
  const line = "é".repeat(600_000);
  assert.deepEqual(textsOf([`${line}\nlast`]), ["!line_too_large", "last"]);
  assert.deepEqual(textsOf([line.slice(0, 300_000), line.slice(300_000), "\nlast"]), ["!line_too_large", "last"]);
  const broken = Buffer.concat([Buffer.from(`${line}\n`), Buffer.from([0xff]), Buffer.from("\nlast\n")]);
  assert.deepEqual(textsOf([broken]), ["!line_too_large", "!input_invalid", "last"]);
  assert.deepEqual(
    textsOf([`${"é".repeat(524_288)}\nlast`]).map((text) => text.length),
    [524_288, 4],
  );
});

test("a line whose end has not come is none yet", () => {
  assert.deepEqual(textsOf(['{"a":1}\n{"b"'], false), ['{"a":1}']);
});
