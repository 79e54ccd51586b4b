/** What a change of clocks does to times of the day, against a model that only reads what the clock on the wall shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { slotsOf } from "../../../src/runtime/triggers/slots.ts";

/** Days on which clocks change: forward and back, by half an hour, at midnight, and against the season. */
const changes: readonly [zone: string, day: string][] = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Sao_Paulo", "2018-02-18"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Africa/Casablanca", "2026-03-22"],
];

const minute = 60_000;
const day = 1_440 * minute;

/** The minutes of three days in which the wall shows this day: each moment, and what the wall shows as if it were UTC. */
function wallAround(zone: string, about: string): { at: number; wall: number }[] {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, hourCycle: "h23", ...parts });
  const begin = Date.parse(`${about}T00:00:00Z`) - day;
  return Array.from({ length: 3 * 1_440 }, (_none, index) => {
    const at = begin + index * minute;
    return { at, wall: Date.parse(`${clock.format(at).replace(" ", "T")}:00Z`) };
  });
}

/** Each time of the day once: when the wall first shows it, or where it never does, at once when the wall is past it. */
function expected(walls: readonly { at: number; wall: number }[], about: string, times: readonly number[]): number[] {
  const midnight = Date.parse(`${about}T00:00:00Z`);
  return times
    .map((time) => midnight + time * minute)
    .map((wanted) => (walls.find(({ wall }) => wall === wanted) ?? walls.find(({ wall }) => wall > wanted))?.at ?? 0)
    .sort((left, right) => left - right);
}

/** Numbers that are the same in each run. */
function* numbers(seed: number): Generator<number> {
  for (let at = seed; ; ) {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield at >> 8;
  }
}

/** @param rounds of patterns for each of those days */
export function eachTimeComesOnce(rounds: number): void {
  for (const [zone, about] of changes)
    test(`each time of the day comes exactly once where clocks change in ${zone} on ${about}`, async () => {
      const walls = wallAround(zone, about);
      const random = numbers(Date.parse(about) / day);
      const pick = (below: number): number => (random.next().value ?? 0) % below;
      for (let round = 0; round < rounds; round += 1) {
        const hours = [...new Set(Array.from({ length: 1 + pick(4) }, () => (round % 5 === 0 ? pick(24) : pick(5))))];
        const minutes = [
          ...new Set(
            Array.from({ length: 1 + pick(4) }, () => pick(round % 2 === 0 ? 60 : 4) * (round % 2 === 0 ? 1 : 15)),
          ),
        ];
        const pattern = `${minutes.join(",")} ${hours.join(",")} * * *`;
        const slots = await slotsOf(pattern, zone);
        const want = expected(
          walls,
          about,
          hours.flatMap((one) => minutes.map((other) => one * 60 + other)),
        );
        const [from = 0, to = 0] = [
          walls.find(({ wall }) => wall >= Date.parse(`${about}T00:00:00Z`))?.at,
          want.at(-1),
        ];
        const found: number[] = [];
        for (let at = slots.next(from - 1); at !== undefined && at <= to + 999; at = slots.next(at)) found.push(at);
        assert.deepEqual(
          found.map((at) => at - (at % 1_000)),
          want,
          pattern,
        );
        assert.equal(new Set(found).size, found.length, `${pattern}: each is a moment of its own`);
        assert.equal(slots.between(from - 1, to + 999).count, want.length, pattern);
        for (const at of found) {
          assert.equal(slots.newest(at), at, pattern);
          assert.ok(slots.together(at).includes(at), pattern);
        }
      }
    });
}
