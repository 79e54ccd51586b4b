/**
 * The mod that install writes for Claude Code 2.1.332: it asks Hookline about each call of a tool from inside the agent, before the hooks of
 * settings and where no answer to them lifts a denial. Claude Code loads it only while `$` stands in calls and in arguments of functions of
 * this file.
 */

/** By event: the line for sh that answers where no daemon does, and whether a guard waited for it when this was written. */
const lines = __LINES__;
/** Milliseconds that a program of a mod may run at most, and after which a daemon that has not answered is not waited for alone. */
const longest = 600_000;
const soon = 5_000;

/** What was answered about calls that are under way, until Claude Code has checked its permissions. */
const answers = new Map();
let turn;
/** A new session has a transcript of its own. */
let session = {};

const isFields = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const specificOf = (reply) => (isFields(reply.hookSpecificOutput) ? reply.hookSpecificOutput : {});
const reasonOf = (text) => (typeof text === "string" && text !== "" ? text : "a hook refused this");

/** {}: carry on. It throws only where Claude Code itself ends this call. */
async function ask($, event, payload) {
  if (!Object.hasOwn(lines, event)) return {};
  const text = JSON.stringify({ ...payload, hook_event_name: event });
  return (await fromDaemon($, event, text)) ?? (await fromLine($, event, text));
}

/** Over its unix socket, which only this user reaches. Undefined: none has answered, and the line asks in its own way. */
async function fromDaemon($, event, body) {
  let timer;
  try {
    const socketPath = await socketOf($);
    if (!socketPath) return undefined;
    const asked = $.http.fetch(`http://127.0.0.1/hook/claude-code?event=${event}&by=socket`, {
      socketPath,
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, soon);
    });
    asked.catch(() => {}); // it may fail when nobody waits for it any more
    const answer = await Promise.race([asked, late]);
    if (answer?.status !== 200) return undefined;
    const reply = answer.text === "" ? {} : JSON.parse(answer.text);
    return isFields(reply) ? reply : undefined;
  } catch {
    known = undefined;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Each question to Claude Code costs a millisecond: what stays the same is asked once, and again after a failure. */
let known;
async function socketOf($) {
  known ??= await lookForSocket($).catch(() => undefined);
  return known;
}

/** As clients find it: the last word of the daemon's address. */
async function lookForSocket($) {
  const [daemon, store] = [await $.env.get("HOOKLINE_DAEMON"), await $.env.get("HOOKLINE_STORE")];
  if (daemon === "off" || store) return undefined;
  const [said, home] = [await $.env.get("XDG_STATE_HOME"), await $.env.get("HOME")];
  const state = said?.startsWith("/") ? said : `${home}/.local/state`;
  const address = await $.fs.read(`${state}/hookline/daemon.address`);
  return /^(?:\S+ ){6}(.+)\n$/.exec(address)?.[1];
}

async function fromLine($, event, stdin) {
  const { line, guarded } = lines[event];
  try {
    const env = await $.process.hookEnv();
    const { exitCode, stdout, stderr } = await $.process.run(["/bin/sh", "-c", line], {
      stdin,
      env,
      timeoutMs: longest,
    });
    if (exitCode === 2) return refusal(event, reasonOf(stderr.trim()));
    if (exitCode !== 0) return failed(event, guarded, `it ended with code ${exitCode}`);
    const reply = stdout.trim() === "" ? {} : JSON.parse(stdout);
    return isFields(reply) ? reply : failed(event, guarded, "its answer cannot be read");
  } catch (error) {
    return failed(event, guarded, String(error));
  }
}

const refusal = (event, reason) =>
  event === "PreToolUse"
    ? { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: reason } }
    : { decision: "block", reason };

function failed(event, guarded, why) {
  const said = `hookline: the line that hookline install has registered does not work, ${why}`;
  return guarded
    ? refusal(event, `${said}; a guard is active for this event, so it is blocked`)
    : { systemMessage: said };
}

async function payloadOf($, { tool, tool_use_id, agentId, consent, ...input }) {
  const { transcriptPath, promptId } = await $.session.info();
  if (transcriptPath !== session.transcript) {
    const { CLAUDE_CODE_SESSION_ID: id } = await $.process.hookEnv();
    session = { transcript: transcriptPath, id };
  }
  return {
    session_id: session.id,
    transcript_path: transcriptPath,
    cwd: await $.session.cwd(),
    ...(promptId && { prompt_id: promptId }),
    ...(agentId && { agent_id: agentId }),
    tool_name: tool,
    tool_input: input,
    tool_use_id,
  };
}

/** A call with another input, and all else as it was. */
function rewritten(call, input, before) {
  const rest = { ...call };
  for (const key of Object.keys(before)) delete rest[key];
  return { ...rest, ...input };
}

/** What the hooks of settings have answered, and this. */
function together(found, reply) {
  const { additionalContext, updatedToolOutput } = specificOf(reply);
  return {
    ...found,
    ...(reply.decision === "block" && { block: [found.block, reasonOf(reply.reason)].filter(Boolean).join("\n") }),
    ...(additionalContext && { additionalContext: [...(found.additionalContext ?? []), additionalContext] }),
    ...(updatedToolOutput !== undefined && { updatedToolOutput }),
    ...(reply.continue === false && { preventContinuation: true, stopReason: reply.stopReason }),
  };
}

async function say($, text) {
  if (typeof text === "string" && text !== "") await $.ui.notice(text);
}

export function register(on) {
  on("turn.start", async (_, e, next) => {
    turn = e.turnId;
    return next(e);
  });

  on("tool.call", async ($, e, next) => {
    const payload = await payloadOf($, e);
    const reply = await ask($, "PreToolUse", payload);
    const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext } = specificOf(reply);
    await say($, reply.systemMessage);
    if (reply.continue === false) {
      await $.turn.abort({ turnId: turn });
      return { deny: reasonOf(reply.stopReason) };
    }
    if (permissionDecision === "deny") return { deny: reasonOf(permissionDecisionReason) };
    answers.set(e.tool_use_id, { is: permissionDecision, reason: permissionDecisionReason });
    const done = await next(isFields(updatedInput) ? rewritten(e, updatedInput, payload.tool_input) : e);
    answers.delete(e.tool_use_id);
    return additionalContext ? { ...done, context: [...(done.context ?? []), additionalContext] } : done;
  }).catch(async (_, e, next) =>
    lines.PreToolUse.guarded
      ? {
          deny: "hookline: its mod failed or was given no time, and a guard is active for calls, so this one is blocked",
        }
      : next(e),
  );

  /** An allow overrides no rule of the person's own. */
  on("tool.check", async (_, e, next) => {
    const found = await next(e);
    const answer = answers.get(e.tool_use_id);
    if (answer?.is === "ask" && found.decision !== "deny") return { decision: "ask", reason: reasonOf(answer.reason) };
    return answer?.is === "allow" && found.decision === "ask" && !found.rule ? { decision: "allow" } : found;
  }).catch(async (_, e, next) =>
    answers.get(e.tool_use_id)?.is === "ask" ? { decision: "deny", reason: "hookline: its mod failed" } : next(e),
  );

  on("classic.PostToolUse", async ($, e, next) => together(await next(e), await ask($, "PostToolUse", e)));
  on("classic.PostToolUseFailure", async ($, e, next) =>
    together(await next(e), await ask($, "PostToolUseFailure", e)),
  );
}
