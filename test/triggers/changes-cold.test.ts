import { createColdChanges } from "../../src/triggers/changes-cold.ts";
import { testChanges } from "./changes-contract.ts";

testChanges("cold", (git) => createColdChanges(git));
