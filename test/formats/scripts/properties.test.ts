import { testScriptProperties } from "./properties.ts";

testScriptProperties(200);
