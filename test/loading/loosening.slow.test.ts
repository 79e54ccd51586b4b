import { testOrdinary } from "./loosening-ordinary.ts";

testOrdinary(1);
