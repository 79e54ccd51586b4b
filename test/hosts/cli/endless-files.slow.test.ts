/** Another thing without an end in the place of each file; endless-files.test.ts has a device and pipes. */
import { everyCommandEnds } from "./endless-place.ts";

everyCommandEnds("links to a file of the system without end");
