// Loaded into the server by tests (NODE_OPTIONS=--require): once a file is there, the next select with a time limit becomes one
// call of 10^13 steps, inside of which the embedded engine cannot be interrupted.
const { existsSync } = require('node:fs')
const { createRequire, syncBuiltinESMExports } = require('node:module')
const { isMainThread } = require('node:worker_threads')

const file = process.env.STICK_ENGINE_WHEN
const STUCK = `select position(repeat(repeat('a', 1000000), 100), concat(repeat('a', 1000000), 'b'))`
if (isMainThread && file && process.argv[1]) {
  const { Session } = createRequire(process.argv[1])('chdb')
  let isDone = false
  for (const method of ['queryAsync', 'queryBindAsync']) {
    const original = Session.prototype[method]
    Session.prototype[method] = function (text, ...rest) {
      const isNext = !isDone && text.includes('max_execution_time') && existsSync(file)
      isDone ||= isNext
      return original.call(this, isNext ? STUCK : text, ...rest)
    }
  }
}

// The same for the next statement of a user, which runs in a process of its own.
const fileOfStatements = process.env.STICK_STATEMENT_WHEN
if (isMainThread && fileOfStatements) {
  const processes = require('node:child_process')
  const { fork } = processes
  let isDone = false
  processes.fork = (...args) => {
    const child = fork(...args)
    const { send } = child
    child.send = (message, ...rest) => {
      const isNext = !isDone && typeof message.text === 'string' && existsSync(fileOfStatements)
      isDone ||= isNext
      return send.call(child, isNext ? { ...message, text: STUCK } : message, ...rest)
    }
    return child
  }
  syncBuiltinESMExports()
}
