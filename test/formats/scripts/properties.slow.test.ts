import { testScriptProperties } from "./properties.ts";

testScriptProperties(3_000);
