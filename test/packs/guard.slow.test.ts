import { testDetours, testParts } from "./corpus.ts";

testParts(1);
testDetours(1);
