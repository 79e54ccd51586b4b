/** Types of hooks, conditions and actions as programs write them; scripts/check-package.ts compiles this against the package. */
import { defineAction, defineCondition, defineConfig, defineHook, integer, object, type Setup, text } from "hookline";

defineHook({
  on: "PreToolUse",
  run({ data }) {
    const input: { [name: string]: unknown } = data.tool_input;
    const name: string = data.tool_name;
    return { deny: `${name} ${Object.keys(input).length}` };
  },
});

defineHook({
  on: ["Stop", "UserPromptSubmit"],
  run: ({ name }) => {
    const either: "Stop" | "UserPromptSubmit" = name;
    // @ts-expect-error: it listens to two events, and this is none of them
    const other: "PreToolUse" = name;
    return { context: either + other };
  },
});

// @ts-expect-error: no event is called so
defineHook({ on: "PreTool", run: () => undefined });
// @ts-expect-error: what runs is missing
defineHook({ on: "Stop" });
// @ts-expect-error: a reason, or true
defineHook({ on: "PreToolUse", run: () => ({ deny: 7 }) });
// @ts-expect-error: the words are deny, ask and allow
defineHook({ on: "PreToolUse", run: () => ({ forbid: "no" }) });
// @ts-expect-error: a role that nothing knows
defineHook({ on: "PreToolUse", role: "police", run: () => undefined });

/** Events of applications have a dot, and any data. */
defineHook({ on: "task.completed", run: ({ data }) => ({ message: String(data.id) }) });

defineCondition({
  params: object({ calls: integer() }, { tool: text() }),
  test({ toolCalls, event }, { calls, tool }) {
    const needed: number = calls;
    const left: string | undefined = tool;
    // @ts-expect-error: it may be left out
    const always: string = tool;
    return toolCalls >= needed && event.name === (left ?? always);
  },
});

// @ts-expect-error: a test answers true or false
defineCondition({ test: () => "yes" });

defineAction({
  params: object({ branch: text() }),
  run: async ({ params }) => ({ deny: params.branch }),
});

defineAction({
  params: object({ branch: text() }),
  // @ts-expect-error: nothing in its parameters is called so
  run: ({ params }) => ({ deny: params.remote }),
});

defineConfig({ hooks: [defineHook({ on: "Stop", run: () => undefined })] });
// @ts-expect-error: hooks are a list
defineConfig({ hooks: defineHook({ on: "Stop", run: () => undefined }) });

export default (setup: Setup): void => {
  setup.use(defineHook({ on: "SessionStart", run: () => ({ context: "hello" }) }));
  // @ts-expect-error: nothing of it is called so
  setup.remove("hello");
};
