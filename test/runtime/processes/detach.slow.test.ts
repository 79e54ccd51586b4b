import { testDetaching } from "./detach-promises.ts";
import { withEachSpawner } from "./running.ts";

withEachSpawner(testDetaching);
