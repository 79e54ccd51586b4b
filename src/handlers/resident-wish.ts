/** What a hook may say of a program that stays: that it does, and when it is ended and started anew. */
import { type ResidentLimits, usualLimits } from "../core/resident.ts";
import { either, flag, integer, number, object, type Schema } from "../core/schema.ts";

const limits: Schema<Partial<ResidentLimits>> = object(
  {},
  {
    memory: integer("megabytes that it may hold in memory", 1),
    age: number("seconds after which it is started anew", 1),
    idle: number("seconds without an event after which it is ended", 1),
    concurrency: integer("events that it is given before it has answered the first of them", 1),
    events: integer("events after which it is started anew", 1),
  },
);

export type ResidentWish = boolean | Partial<ResidentLimits>;

export const residentWish: Schema<ResidentWish> = either(flag, limits);

export const limitsOf = (wish: ResidentWish | undefined): ResidentLimits =>
  typeof wish === "object" ? { ...usualLimits, ...wish } : usualLimits;
