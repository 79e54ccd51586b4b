/** The plugin that install writes for OpenCode 1.18.33: on each of its hooks it runs the registered line, and applies the answer. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, continuationMark, firstTime, isFields, isText, replaceIn } from "../in-process/runner.js";

const { stderr } = process;
/** "opencode run" ends as soon as its session is idle: nothing can go on there. */
const isRun = process.argv.slice(2).find((word) => !word.startsWith("-")) === "run";

/** Lines in a project's file name what lies in the project's folder: OpenCode may have been started below it. */
function projectOf(directory, worktree) {
  const top = worktree && worktree !== "/" ? worktree : directory;
  for (let folder = directory; folder.startsWith(top); folder = dirname(folder)) {
    if (existsSync(join(folder, ".hookline", "launch.sh"))) return folder;
    if (folder === top || folder === dirname(folder)) break;
  }
  return top;
}

const Hookline = async ({ client, directory, worktree }) => {
  const cwd = directory ?? process.cwd();
  const environment = { OPENCODE_PROJECT_DIR: projectOf(cwd, worktree) };
  const sessions = new Map();
  let servers = [];

  const stateOf = (id) => {
    const known = sessions.get(id) ?? { context: [], refused: new Map(), failed: new Set(), pending: new Set() };
    sessions.set(id, known);
    return known;
  };
  /** A session of a subagent belongs to the one that a person sees. */
  const rootOf = (id) => {
    let root = id;
    for (let depth = 0; depth < 100 && sessions.get(root)?.parent; depth++) root = sessions.get(root).parent;
    return root;
  };

  async function call(event, hook, id, payload) {
    const { parent, agent } = id === undefined ? {} : stateOf(id);
    const reply = await ask(
      event,
      {
        hook,
        cwd,
        headless: isRun,
        ...(id !== undefined && { sessionID: rootOf(id) }),
        ...(parent && { subagent: { id, ...(agent && { type: agent }) } }),
        ...payload,
      },
      { cwd, environment },
    );
    for (const text of [reply.say, reply.note]) if (isText(text)) say(text, text === reply.note);
    return reply;
  }

  /** Its screen is OpenCode's: a line on standard error would be written across it. */
  function say(text, isNote) {
    if (isNote && !firstTime(text)) return;
    if (isRun) stderr.write(`${text}\n`);
    else
      Promise.resolve(
        client?.tui?.showToast?.({ body: { message: text, variant: isNote ? "warning" : "info" } }),
      ).catch(() => {});
  }

  /** Once for each session that this process works on. */
  function begin(id, hook, input) {
    const state = stateOf(id);
    if (state.parent) return undefined;
    state.begun ??= call("SessionStart", hook, id, { input }).then(({ context }) => {
      if (isText(context)) state.context.push(context);
    });
    return state.begun;
  }

  function keep(state, work) {
    state.pending.add(work);
    work.finally(() => state.pending.delete(work));
  }

  async function stop(id) {
    const state = stateOf(id);
    const event = state.parent ? "SubagentStop" : "Stop";
    const reply = await call(event, "event.session.idle", id, {
      input: { type: "session.idle", properties: { sessionID: id } },
      continues: !isRun && !state.parent,
      continued: state.continued === true,
      ...(isText(state.text) && { text: state.text }),
    });
    if (!isText(reply.continue) || isRun || state.parent) return;
    state.continued = true;
    await client.session.promptAsync({
      path: { id },
      body: {
        ...(state.agent && { agent: state.agent }),
        ...(state.model && { model: state.model }),
        parts: [{ type: "text", text: reply.continue }],
      },
    });
  }

  const heard = {
    "session.created"(event) {
      const { info = {} } = event.properties;
      if (info.parentID) stateOf(info.id).parent = info.parentID;
      else if (info.id) begin(info.id, "event.session.created", event);
    },
    "session.idle"(event) {
      const id = event.properties.sessionID;
      const state = stateOf(id);
      if (!state.isAsked || state.isBroken) return;
      state.isAsked = false;
      keep(
        state,
        stop(id).catch(() => {}),
      );
    },
    "session.error"(event) {
      const id = event.properties.sessionID;
      if (id === undefined) return;
      const state = stateOf(id);
      state.isBroken = true;
      const isAbort = event.properties.error?.name === "MessageAbortedError";
      keep(state, call(isAbort ? "Interrupt" : "StopFailure", "event.session.error", id, { input: event }));
    },
    "session.compacted"(event) {
      const id = event.properties.sessionID;
      keep(stateOf(id), call("PostCompact", "event.session.compacted", id, { input: event }));
    },
    "file.watcher.updated"(event) {
      call("FileChanged", "event.file.watcher.updated", undefined, { input: event });
    },
    /** A call that has failed comes to no other hook. */
    "message.part.updated"(event) {
      const { part } = event.properties;
      if (part?.type !== "tool" || part.state?.status !== "error") return;
      const state = stateOf(part.sessionID);
      const refusal = state.refused.get(part.callID);
      if (state.failed.has(part.callID) || (refusal && `${part.state.error}`.includes(refusal))) return;
      state.failed.add(part.callID);
      keep(state, call("PostToolUseFailure", "event.message.part.updated", part.sessionID, { input: event, servers }));
    },
  };

  return {
    async config(config) {
      servers = Object.keys(config?.mcp ?? {});
    },
    async event({ event }) {
      try {
        heard[event.type]?.(event);
      } catch {
        // an event of another shape than in the version that this was written for
      }
    },
    async "chat.message"(input, output) {
      const id = input.sessionID;
      const state = stateOf(id);
      await begin(id, "session.resumed", { sessionID: id });
      Object.assign(state, {
        isAsked: true,
        isBroken: false,
        text: undefined,
        agent: output.message?.agent,
        model: output.message?.model,
      });
      const asked = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const isOwn = asked.some((part) => part.text.trimEnd().endsWith(continuationMark));
      if (!isOwn) state.continued = false;
      const payload = { input, output: { message: output.message, parts: asked } };
      const { deny, context } = isOwn
        ? {}
        : await call(state.parent ? "SubagentStart" : "UserPromptSubmit", "chat.message", id, payload);
      if (isText(deny) && !state.parent) {
        say(deny); // OpenCode shows nobody what was thrown here
        throw new Error(deny);
      }
      if (isText(context)) state.context.push(context);
      if (state.context.length === 0) return;
      const text = state.context.splice(0).join("\n");
      const before = output.parts.at(-1)?.id;
      output.parts.push({
        id: partAfter(before),
        sessionID: id,
        messageID: output.message.id,
        type: "text",
        text,
        synthetic: true,
      });
    },
    async "tool.execute.before"(input, output) {
      const state = stateOf(input.sessionID);
      await begin(input.sessionID, "session.resumed", { sessionID: input.sessionID });
      const reply = await call("PreToolUse", "tool.execute.before", input.sessionID, {
        input,
        output: { args: output.args },
        servers,
      });
      if (isText(reply.deny)) {
        state.refused.set(input.callID, reply.deny);
        throw new Error(reply.deny);
      }
      if (isFields(reply.args)) replaceIn(output.args, reply.args);
    },
    async "tool.execute.after"(input, output) {
      const state = stateOf(input.sessionID);
      const isOwnTool = typeof output.output === "string";
      const result = isOwnTool
        ? { title: output.title, output: output.output, metadata: output.metadata }
        : { content: (output.content ?? []).map(withoutData) };
      const reply = await call("PostToolUse", "tool.execute.after", input.sessionID, {
        input,
        output: result,
        servers,
      });
      if (isText(reply.output)) rewrite(output, reply.output);
      const told = [...state.context.splice(0), reply.context, reply.deny].filter(isText).join("\n");
      if (told) add(output, told);
    },
    async "experimental.text.complete"(input, output) {
      stateOf(input.sessionID).text = output.text;
    },
    async "experimental.session.compacting"(input, output) {
      const { context } = await call("PreCompact", "experimental.session.compacting", input.sessionID, { input });
      if (isText(context) && Array.isArray(output.context)) output.context.push(context);
    },
    async dispose() {
      await Promise.all([...sessions.values()].flatMap(({ pending }) => [...pending]));
      const begun = [...sessions].filter(([, state]) => state.begun && !state.parent);
      await Promise.all(begun.map(([id]) => call("SessionEnd", "dispose", id, {})));
    },
  };
};

const withoutData = (part) => (part?.type === "text" ? part : { type: part?.type, mimeType: part?.mimeType });

/** A tool of OpenCode's own has one text, a tool of an MCP server has a list of parts. */
function rewrite(output, text) {
  if (typeof output.output === "string") {
    output.output = text;
    if (typeof output.metadata?.output === "string") output.metadata.output = text;
  } else output.content = [{ type: "text", text }];
}

function add(output, text) {
  if (typeof output.output === "string") output.output += `\n\n${text}`;
  else if (Array.isArray(output.content)) output.content.push({ type: "text", text });
}

/** OpenCode sorts parts by their ids: this one comes right behind. */
function partAfter(id = "") {
  const [, time = (Date.now() * 4096).toString(16).slice(-12)] = /^prt_([0-9a-f]{12})/.exec(id) ?? [];
  const next = (BigInt(`0x${time}`) + 1n).toString(16).padStart(12, "0");
  return `prt_${next}${Math.random().toString(36).slice(2).padEnd(14, "0").slice(0, 14)}`;
}

export { Hookline };
