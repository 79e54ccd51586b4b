import { testExpressions } from "./expression-property.ts";

testExpressions(200);
