import { noneArrivesWhereNoneMay } from "./connections.ts";

noneArrivesWhereNoneMay(150);
