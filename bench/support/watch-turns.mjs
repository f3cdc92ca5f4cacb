/**
 * Loaded into a server by `--import`: tells how long the longest turn of its event loop took, in milliseconds of the
 * processor, so that whatever else the machine does is not counted. `GET /` on the port of `TOUCHSTONE_BENCH_TURNS_PORT`
 * answers the longest since the last time it was asked.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 2

if (isMainThread) {
  let longest = 0
  let before = processorMs()
  setInterval(() => {
    const now = processorMs()
    longest = Math.max(longest, now - before)
    before = now
  }, EVERY_MS)
  createServer((_request, answer) => {
    answer.end(String(longest))
    longest = 0
  }).listen(Number(process.env.TOUCHSTONE_BENCH_TURNS_PORT), '127.0.0.1')
}

/** Of this thread alone where the system tells (Linux), else the time that has passed. */
function processorMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}
