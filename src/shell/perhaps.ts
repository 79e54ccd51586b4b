/**
 * Programs that nobody here knows and that may run others: `rtk git push`, `aws-vault exec prod -- git push`. Where a word in the
 * place of a command is a program that is known, the rest counts as a command for rules that deny or ask, and for none that allow (R102).
 */
import { baseName } from "../engine/pattern.ts";
import { readPerhaps } from "./code.ts";
import { isTold } from "./effects/programs.ts";
import { there } from "./elsewhere.ts";
import { isUnknown } from "./expand.ts";
import { hasOptions, programOf } from "./programs.ts";
import { type Call, quietly, readLine } from "./shell.ts";

/** What such programs call what they do themselves. Behind `--`, `exec` and the like they are programs. */
const ownCommands: ReadonlySet<string> = new Set(
  "install test link watch host open code fetch view join split patch reboot shutdown halt poweroff kill mount umount time date read wait set unset export type file look stat head tail sort env".split(
    " ",
  ),
);
/** Their words are names of programs, of which they tell something. */
const tells =
  /^(?:say|espeak|notify-send|figlet|cowsay|todo|todo\.sh|tldr|cheat|navi|whatis|apropos|info|help|whereis|pidof|compgen|hookline)$/;
/** What they run is run in a container or on another machine, which has files of its own. */
const runElsewhere =
  /^(?:incus|limactl|lima|colima|orb|orbctl|crictl|ctr|k|kubecolor|k3s|minikube|kind|vagrant|podman-compose|apptainer|singularity|machinectl|pct|nomad|devcontainer|balena|docker-machine|tsh|eb|gh-cs|ansible|ansible-playbook|salt|pdsh|sky|modal)$/;
const runs = /^(?:exec|run|x)$/;
/** `--env=prod`, and what such an option is given: a name. */
const isOption = (word: string): boolean => word.startsWith("-");
const mostFound = 4;

/** Whether anything is known of what it does with its words. */
export function isKnownProgram(name: string): boolean {
  const row = programOf(name);
  const { wraps, isShell, isOpaque, isEditor, code } = row;
  return (wraps ?? isShell ?? isOpaque ?? isEditor ?? code) !== undefined || hasOptions(row) || isTold(name);
}

/** @param isNamed a person has said that it runs others: then every word may begin a command */
export function lookThrough(words: readonly string[], call: Call, isNamed: boolean): void {
  const { reading } = call;
  const program = baseName(words[0] ?? "");
  if (!isNamed && (call.isPerhaps || tells.test(program))) return;
  const isElsewhere = runElsewhere.test(program);
  const isKnown = isKnownProgram(program) && !isNamed;
  const places = isElsewhere ? placeThere(words) : placesIn(words, isNamed, isKnown);
  const lines = isKnown || isElsewhere ? [] : linesAmong(words);
  const where = isElsewhere ? there(call) : call;
  if (places.length > 0 || lines.length > 0)
    quietly(reading, () => {
      for (const at of places.slice(0, mostFound))
        reading.command(words.slice(at), { ...where, direct: false, isPerhaps: true, source: words.join(" ") });
      for (const line of lines) readLine(line, { ...call, direct: false, isPerhaps: true });
    });
  if (!call.isPerhaps && !isElsewhere && !isTold(program)) readPerhaps(words, call);
}

/** `limactl shell vm git push`: options and names of machines stand between what runs and the program. */
function placeThere(words: readonly string[]): number[] {
  const from = words.findIndex((word) => /^(?:--|exec|run|x|shell|ssh|enter)$/.test(word));
  const start = from < 0 && /^(?:lima|orb)$/.test(baseName(words[0] ?? "")) ? 0 : from;
  const at = words.findIndex(
    (word, at) => start >= 0 && at > start && /^\w/.test(word) && isKnownProgram(baseName(word)),
  );
  return at < 0 || isUnknown(words[at] ?? "") ? [] : [at];
}

/** @param isKnown it has no command of its own behind `--` alone */
function placesIn(words: readonly string[], isNamed: boolean, isKnown: boolean): number[] {
  const found: number[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (
      isOption(word) ||
      isUnknown(word) ||
      word === "." ||
      !/^[\w./+-]+$/.test(word) ||
      !isKnownProgram(baseName(word))
    )
      continue;
    const before = words[at - 1] ?? "";
    const isBehind =
      before === "--" ||
      (!isKnown && (runs.test(before) || (words[at - 2] === "exec" && !isKnownProgram(baseName(before)))));
    // Alone, or by a name that such programs have for what they do themselves, it is as likely none.
    const isPlaced = !isKnown && at < words.length - 1 && !ownCommands.has(word) && !runs.test(word);
    if (isNamed || isBehind || isPlaced) found.push(at);
    if (isBehind && !isNamed) break;
  }
  return found;
}

/** `pm2 start 'git push'`, `pueue add -- 'git push'`: one word that is a line. */
function linesAmong(words: readonly string[]): string[] {
  const program = baseName(words[0] ?? "");
  return words.flatMap((word, at) => {
    const isLine = at > 0 && /^[\w./+-]+\s+\S/.test(word) && !isUnknown(word);
    if (!isLine || !isKnownProgram(baseName(/^\S+/.exec(word)?.[0] ?? ""))) return [];
    const operands = words.slice(1, at);
    return takesLines.test(program) || operands.includes("--") || operands.some((one) => starts.test(one)) ? word : [];
  });
}
const starts = /^(?:exec|run|x|start|spawn|launch|submit|enqueue|bench|shell|exec-env)$/;
/** Queues, benchmarks and watchers: their operands are lines. */
const takesLines =
  /^(?:pueue|pm2|poop|bench|tsp?|nq|watchexec|reflex|retry|multitime|forever|nohup-run|tmuxp|mprocs|overmind)$/;
