/** A process of its own that holds a store's write lock: node locker.ts PATH. It prints a line when it has it, and gives it back when its input ends. */
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";

const connection = new DatabaseSync(process.argv[2] ?? "", { timeout: 5_000 });
connection.exec("begin immediate");
process.stdout.write("held\n");
process.stdin.resume();
await once(process.stdin, "end");
connection.exec("rollback");
connection.close();
