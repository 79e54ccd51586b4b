/** When a clock sets a hook off next, in words, for people who ask why it has not. Apart from the timers, which wait and say nothing. */
import { claimsOf } from "../../engine/admit.ts";
import type { HookEvent, Instant, Seconds } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Store } from "../../engine/record.ts";
import { hasFired, newestStart, ofSlot } from "./schedule-timers.ts";
import { slotsOf } from "./slots.ts";

interface Asked {
  store: Pick<Store, "peek" | "runs">;
  now: Instant;
}

/** Undefined: no clock sets it off. @throws what the store throws, and an Error for a pattern that cannot be read */
export async function whenDue(hook: Hook, asked: Asked): Promise<string | undefined> {
  const { on } = hook;
  if ("every" in on) return periodic(hook, on.every, asked);
  if ("cron" in on) return byPattern(hook, on, asked);
  return "at" in on ? once(hook, on.at, asked) : undefined;
}

async function periodic(hook: Hook, every: Seconds, { store, now }: Asked): Promise<string> {
  const { cooldown = 0 } = hook.limits;
  const last = await newestStart(store, hook.id);
  const event: HookEvent = { id: "", name: "schedule.due", at: now, cwd: "", data: {}, sender: "" };
  const { left = 0 } = (await store.peek(claimsOf(hook, event), now)) ?? {};
  const due = Math.max(last === undefined ? now : last + Math.max(every, cooldown) * 1000, now + left * 1000);
  if (due <= now) return "it is due now";
  const ran = last === undefined ? "" : `, as its newest run began at ${secondOf(last)}`;
  const longer = cooldown > every ? ` (interval ${every} s, cooldown ${cooldown} s)` : "";
  return `not due until ${secondOf(due)}${ran}${longer}`;
}

/** The moment before is named too: where it has fired nothing, no other record says so. */
async function byPattern(hook: Hook, on: { cron: string; zone?: string }, { store, now }: Asked): Promise<string> {
  const slots = await slotsOf(on.cron, on.zone);
  const [next, before] = [slots.next(now), slots.newest(now)];
  const isUnfired = before !== undefined && (await store.peek([ofSlot(hook.id, before)], now)) === undefined;
  const missed = isUnfired
    ? `; its moment before, ${secondOf(before)}, set nothing off: no daemon served its folder then, or the hook was not active`
    : "";
  return `${next === undefined ? "never due again" : `not due until ${secondOf(next)}`}${missed}`;
}

async function once(hook: Hook, at: Instant, { store, now }: Asked): Promise<string> {
  if (await hasFired(store, hook.id, at)) return `its moment, ${secondOf(at)}, has fired`;
  return at <= now ? `it is due since ${secondOf(at)}` : `not due until ${secondOf(at)}`;
}

const secondOf = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
