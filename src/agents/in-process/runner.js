/**
 * What our own files in agents have in common: it runs a registered line for an event and reads the answer, in Node and Bun. It stands
 * in each of them in place of their import, and names nothing of Hookline's but what stands in the lines.
 */
import { spawn, spawnSync } from "node:child_process";

/** By event: the line for sh, and whether a guard waited for it when this was written. */
const lines = __LINES__;
const limit = __LIMIT__;
const continuationMark = __CONTINUATION_MARK__;
/** By its whole path: what PATH names may lie in the project. */
const shell = process.platform === "win32" ? "sh" : "/bin/sh";
const longest = 64 * 1024 * 1024;
/** After the line's end its output may still be on the way, or held open for ever by what it has left behind. */
const outputWithin = 1000;

/** Running lines that nobody may be left with when the agent ends. */
const running = new Set();
const endAll = () => running.forEach(endTree);

function begins(child) {
  if (running.size === 0) process.on("exit", endAll);
  running.add(child);
}
function ends(child) {
  if (running.delete(child) && running.size === 0) process.off("exit", endAll);
}

function endTree(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

/** Runs the line of an event with a payload. Never rejects, never throws. {} is: carry on. */
function ask(event, payload, { cwd, environment = {} }) {
  const registered = Object.hasOwn(lines, event) ? lines[event] : undefined;
  if (!registered) return Promise.resolve({});
  return new Promise((resolve) => {
    let timer;
    let late;
    let child;
    const end = (reply) => {
      clearTimeout(timer);
      clearTimeout(late);
      ends(child);
      resolve(reply);
    };
    const fail = (why) => end(failed(registered, why));
    try {
      child = spawn(shell, ["-c", registered.line], {
        cwd,
        env: { ...process.env, ...environment },
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
      });
      if (event !== "SessionEnd") begins(child);
      timer = setTimeout(() => {
        endTree(child);
        fail("it did not answer in time");
      }, limit);
      const [out, error] = [collected(child.stdout), collected(child.stderr)];
      child.on("error", (problem) => fail(`it cannot be started: ${problem.message}`));
      const read = (code, signal) => {
        if (code === null) fail(`it was ended by ${signal}`);
        else end(replyIn(registered, { code, out: out(), error: error() }));
      };
      child.on("close", read);
      child.on("exit", (code, signal) => {
        late = setTimeout(read, outputWithin, code, signal);
      });
      child.stdin.on("error", () => {}); // it may answer without reading
      child.stdin.end(JSON.stringify(payload));
    } catch (problem) {
      if (child) endTree(child);
      fail(`it cannot be started: ${problem.message}`);
    }
  });
}

/** The same where the agent waits for no promise. Nothing else runs meanwhile: only for an agent that nobody sits before. */
function askAtOnce(event, payload, { cwd, environment = {} }) {
  const registered = Object.hasOwn(lines, event) ? lines[event] : undefined;
  if (!registered) return {};
  const {
    pid,
    error: problem,
    status,
    signal,
    stdout,
    stderr,
  } = spawnSync(shell, ["-c", registered.line], {
    cwd,
    env: { ...process.env, ...environment },
    input: JSON.stringify(payload),
    encoding: "utf8",
    timeout: limit,
    killSignal: "SIGKILL",
    maxBuffer: longest,
    detached: true,
  });
  // A line need not read its payload before it ends.
  const isTrouble = problem && !(problem.code === "EPIPE" && status !== null);
  if (isTrouble && pid) endTree({ pid, kill() {} });
  if (isTrouble) return failed(registered, problem.message);
  if (status === null) return failed(registered, `it was ended by ${signal}`);
  return replyIn(registered, { code: status, out: stdout, error: stderr });
}

function collected(stream) {
  const pieces = [];
  let length = 0;
  stream.on("data", (piece) => {
    length += piece.length;
    if (length <= longest) pieces.push(piece);
  });
  stream.on("error", () => {});
  return () => (length > longest ? undefined : Buffer.concat(pieces).toString("utf8"));
}

function replyIn(registered, { code, out, error = "" }) {
  if (code === 2) return { deny: error.trim() || "a hook refused this" };
  if (code !== 0) return failed(registered, `it ended with code ${code}${error.trim() && `: ${error.trim()}`}`);
  const note = error.trim() === "" ? {} : { note: error.trim() };
  if (out !== undefined && out.trim() === "") return note;
  try {
    const reply = JSON.parse(out);
    if (typeof reply === "object" && reply !== null && !Array.isArray(reply)) return { ...reply, ...note };
  } catch {
    // it is answered as any other that cannot be read
  }
  return failed(registered, "its answer cannot be read");
}

function failed({ guarded }, why) {
  const said = `hookline: the line that hookline install has registered does not work, ${why}`;
  return guarded ? { deny: `${said}; a guard is active for this event, so it is blocked` } : { note: said };
}

const isText = (value) => typeof value === "string" && value !== "";
const isFields = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What was there becomes what is to be there, in the same object: the agent keeps that one. */
function replaceIn(target, fields) {
  for (const key of Object.keys(target)) if (!Object.hasOwn(fields, key)) delete target[key];
  Object.assign(target, fields);
}

/** The same sentence is said once. */
const said = new Set();
const firstTime = (text) => {
  if (said.has(text)) return false;
  said.add(text);
  return true;
};

export { ask, askAtOnce, continuationMark, firstTime, isFields, isText, replaceIn };
