import { test } from "node:test";
import { noSpellingPasses } from "./options-fuzz.ts";

test("[R10, T9] no spelling of rm's options gets past a pattern that asks for them", (context) =>
  noSpellingPasses(context, 200));
