/**
 * Loaded into a server by `--import`: how late its event loop is. `GET /` on the port of `TOUCHSTONE_BENCH_LOOP_PORT` answers
 * milliseconds since the last time it was asked.
 */
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.TOUCHSTONE_BENCH_LOOP_PORT) {
  const histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  createServer((_request, answer) => {
    const toMs = (ns) => Math.round(ns / 1e5) / 10
    answer.end(JSON.stringify({ p99: toMs(histogram.percentile(99)), max: toMs(histogram.max) }))
    histogram.reset()
  })
    .on('error', () => {}) // the command line that starts the server loads it too
    .listen(Number(process.env.TOUCHSTONE_BENCH_LOOP_PORT), '127.0.0.1')
}
