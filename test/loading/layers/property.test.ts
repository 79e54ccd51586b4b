import { testLayers } from "./property.ts";

testLayers(6);
