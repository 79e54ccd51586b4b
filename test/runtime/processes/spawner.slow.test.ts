import { testManyAtOnce } from "./spawner-started.ts";

testManyAtOnce(200);
