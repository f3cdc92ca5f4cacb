// Loaded into the server by tests (NODE_OPTIONS=--require): shifts its clock by the milliseconds in a file, at any time. What
// counts the time that passes (`performance.now`, timers) goes on, as on a machine whose clock is set.
const { readFileSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const file = process.env.SHIFT_CLOCK_FILE
if (isMainThread && file) {
  const real = globalThis.Date
  let shiftMs = 0
  const read = () => {
    shiftMs = Number(readFileSync(file, 'utf8')) || 0
  }
  read()
  setInterval(read, 20).unref()
  const now = () => real.now() + shiftMs
  globalThis.Date = new Proxy(real, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
    apply: () => new real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
