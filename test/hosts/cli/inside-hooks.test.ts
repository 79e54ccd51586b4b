/** Programs that hooks start and that call hookline themselves: nothing waits for itself, and hooks that set off each other come to an end. */
import { test } from "node:test";
import { comesToAnEnd } from "./inside-hooks.ts";

test("[A43] automations whose programs set off each other do not wait for themselves, and come to an end", (t) =>
  comesToAnEnd(t, 2));
