/** The same with a daemon, and with another install; wanted-events.test.ts has the usual ones. */
import { saysToInstall, takesOut } from "./wanted-events-place.ts";

saysToInstall(true);
takesOut("--take-over");
