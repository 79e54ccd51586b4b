/** What people see while tests run: a line for each room as it ends, each failure as it comes, and the counts at the end. */
import { relative } from "node:path";
import type { Group } from "./groups.ts";
import type { Performed } from "./perform.ts";
import type { Told } from "./reporter.ts";
import type { Usage } from "./usage.ts";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
/** A test, or all tests of a process that has ended early. */
export interface Failure {
  files: readonly string[];
  name?: string;
}
export interface Screen {
  begin(processes: number): void;
  test(group: Group, told: Told): void;
  ended(group: Group, performed: Performed, milliseconds: number): void;
  failures(): readonly Failure[];
  /** It has passed when it was run alone: it counts as passed, and is named as one that is not steady. */
  passedAlone(failure: Failure): void;
  /** Prints the end of it all and gives the counts. */
  end(usage: Usage): Counts;
}

interface Room extends Counts {
  /** Groups that have not ended. */
  open: number;
  milliseconds: number;
}

export function createScreen(groups: readonly Group[], { root, what }: { root: string; what: string }): Screen {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  let failures: readonly Failure[] = [];
  const unsteady: Failure[] = [];
  const rooms = new Map<string, Room>();
  for (const { room } of groups) {
    const known = rooms.get(room) ?? { passed: 0, failed: 0, skipped: 0, open: 0, milliseconds: 0 };
    rooms.set(room, { ...known, open: known.open + 1 });
  }
  const roomOf = ({ room }: Group): Room => {
    const found = rooms.get(room);
    if (!found) throw new Error(`no group was told of for ${room}`);
    return found;
  };
  const widest = Math.max(...[...rooms.keys()].map((name) => name.length));
  const live = createLive();
  const print = (text: string): void => live.above(text);
  const fail = (group: Group, said: string, failure: Failure): void => {
    total.failed += 1;
    roomOf(group).failed += 1;
    failures = [...failures, failure];
    print(`${said}\n  alone: ${commandOf(failure)}`);
  };
  return {
    begin(processes) {
      const files = groups.reduce((sum, group) => sum + group.files.length, 0);
      print(`${what}: ${counted(files, "file")} in ${counted(rooms.size, "room")}, ${processes} at a time`);
    },
    test(group, { outcome, file, line, name, error = "" }) {
      if (outcome === "suite") return;
      if (outcome === "failed") {
        const path = relative(root, file);
        fail(group, `✖ ${name}\n  ${path}:${line}\n${indented(error)}`, { files: [path], name });
      } else {
        total[outcome] += 1;
        roomOf(group)[outcome] += 1;
      }
      live.show(`${total.passed} passed, ${total.failed} failed`);
    },
    ended(group, { ended, said }, milliseconds) {
      if (ended !== undefined) {
        const last = said.split("\n").slice(-40).join("\n");
        fail(group, `✖ a process of tests ended early: ${ended}\n${indented(last)}`, { files: group.files });
      }
      const room = roomOf(group);
      room.open -= 1;
      room.milliseconds += milliseconds;
      if (room.open === 0) print(lineOf(group.room.padEnd(widest), room));
    },
    failures: () => failures,
    passedAlone(failure) {
      failures = failures.filter((one) => one !== failure);
      unsteady.push(failure);
      total.failed -= 1;
      total.passed += 1;
    },
    end({ seconds, processorSeconds, started }) {
      live.clear();
      const list = (title: string, of: readonly Failure[]): void => {
        if (of.length > 0) print(`\n${title}:\n${of.map(commandOf).join("\n")}`);
      };
      list("Not steady, passed when run alone", unsteady);
      list("Failed, each with the command that runs it alone", failures);
      const used = [
        `${durationOf(seconds)} of time`,
        ...(processorSeconds === undefined ? [] : [`${durationOf(processorSeconds)} of processor time`]),
        ...(started === undefined ? [] : [`${started.toLocaleString("en")} processes and threads started`]),
      ];
      print(`\n${used.join(", ")}`);
      print(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
      return total;
    },
  };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function lineOf(name: string, { passed, failed, skipped, milliseconds }: Room): string {
  const mark = failed > 0 ? "✖" : "✔";
  const tests = `${passed} passed${failed > 0 ? `, ${failed} failed` : ""}${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return `${mark} ${name} ${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${tests}`;
}

const durationOf = (seconds: number): string =>
  seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")} min`;

const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");

const commandOf = ({ files, name }: Failure): string =>
  `npm test -- ${files.join(" ")}${name === undefined ? "" : ` --name ${quoted(name)}`}`;

/** For the shell that a person types it in. */
const quoted = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`;

/** One line at the foot of a terminal; elsewhere there is none. */
function createLive(): { show(text: string): void; above(text: string): void; clear(): void } {
  const { stdout } = process;
  let shown = false;
  const clear = (): void => {
    if (shown) stdout.write("\r\x1b[K");
    shown = false;
  };
  return {
    clear,
    show(text) {
      if (!stdout.isTTY) return;
      stdout.write(`\r\x1b[K${text}`);
      shown = true;
    },
    above(text) {
      clear();
      stdout.write(`${text}\n`);
    },
  };
}
