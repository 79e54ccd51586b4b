/** Whether other machines may write to a folder: this kernel then tells nothing of what they do. Apart, as triggers, sources and the daemon all watch. */
import { statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

/** NFS, SMB, CIFS, FUSE, 9p, AFS, Ceph, VirtualBox. */
const sharedTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x5346414f, 0x00c36400, 0x786f4256,
]);

/** @throws what the system says, if the folder is not there */
export const isShared = (folder: string): boolean => sharedTypes.has(statfsSync(folder).type);

/** The same, for whoever can wait: a server that does not answer then holds nobody up. */
export const isSharedFolder = async (folder: string): Promise<boolean> => sharedTypes.has((await statfs(folder)).type);
