/** The first example of docs/library.md; library.slow.test.ts runs all others. */
import { first, tryExample } from "./library-examples.ts";

tryExample(first);
