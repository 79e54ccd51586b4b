/** The examples of the pages that people read first; examples.slow.test.ts tries those of all others. */
import { firstPages, tryExamplesOf } from "./page-examples.ts";

for (const page of firstPages) tryExamplesOf(page);
