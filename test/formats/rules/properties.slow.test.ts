import { testRuleProperties } from "./properties.ts";

testRuleProperties(3_000);
