import { noneArrivesWhereNoneMay } from "./connections.ts";

noneArrivesWhereNoneMay(Number(process.env.HOOKLINE_TEST_CONNECTIONS ?? 1000));
