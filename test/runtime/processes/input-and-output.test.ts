import { testInputAndOutput } from "./input-and-output-promises.ts";
import { withChildren } from "./running.ts";

withChildren(testInputAndOutput);
