import { testLayers } from "./property.ts";

testLayers(2);
