#!/usr/bin/env node
// Starts Hookline: from source in a clone, from dist in the package. Plain JavaScript that any Node can parse, because
// it also has to speak to people (and agents) whose Node is too old: in a clone it then starts the one from tools/node.
// An import of node:fs would load its streams and promises too: 5 ms at each start. Old Nodes have no other way.
const load = process.getBuiltinModule ?? ((name) => import(name));
const fs = await load("node:fs");
const { existsSync, mkdirSync, realpathSync } = fs;
const nodeModule = await load("node:module");
const { dirname, isAbsolute, join } = await load("node:path");
const { fileURLToPath, pathToFileURL } = await load("node:url");

const bin = realpathSync(fileURLToPath(import.meta.url));
const root = dirname(dirname(bin));
const source = join(root, "src", "hosts", "cli", "main.ts");
const inClone = existsSync(source);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isNewEnough = major >= 24 || (major === 22 && minor >= 23 && !inClone);

if (isNewEnough) {
  process.env.HOOKLINE_BIN = bin;
  const asksForHelp = process.argv.includes("--help") || process.argv.includes("-h");
  const isHook = process.argv[2] === "hook" && !asksForHelp;
  const entry = inClone ? source : join(root, "dist", isHook ? "hook.cjs" : "main.js");
  if (!existsSync(entry)) await fail(`${entry} is missing`, "install Hookline again");
  else if (isHook && !inClone)
    await runHook(entry).catch((error) => fail(`${entry} is damaged: ${error}`, "install Hookline again"));
  else await loadModule(entry);
} else {
  const { spawn } = await import("node:child_process");
  const own = ["x64", "arm64"].map((name) => join(root, "node_modules", `node-linux-${name}`, "bin", "node"));
  const node = own.find((path) => path.includes(process.arch) && existsSync(path));
  if (node) {
    const child = spawn(node, [bin, ...process.argv.slice(2)], { stdio: "inherit" });
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    const pass = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    child.on("exit", (code, signal) => {
      for (const one of signals) process.off(one, pass);
      // An agent reads other codes than 0 and 2 in its own way (R59): a hook that was killed has not answered.
      if (signal && process.argv[2] !== "hook") process.kill(process.pid, signal);
      else process.exit(signal ? 0 : (code ?? 3));
    });
    child.on("error", (error) => fail(error.message));
  } else await fail(`this is Node ${process.versions.node}`);
}

/** @param {string} path */
function loadModule(path) {
  const folder = codeFolder();
  if (folder) nodeModule.enableCompileCache?.(folder); // never throws
  return import(pathToFileURL(path).href);
}

// The hot command is a script and no module: of a script that has run V8 gives back all that it compiled. Node keeps of a
// module what was compiled before it ran; to compile the functions that an event runs takes 8 ms at each start.
/** @param {string} path */
async function runHook(path) {
  const { Script } = await load("node:vm");
  const text = fs.readFileSync(path, "utf8");
  const build = text.slice(2, text.indexOf("\n")); // the first line is a comment that names it
  const folder = codeFolder();
  const file = folder && join(folder, `hook-${process.version}-${process.arch}-${build}-${nodeName()}`);
  const kept = file ? readCode(file) : undefined;
  const script = new Script(text, { filename: path, ...(kept && { cachedData: kept.code }) });
  const times = kept && script.cachedDataRejected ? 3 : (kept?.times ?? 0);
  // Another event may run functions that none before it has run, so it is kept again, ever more rarely. What V8 refuses
  // may be another's that fits there, so that is not replaced at once.
  if (file && Math.random() < 2 ** -times) process.once("exit", () => keepCode(file, script, Math.min(times + 1, 9)));
  await script.runInThisContext()((part) => loadModule(join(root, "dist", part)));
}

// V8 refuses the code of a Node that was started with other flags: each has its own file, or they would take turns in one.
function nodeName() {
  const words = [process.execPath, ...process.execArgv, process.env.NODE_OPTIONS].join("\0");
  let sum = 0;
  for (let at = 0; at < words.length; at++) sum = Math.imul(sum ^ words.charCodeAt(at), 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, "0");
}

