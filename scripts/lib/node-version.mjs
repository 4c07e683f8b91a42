// Imported first by every command: an old Node would otherwise fail with a syntax error.

const needed = 20;
if (Number(process.versions.node.split(".")[0]) < needed) {
  console.error(`webert needs Node ${needed} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
