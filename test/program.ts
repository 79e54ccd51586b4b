/** The one way in which tests start `hookline`: the bundle that users have, not the sources. */
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";

/** The runner has built it; of a file that is run by hand it is built here. */
const folder: string = process.env.HOOKLINE_TEST_PACKAGE ?? packageForTests();

/** To be started by `process.execPath`. */
export const bin: string = join(folder, "bin", "hookline.js");

/** As `NODE_COMPILE_CACHE`: a home of its own would have each test compile all anew. */
export const codeCache: string = join(folder, "code");
