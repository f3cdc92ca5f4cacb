// Loaded into the server by tests (NODE_OPTIONS=--require): keeps its event loop busy for good once a file is there.
const { existsSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const file = process.env.BLOCK_LOOP_WHEN
if (isMainThread && file) {
  setInterval(() => {
    while (existsSync(file));
  }, 20).unref()
}
