/** The built-in guard that asks or refuses, as before, where a call does another way what was refused just before. It comes behind all others. */
import type { Hook } from "../engine/hook.ts";

export const rerouteWatch: Hook = {
  id: "builtin:reroute_watch",
  name: "reroute_watch",
  on: { event: ["PreToolUse"] },
  when: { is: "reroutes", with: {} },
  steps: [
    {
      uses: "gate",
      templates: true,
      with: { decision: "{{match.is}}", reason: "{{match.reason}}" },
      timeout: 5,
      onError: "stop",
    },
  ],
  limits: { overlap: "coalesce" },
  mode: "sync",
  role: "guard",
  onFailure: "ask",
  priority: 1_000_000,
  enabled: true,
  tags: ["built in"],
  summary: "answers as before where a call does another way what was refused just before",
  origin: { dialect: "builtin", layer: "user" },
};
