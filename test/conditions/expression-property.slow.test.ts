import { testExpressions } from "./expression-property.ts";

testExpressions(2_000);
