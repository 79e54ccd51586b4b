import { testLaunching } from "./launch-promises.ts";
import { withChildren } from "./running.ts";

withChildren(testLaunching);
