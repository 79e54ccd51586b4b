import { testValues } from "./template-property.ts";

testValues({ each: 90, lines: 1_000 });
