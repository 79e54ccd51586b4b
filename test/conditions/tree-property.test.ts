import { testTrees } from "./tree-property.ts";

testTrees(200);
