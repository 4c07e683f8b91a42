/** No given names, for the entries of edge functions: their single files have no room for the list. */
export const GIVEN_NAMES = "";
