import { testRuleProperties } from "./properties.ts";

testRuleProperties(1_500);
