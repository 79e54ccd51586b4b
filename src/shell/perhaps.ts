/**
 * Programs that nobody here knows and that may run others: `rtk git push`, `aws-vault exec prod -- git push`. Where a word in the
 * place of a command is a program that is known, the rest counts as a command for rules that deny or ask, and for none that allow (R102).
 */
import { baseName } from "../engine/pattern.ts";
import { programs as withEffects } from "./effects/programs.ts";
import { maybe, there } from "./elsewhere.ts";
import { isUnknown } from "./expand.ts";
import { optionRows } from "./program-options.ts";
import { programOf } from "./programs.ts";
import type { Call } from "./shell.ts";

/** What such programs call what they do themselves. Behind `--`, `exec` and the like they are programs. */
const ownCommands: ReadonlySet<string> = new Set(
  "install test link watch host open code fetch view join split patch reboot shutdown halt poweroff kill mount umount time date read wait set unset export type file look stat head tail sort env".split(
    " ",
  ),
);
/** Their words are names of programs, of which they tell something. */
const tells = /^(?:tldr|cheat|navi|whatis|apropos|info|help|whereis|pidof|compgen|hookline)$/;
/** What they run is run in a container or on another machine, which has files of its own. */
const runElsewhere =
  /^(?:incus|limactl|lima|colima|orb|orbctl|crictl|ctr|k|kubecolor|k3s|minikube|kind|vagrant|podman-compose|apptainer|singularity|machinectl|pct|nomad|devcontainer|balena|docker-machine|tsh|eb|gh-cs|ansible|ansible-playbook|salt|pdsh|sky|modal)$/;
const runs = /^(?:exec|run|x)$/;
/** `--env=prod`, and what such an option is given: a name. */
const isOption = (word: string): boolean => word.startsWith("-");
const mostFound = 4;

/** Whether anything is known of what it does with its words. */
export function isKnownProgram(name: string): boolean {
  const { wraps, isShell, isOpaque, isEditor, code, lines } = programOf(name);
  const has = wraps ?? isShell ?? isOpaque ?? isEditor ?? code ?? lines;
  return has !== undefined || Object.hasOwn(withEffects, name) || optionRows.has(name);
}

/** @param isNamed a person has said that it runs others: then every word may begin a command */
export function lookThrough(words: readonly string[], call: Call, isNamed: boolean): void {
  const { reading } = call;
  const program = baseName(words[0] ?? "");
  if (!isNamed && (call.isPerhaps || tells.test(program))) return;
  const place = runElsewhere.test(program) ? there(call) : call;
  // It may be no program at all: that it cannot be read is no reason to ask.
  maybe(call, () => {
    for (const at of (place === call ? placesIn(words, isNamed) : placeThere(words)).slice(0, mostFound))
      reading.command(words.slice(at), { ...place, direct: false, isPerhaps: true, source: words.join(" ") });
  });
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

function placesIn(words: readonly string[], isNamed: boolean): number[] {
  const found: number[] = [];
  const first = words.findIndex((word, at) => at > 0 && !isOption(word));
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isOption(word) || isUnknown(word) || !/^[\w./+-]+$/.test(word)) continue;
    const before = words[at - 1] ?? "";
    const isBehind =
      before === "--" || runs.test(before) || (words[at - 2] === "exec" && !isKnownProgram(baseName(before)));
    // Alone it is as likely a name that the program knows.
    const isFirst = at === first && at < words.length - 1 && !ownCommands.has(word);
    if (
      (isNamed || isBehind || isFirst) &&
      isKnownProgram(baseName(word)) &&
      !(isFirst && !isBehind && runs.test(word))
    )
      found.push(at);
    if (found.length > 0 && !isNamed) break;
  }
  return found;
}
