import { testReadingBack } from "./text-property.ts";

testReadingBack(2_000);
