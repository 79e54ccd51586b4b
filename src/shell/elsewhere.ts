/** Programs that run a command on another machine or in a container: what runs there is known, the folder and the home are not. */
import { blanks, isUnknown } from "./expand.ts";
import { readOptions } from "./options.ts";
import { type Call, quietly, readLine } from "./shell.ts";

type Words = readonly string[];

interface Elsewhere {
  /** Sub-commands that run something, each with its options as in programs.ts; "": the program itself. */
  runs: Readonly<Record<string, string>>;
  /** How many operands stand before the command: the host, the image. */
  before: number;
  /** The operands are a line, as ssh sends them; else they are words. */
  isLine?: true;
  /** The command stands behind `--` alone. */
  afterDashes?: true;
}

const ofContainer =
  "d i t T P --rm --detach --interactive --tty --init --privileged --read-only --no-healthcheck --publish-all --no-deps --service-ports --build --use-aliases --quiet-pull " +
  "a: c: e: h: l: m: p: u: v: w: --add-host= --attach= --cap-add= --cap-drop= --cpus= --cpuset-cpus= --device= --detach-keys= --dns= --entrypoint= --env= --env-file= --expose= --gpus= --group-add= --hostname= --index= --ip= --ipc= --label= --link= --log-driver= --log-opt= --mac-address= --memory= --mount= --name= --net= --network= --network-alias= --pid= --platform= --publish= --pull= --restart= --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --user= --userns= --uts= --volume= --volumes-from= --workdir=";
const ofCompose =
  "f: p: --file= --project-name= --profile= --env-file= --project-directory= --ansi= --progress= --parallel=";
const ofPod =
  "i t q c: f: n: --stdin --tty --quiet --container= --namespace= --context= --filename= --pod-running-timeout= --kubeconfig= --cluster= --user=";

const containers: Elsewhere = {
  runs: {
    exec: ofContainer,
    run: ofContainer,
    "compose exec": ofContainer,
    "compose run": ofContainer,
    "container exec": ofContainer,
    "container run": ofContainer,
  },
  before: 1,
};
const remote: Elsewhere = {
  runs: {
    "": "4 6 A a C f G g K k M N n q s T t V! v X x Y y B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: p: P: Q: R: S: W: w:",
  },
  before: 1,
  isLine: true,
};
const table: { readonly [program: string]: Elsewhere } = {
  ssh: remote,
  autossh: { ...remote, runs: { "": `${remote.runs[""]} 1 M:` } },
  docker: containers,
  podman: containers,
  nerdctl: containers,
  "docker-compose": { runs: { exec: ofContainer, run: ofContainer }, before: 1 },
  kubectl: { runs: { exec: ofPod }, before: 1, afterDashes: true },
  oc: { runs: { exec: ofPod, rsh: ofPod }, before: 1, afterDashes: true },
  lxc: { runs: { exec: "" }, before: 1, afterDashes: true },
  multipass: { runs: { exec: "" }, before: 1, afterDashes: true },
  heroku: { runs: { run: "a: r: e: s: x --app= --remote= --env= --size= --exit-code --no-tty --type=" }, before: 0 },
};

/** Options whose value is a line for the other side: `gcloud compute ssh host --command 'ls'`. */
const lineOptions: { readonly [program: string]: RegExp } = {
  gcloud: /^--command(?:=|$)/,
  vagrant: /^(?:-c|--command)(?:=|$)/,
  fly: /^(?:-C|--command)(?:=|$)/,
  flyctl: /^(?:-C|--command)(?:=|$)/,
};

/** The folder and the variables of this machine say nothing there. */
export function there(call: Call): Call {
  const shell = { ...call.shell, variables: new Map([["IFS", blanks]]), functions: new Map() };
  return { ...call, shell, direct: false, folder: undefined };
}

/** Words of options that this table does not know end the reading: what runs there is then not looked at. */
function runThere(words: Words, call: Call): void {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  if (row === undefined) return;
  const [sub, options, from] = subcommandOf(row, rest);
  if (options === undefined) return;
  const dashes = rest.indexOf("--");
  if (row.afterDashes && dashes > 0) {
    runWords(rest.slice(dashes + 1), sub, call);
    return;
  }
  const { given, rest: operands, fault, stops } = readOptions([sub, ...rest.slice(from)], options);
  if (fault !== undefined || stops) return;
  const behind = operands.slice(row.before);
  const entry = given.findLast((one) => one.name === "--entrypoint")?.value;
  const inner = entry ? [entry, ...behind] : behind;
  // A shell there reads what this one is given.
  if (inner.length === 0 && row.isLine && typeof call.input === "object") readLine(call.input.text, there(call));
  if (inner.length === 0) return;
  const image = /\brun$/.test(sub) && !entry ? /([\w.-]+)(?:[:@].*)?$/.exec(operands[0] ?? "")?.[1] : undefined;
  if (image !== undefined) quietly(call.reading, () => runWords([image, ...inner], sub, { ...call, isPerhaps: true }));
  const line = inner.join(" ");
  // What nobody can tell runs there, not here: rules about this machine do not hold for it.
  if (row.isLine && !isUnknown(line)) readLine(line, there(call));
  else if (row.isLine) return;
  else runWords(inner, sub, call);
}

const runWords = (words: Words, source: string, call: Call): void => {
  if (words.length > 0 && !/[\0*?[]/.test(words[0] ?? "")) call.reading.command(words, { ...there(call), source });
};

/** @returns its name, its options, and where the words behind it begin */
function subcommandOf({ runs }: Elsewhere, words: Words): [string, string | undefined, number] {
  if (runs[""] !== undefined) return ["", runs[""], 0];
  const own = readOptions(
    ["", ...words],
    `${ofCompose} H: l: D --debug --host= --log-level= --config= --context= n: --namespace= --kubeconfig=`,
  );
  const [first = "", second = ""] = own.rest;
  const at = words.indexOf(first);
  if (Object.hasOwn(runs, first)) return [first, runs[first], at + 1];
  if (first !== "compose" && first !== "container") return ["", undefined, 0];
  const inner = readOptions(["", ...words.slice(at + 1)], ofCompose).rest[0] ?? second;
  const name = `${first} ${inner}`;
  return Object.hasOwn(runs, name) ? [name, runs[name], words.indexOf(inner, at + 1) + 1] : ["", undefined, 0];
}

function runLines(words: Words, call: Call): void {
  const option = lineOptions[words[0] ?? ""];
  for (const [index, word] of words.entries()) {
    if (!option?.test(word)) continue;
    const equals = word.indexOf("=");
    readLine(equals > 0 ? word.slice(equals + 1) : (words[index + 1] ?? ""), there(call));
  }
}

export const elsewhere: ReadonlyMap<string, (words: Words, call: Call) => void> = new Map([
  ...Object.keys(table).map((name) => [name, runThere] as const),
  ...Object.keys(lineOptions).map((name) => [name, runLines] as const),
]);
