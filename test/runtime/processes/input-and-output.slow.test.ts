import { testInputAndOutput } from "./input-and-output-promises.ts";
import { withEachSpawner } from "./running.ts";

withEachSpawner(testInputAndOutput);
