export const protectedFolder: string = "schema/";
