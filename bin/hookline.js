#!/usr/bin/env node
// Starts Hookline: from source in a clone, from dist in the package. Plain JavaScript that any Node can parse, because
// it also has to speak to people (and agents) whose Node is too old: in a clone it then starts the one from tools/node.
// An import of node:fs would load its streams and promises too: 5 ms at each start. Old Nodes have no other way.
const load = process.getBuiltinModule ?? ((name) => import(name));
const { existsSync, mkdirSync, realpathSync } = await load("node:fs");
const nodeModule = await load("node:module");
const { dirname, join } = await load("node:path");
const { fileURLToPath, pathToFileURL } = await load("node:url");

const bin = realpathSync(fileURLToPath(import.meta.url));
const root = dirname(dirname(bin));
const source = join(root, "src", "cli", "main.ts");
const inClone = existsSync(source);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isNewEnough = major >= 24 || (major === 22 && minor >= 23 && !inClone);

if (isNewEnough) {
  keepCompiledCode();
  process.env.HOOKLINE_BIN = bin;
  const asksForHelp = process.argv.includes("--help") || process.argv.includes("-h");
  const isHook = process.argv[2] === "hook" && !asksForHelp;
  const entry = inClone ? source : join(root, "dist", isHook ? "hook.js" : "main.js");
  if (existsSync(entry)) await import(pathToFileURL(entry).href);
  else fail(`${entry} is missing`, "install Hookline again");
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
  } else fail(`this is Node ${process.versions.node}`);
}

// In the user's own folder: the usual place for it is one that other users of the machine may write to.
function keepCompiledCode() {
  const { XDG_STATE_HOME, HOME } = process.env;
  if (!nodeModule.enableCompileCache || !(XDG_STATE_HOME || HOME)) return;
  const state = join(XDG_STATE_HOME || join(HOME, ".local", "state"), "hookline");
  try {
    if (!existsSync(state)) mkdirSync(state, { recursive: true, mode: 0o700 });
    nodeModule.enableCompileCache(join(state, "code"));
  } catch {
    // A home that cannot be written: each start compiles anew.
  }
}

/** @param {string} what */
function fail(what, advice = "use Node 24 (or 22.23 and later), or run npm ci in the clone") {
  const commit = process.argv[2] === "git" && process.argv[3] === "run";
  const way = commit ? "; the commit is refused until then, unless it is made with git commit --no-verify" : "";
  process.stderr.write(`hookline: ${what} — ${bin} — ${advice}${way}\n`);
  // An agent reads every other code in its own way (R59): a hook that cannot start says so and gets out of the way.
  process.exit(process.argv[2] === "hook" ? 0 : 3);
}
