import { testTraps } from "./git-traps.ts";

testTraps();
