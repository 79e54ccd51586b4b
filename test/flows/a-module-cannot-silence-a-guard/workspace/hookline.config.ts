import { defineHook } from "hookline";

void Promise.reject(new Error("forgotten"));
setTimeout(() => {
  throw new Error("late");
}, 1);
setInterval(() => {}, 1000);

export default [
  defineHook({
    on: "PreToolUse",
    id: "guard",
    priority: 1,
    run() {
      void Promise.reject(new Error("in a hook"));
      process.exit(0);
    },
  }),
];
