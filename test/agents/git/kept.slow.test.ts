/** The same of whatever stands in the variable. */
import test from "node:test";
import { nestedIsAsked } from "./nested.ts";
import { scratch } from "./scratch.ts";

test("[E48] a commit that a kept hook makes is asked for like any other, and no value of a variable switches that off", (t) =>
  nestedIsAsked(scratch(t), (top) => [top, `1 ${top}`, `${process.pid} ${top}`, ` ${top}`]));
