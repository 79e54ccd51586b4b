import { testTrees } from "./tree-property.ts";

testTrees(2_000);
