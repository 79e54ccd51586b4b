/** The same by each client that install may register. */
import { test } from "node:test";
import { blocksOnceRemoved, blocksWithDamage, commitIsRefused, daemonDecides, withBash } from "./vanishing.ts";

for (const client of ["compiled", "shell", "node"] as const)
  test(
    `[R78] once its package has been removed, a guard's event is blocked and others pass, whichever client was registered: ${client}`,
    withBash,
    () => blocksOnceRemoved(client),
  );

for (const client of ["compiled", "shell"] as const) {
  test(
    `[R78] a Node that is gone, too old or of a damaged package blocks a guard's event, by ${client} client`,
    withBash,
    () => blocksWithDamage(client),
  );

  test(
    `[R78] a daemon notes guards too, and goes on deciding where the package has gone, by ${client} client`,
    withBash,
    (t) => daemonDecides(t, client),
  );
}

test("[R78] a commit is refused by a guard in each of these cases, and passes where there is none", () =>
  commitIsRefused({ few: false }));
