import { quickKind, testKinds } from "./home-files.ts";

testKinds((kind) => kind === quickKind);
