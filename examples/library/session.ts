import { createHookline, defineHook } from "../../src/index.ts";

const line = await createHookline({ files: false });
const session = line.session("chat-42");

const registration = session.use(
  defineHook({
    id: "tests-first",
    on: "Stop",
    run: (event) => (event.turn?.toolCalls === 0 ? undefined : { deny: "run the tests before you finish" }),
  }),
);

await line.emit("UserPromptSubmit", { prompt: "fix the bug" }, { session: "chat-42" });
await line.emit("PreToolUse", { tool_name: "Edit", tool_input: { file_path: "a.ts" } }, { session: "chat-42" });
const held = await line.emit("Stop", {}, { session: "chat-42" });
const elsewhere = await line.emit("Stop", {}, { session: "chat-43" });
console.log(held.verdict?.reason, elsewhere); // run the tests before you finish {}

console.log(registration.id, registration.remove(), registration.remove()); // tests-first true false
session.clear(); // takes all hooks of this session out
await line.close();
