/** What a value holds: all of it, one item, a slice. */
import { type Frame, fault, spend, spendText } from "./frame.ts";
import { characterAt, charactersOf } from "./python-text.ts";
import { type Dictionary, isDictionary, itemsOf, type Value, wholeOf, wordsOf } from "./python-value.ts";

/** What a value holds, one after the other. */
export function allOf(frame: Frame, value: Value): readonly Value[] {
  if (typeof value === "string") {
    spendText(frame, value.length);
    return charactersOf(value);
  }
  const items = itemsOf(value);
  if (items) return items;
  return isDictionary(value) ? keysOf(frame, value) : fault(frame, `${wordsOf(value)} holds nothing to go through`);
}

/** Taking keys together is quicker than going through them, and yet takes their number. */
const keysPerStep = 16;

export function keysOf(frame: Frame, value: Dictionary): string[] {
  const keys = Object.keys(value);
  spend(frame, Math.floor(keys.length / keysPerStep));
  return keys;
}

/** `value[index]`: what is not there is None (R64). */
export function itemAt(frame: Frame, value: Value, index: Value): Value {
  const items = itemsOf(value);
  if (!items && typeof value !== "string") return fault(frame, `${wordsOf(value)} has no items`);
  const place = wholeOf(index);
  if (place === undefined) return fault(frame, `${wordsOf(index)} is no index of ${wordsOf(value)}`);
  if (typeof value === "string") {
    spendText(frame, value.length);
    return characterAt(value, place) ?? null;
  }
  return items?.at(place) ?? null;
}

/** `value[start:stop:step]`, each null where it was left out. */
export function sliceOf(frame: Frame, value: Value, bounds: readonly Value[]): readonly Value[] {
  const items = typeof value === "string" ? allOf(frame, value) : itemsOf(value);
  if (!items) return fault(frame, `${wordsOf(value)} has no slices`);
  const [start, stop, step] = bounds.map((bound) =>
    bound === null ? undefined : (wholeOf(bound) ?? fault(frame, `${wordsOf(bound)} is no bound of a slice`)),
  );
  if (step === 0) return fault(frame, "a slice cannot go in steps of 0");
  const by = step ?? 1;
  const [least, most] = by > 0 ? [0, items.length] : [-1, items.length - 1];
  const clamp = (bound: number): number => Math.min(most, Math.max(least, bound < 0 ? items.length + bound : bound));
  const from = start === undefined ? (by > 0 ? least : most) : clamp(start);
  const until = stop === undefined ? (by > 0 ? most : least) : clamp(stop);
  const found: Value[] = [];
  for (let at = from; by > 0 ? at < until : at > until; at += by) found.push(items[at] ?? null);
  spend(frame, found.length);
  return found;
}
