import { test } from "node:test";
import { noneUnseen } from "./commands-fuzz.ts";

test("[R10, T9] no generated line runs the canary under bash unseen", (context) => noneUnseen(context, 250));
