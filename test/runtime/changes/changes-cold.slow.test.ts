import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import { testChanges } from "../triggers/changes-contract.ts";

testChanges("cold", (git) => createColdChanges(git), { except: "others" });
