import { testValues } from "./template-property.ts";

testValues({ each: 60, lines: 500 });
