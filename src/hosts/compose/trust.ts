/** What a person has trusted, for every host that reads hook files (R30). */
import { openTrust, type TrustRecords } from "../../loading/trust/records.ts";
import { stateFolderOf } from "../../runtime/system.ts";

/** Set in the builds that the project's own tests and benchmarks run: most are about other things. In what users have it is false. */
declare const TRUSTS_ALL: boolean;
const trustsAll = typeof TRUSTS_ALL !== "undefined" && TRUSTS_ALL;

/** The project's tests may run below an agent, and most are about other things than that: only what they say counts there. */
export const isForTests: boolean = trustsAll;

export interface TrustPlace {
  home: string;
  environment: Readonly<Record<string, string>>;
}

/** As a part of what loading is asked for, with the guard of what a person trusts. */
export const trusting = (place: TrustPlace): { trust?: TrustRecords; builtIn?: true } =>
  trustsAll ? {} : { trust: trustRecords(place), builtIn: true };

export const trustRecords = ({ home, environment }: TrustPlace): TrustRecords =>
  openTrust(stateFolderOf(home, environment));

/** Whether a person has trusted anything of this folder, so that programs of its own may run for a hook of the person's. */
export const isTrustedFolder = (folder: string, place: TrustPlace): boolean =>
  trustsAll || trustRecords(place).of(folder).items !== undefined;