// V8 dies of damaged code, as it looks only at the code's head. So the code stands twice in the file and is run if both
// are the same: to compare them takes 0.2 ms, a sum in JavaScript that is not yet compiled 2 ms, as does loading node:zlib.
/** @param {string} file */
function readCode(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let descriptor;
  try {
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK); // a pipe there would be waited for
    const { mode, uid } = fs.fstatSync(descriptor);
    if (process.getuid && (uid !== process.getuid() || (mode & 0o177777) !== 0o100600)) return undefined; // it is run
    const bytes = fs.readFileSync(descriptor);
    const length = (bytes.length - 1) / 2;
    const times = (bytes.at(-1) ?? 0) - 48;
    if (!Number.isInteger(length) || length < 1 || times < 1 || times > 9) return undefined;
    const code = bytes.subarray(0, length);
    return code.equals(bytes.subarray(length, -1)) ? { code, times } : undefined;
  } catch {
    return undefined; // not there, or not readable
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

// It is on disk before it has its name.
/** @param {string} file @param {import("node:vm").Script} script @param {number} times */
function keepCode(file, script, times) {
  const temporary = `${file}.${process.pid}`;
  try {
    const code = script.createCachedData();
    const bytes = Buffer.concat([code, code, Buffer.from(String(times))]);
    fs.writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx", flush: true });
    fs.renameSync(temporary, file);
    removeLeftovers(dirname(file));
  } catch {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // a full disk, a read-only home: the next start compiles anew
    }
  }
}

// What a writer that was killed has left, and the code of builds and Nodes of long ago.
/** @param {string} folder */
function removeLeftovers(folder) {
  const now = Date.now();
  const files = fs
    .readdirSync(folder)
    .filter((name) => name.startsWith("hook-"))
    .map((name) => ({ path: join(folder, name), age: now - fs.statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => one.age - other.age);
  const isHalf = ({ path }) => /\.\d+$/.test(path);
  const halves = files.filter((file) => isHalf(file) && file.age > 60_000);
  const old = files.filter((file) => !isHalf(file)).slice(8);
  for (const { path } of [...halves, ...old]) fs.rmSync(path, { force: true });
}

// A relative one does not count: what runs from it would be a file of whatever repository is worked in.
function absoluteState() {
  const { XDG_STATE_HOME } = process.env;
  return XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : undefined;
}

// In the user's own folder: the usual place for it is one that other users of the machine may write to.
function codeFolder() {
  const { HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const state = absoluteState();
  if (NODE_DISABLE_COMPILE_CACHE || !(state || HOME)) return undefined;
  const folder = join(state || join(HOME, ".local", "state"), "hookline", "code");
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.statSync(folder);
    return process.getuid && (uid !== process.getuid() || mode & 0o022) ? undefined : folder;
  } catch {
    return undefined; // a home that cannot be written: each start compiles anew
  }
}

/** @param {string} what */
async function fail(what, advice = "use Node 24 (or 22.23 and later), or run npm ci in the clone") {
  const commit = process.argv[2] === "git" && process.argv[3] === "run";
  const way = commit ? "; the commit is refused until then, unless it is made with git commit --no-verify" : "";
  const sentence = `${what} — ${bin} — ${advice}${way}`;
  // An agent reads every other code in its own way (R59): a hook that cannot start blocks where a guard was active.
  if (process.argv[2] === "hook") process.exit(await goneCode(sentence));
  process.stderr.write(`hookline: ${sentence}\n`);
  process.exit(3);
}

// What install has left for this answers: it reads which guards were active. Where that is gone too, the registered line knows.
/** @param {string} sentence */
async function goneCode(sentence) {
  const { HOME } = process.env;
  const gone = join(absoluteState() || join(HOME || "/", ".local", "state"), "hookline", "gone.sh");
  if (existsSync(gone)) {
    const { spawnSync } = await import("node:child_process");
    const words = [gone, ...process.argv.slice(2), `--because=${sentence}`];
    return spawnSync("/bin/sh", words, { stdio: "inherit" }).status === 0 ? 0 : 2;
  }
  const isGuarded = process.argv.includes("--guarded");
  process.stderr.write(
    `hookline: ${sentence}${isGuarded ? "; a guard is active for this event, so it is blocked" : ""}\n`,
  );
  return isGuarded ? 2 : 0;
}
