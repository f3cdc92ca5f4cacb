/**
 * `npm start`: from a fresh clone to a running server. Installs once (by lockfile), builds once (by inputs), then
 * starts the built server with the given arguments. The syntax above the version check is old on purpose, so that an
 * outdated Node prints the message instead of a syntax error.
 */
var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  console.error(`Touchstone needs Node 20.19 or newer; this is Node ${process.versions.node}.`)
  process.exit(1)
}

import('./steps/start-server.mjs').then((step) => step.startServer(process.argv.slice(2)))
