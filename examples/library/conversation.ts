import { createHookline, defineHook } from "../../src/index.ts";

const line = await createHookline({ files: false });

line.use(
  defineHook({
    on: "Stop",
    name: "tests",
    run: (event) => (event.data.last_assistant_message?.includes("tested") ? undefined : { deny: "run the tests" }),
  }),
);

const chat = line.conversation("chat-42", {
  async complete(prompt, { cause, attempt, signal }) {
    signal.throwIfAborted(); // give it to whatever talks to the model
    console.log(cause, attempt ?? "-", prompt);
    return { answer: cause === "user" ? "done" : "done and tested" };
  },
});

await chat.say("fix the bug"); // user - fix the bug
await chat.idle(); // hook 1 run the tests
await line.close();
