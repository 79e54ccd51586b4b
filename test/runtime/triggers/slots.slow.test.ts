import { eachTimeComesOnce } from "./slots-model.ts";

eachTimeComesOnce(25);
