/** The same of many processes. */

import { test } from "node:test";
import { recordAtOnce } from "./usage-records.ts";

test("[B39] twenty processes record at once: no record, no line and no count is lost", (t) => recordAtOnce(t, 20));

test("[B39] processes that record at once lose no record, no line and no count", (t) => recordAtOnce(t, 4));
