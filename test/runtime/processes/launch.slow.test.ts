import { testLaunching } from "./launch-promises.ts";
import { withEachSpawner } from "./running.ts";

withEachSpawner(testLaunching);
