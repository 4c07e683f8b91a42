// Texts that the bundler takes in as strings.
declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.tsv" {
  const text: string;
  export default text;
}
