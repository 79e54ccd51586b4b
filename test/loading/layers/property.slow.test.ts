import { testLayers } from "./property.ts";

testLayers(40);
