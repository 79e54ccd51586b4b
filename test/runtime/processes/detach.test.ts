import { testDetaching } from "./detach-promises.ts";
import { withChildren } from "./running.ts";

withChildren(testDetaching);
