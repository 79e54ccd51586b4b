/** The contract of every agent, with Claude Code. */
import { obeys } from "./obeys.ts";

obeys("claude-code");
