/** The extension that install writes for pi 0.73.1: on each of its events it runs the registered line, and applies the answer. */
import { ask, askAtOnce, continuationMark, firstTime, isFields, isText, replaceIn } from "../in-process/runner.js";

const { stderr } = process;

function hookline(pi) {
  const context = [];
  let continued = false;

  const asked = (ctx, payload) => ({
    ...payload,
    cwd: ctx.cwd,
    session_id: ctx.sessionManager?.getSessionId?.(),
    has_ui: ctx.hasUI,
  });

  async function call(event, ctx, payload) {
    const screen = screenOf(ctx);
    return told(await ask(event, asked(ctx, payload), { cwd: ctx.cwd }), screen);
  }

  /** After the answer the context may be that of a session that is no more: then pi lets nothing of it be used. */
  const screenOf = ({ hasUI, ui }) => ({ hasUI, ui });

  function told(reply, ctx) {
    if (isText(reply.say)) say(ctx, reply.say, "info");
    if (isText(reply.note) && firstTime(reply.note)) say(ctx, reply.note, "warning");
    return reply;
  }

  const say = ({ hasUI, ui }, text, kind) => (hasUI ? ui.notify(text, kind) : stderr.write(`${text}\n`));

  pi.on("session_start", async (event, ctx) => {
    if (event.reason === "reload") return;
    const reply = await call("SessionStart", ctx, event);
    if (isText(reply.context)) context.push(reply.context);
  });

  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await call("SessionEnd", ctx, event);
  });

  /** What a stop is answered with has to be in the queue at once. */
  pi.on("input", (event, ctx) => (event.text.trimEnd().endsWith(continuationMark) ? undefined : onInput(event, ctx)));

  async function onInput(event, ctx) {
    const { images, ...written } = event;
    const reply = await call("UserPromptSubmit", ctx, written);
    if (event.source !== "extension") continued = false;
    if (isText(reply.deny)) {
      say(ctx, reply.deny, "error");
      if (!ctx.hasUI) process.exitCode = 1;
      return { action: "handled" };
    }
    if (isText(reply.context)) context.push(reply.context);
    if (context.length === 0 || ctx.isIdle()) return undefined;
    return { action: "transform", text: `${event.text}\n\n${context.splice(0).join("\n")}`, images };
  }

  pi.on("before_agent_start", () => {
    if (context.length === 0) return undefined;
    return { message: { customType: "hookline", content: context.splice(0).join("\n"), display: true } };
  });

  pi.on("tool_call", async (event, ctx) => {
    const reply = await call("PreToolUse", ctx, event);
    if (isText(reply.deny)) return { block: true, reason: reply.deny };
    if (isFields(reply.args)) replaceIn(event.input, reply.args);
    return undefined;
  });

  pi.on("tool_result", async (event, ctx) => {
    const content = event.content ?? [];
    const sent = {
      ...event,
      content: content.map((part) => (part.type === "image" ? { type: "image", mimeType: part.mimeType } : part)),
    };
    const reply = await call(event.isError ? "PostToolUseFailure" : "PostToolUse", ctx, sent);
    const told = [...context.splice(0), reply.context, reply.deny].filter(isText).join("\n");
    const shown = isText(reply.output) ? [{ type: "text", text: reply.output }] : content;
    if (shown === content && !told) return undefined;
    return { content: told ? [...shown, { type: "text", text: told }] : shown };
  });

  const isLast = ({ role, stopReason, content }) =>
    role === "assistant" &&
    stopReason !== "toolUse" &&
    ![].concat(content ?? []).some((part) => part?.type === "toolCall");

  /** pi goes on, or ends, without waiting for this: where it would end, the answer has to be there at once. */
  pi.on("message_end", (event, ctx) => {
    const { message = {} } = event;
    if (!isLast(message)) return undefined;
    const sent = { type: event.type, message, continued };
    if (message.stopReason === "error") return void call("StopFailure", ctx, sent);
    if (message.stopReason === "aborted") return void call("Interrupt", ctx, sent);
    if (ctx.hasUI) return void call("Stop", ctx, sent).then(goOn, () => {});
    return goOn(told(askAtOnce("Stop", asked(ctx, sent), { cwd: ctx.cwd }), ctx));
  });

  function goOn(reply) {
    if (!isText(reply.continue)) return undefined;
    continued = true;
    return void pi.sendUserMessage(reply.continue, { deliverAs: "followUp" });
  }

  pi.on("session_before_compact", async (event, ctx) => {
    const { type, customInstructions } = event;
    const screen = screenOf(ctx);
    const reply = await call("PreCompact", ctx, { type, customInstructions });
    if (!isText(reply.deny)) return undefined;
    say(screen, reply.deny, "warning");
    return { cancel: true };
  });

  pi.on("session_compact", async (event, ctx) => {
    const { type, compactionEntry } = event;
    await call("PostCompact", ctx, { type, compactionEntry: { summary: compactionEntry?.summary } });
  });
}

export default hookline;
