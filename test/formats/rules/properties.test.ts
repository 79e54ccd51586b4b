import { testRuleProperties } from "./properties.ts";

testRuleProperties(40);
