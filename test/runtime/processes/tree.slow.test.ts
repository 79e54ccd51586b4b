import { withEachSpawner } from "./running.ts";
import { testShapes } from "./tree-shapes.ts";

withEachSpawner((runner) => testShapes(runner));
