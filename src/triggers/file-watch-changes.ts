/** What has become of files since it was last told: the table of specification 000, section 12, as data. Pure. */

export const operations = ["created", "modified", "deleted"] as const;
export type Operation = (typeof operations)[number];

interface Pending {
  /** It was there when the window began. */
  wasThere: boolean;
  operation: Operation;
}

/** By the path. */
export type Pendings = Map<string, Pending>;

/** What two operations on one file come to. A file that was not there before and is gone again has not changed. */
const together: { [First in Operation]: { [Second in Operation]: Operation } } = {
  created: { created: "created", modified: "created", deleted: "deleted" },
  modified: { created: "created", modified: "modified", deleted: "deleted" },
  deleted: { created: "created", modified: "created", deleted: "deleted" },
};

export function note(pendings: Pendings, path: string, operation: Operation): void {
  const before = pendings.get(path);
  const now = before ? together[before.operation][operation] : operation;
  const wasThere = before?.wasThere ?? operation !== "created";
  if (now === "deleted" && !wasThere) pendings.delete(path);
  else pendings.set(path, { wasThere, operation: now });
}
