import { testResident } from "./changes-resident.ts";

testResident({});
