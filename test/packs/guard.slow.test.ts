import { testParts } from "./corpus.ts";

testParts(1);
