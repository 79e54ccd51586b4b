import { defineHook } from "hookline";

export default defineHook({
  on: "PreToolUse",
  id: "guard",
  role: "guard",
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { deny: "the user's guard" };
  },
});
