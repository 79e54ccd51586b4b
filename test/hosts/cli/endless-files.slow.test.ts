/** Another thing without an end in the place of each file; endless-files.test.ts has a device. */
import { everyCommandEnds } from "./endless-place.ts";

everyCommandEnds("links to a file of the system without end");
everyCommandEnds("pipes without a writer");
