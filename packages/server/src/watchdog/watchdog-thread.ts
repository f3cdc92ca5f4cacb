import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { workerData } from 'node:worker_threads'
import { OpenConnections } from '../http/open-connections.ts'
import { readPendingSignals, type SignalPipe, type WatchdogData } from './watchdog.ts'

const { beats, stuckAfterMs, livePort, host, signalPipe } = workerData as WatchdogData
const count = new Int32Array(beats)

const CHECK_MS = 500
/** Of /live. The main thread counts only its own connections; these take file descriptors of the same process. */
const MAX_CONNECTIONS = 32
/** Before this time, the loop is expected to handle the signal itself. */
const SIGNAL_AFTER_MS = 3_000
const SIGTERM = 15
const SIGINT = 2

// Counts checks and not time: a process that was suspended as a whole is not stuck.
let lastBeat = -1
let stuckMs = 0

setInterval(() => {
  const beat = Atomics.load(count, 0)
  stuckMs = beat === lastBeat ? stuckMs + CHECK_MS : 0
  lastBeat = beat
  if (stuckAfterMs === 0) return
  if (stuckMs >= stuckAfterMs) end(`has been stuck for ${stuckMs / 1000} s`)
  if (stuckMs >= SIGNAL_AFTER_MS && signalPipe !== undefined && isAskedToStop(signalPipe)) {
    end(`has been stuck for ${stuckMs / 1000} s and a signal asks the server to stop`)
  }
}, CHECK_MS)

if (livePort !== undefined) {
  const full = () => writeLog('error', `${MAX_CONNECTIONS} connections to /live are open; idle ones are closed.`)
  const connections = new OpenConnections(MAX_CONNECTIONS, full)
  connections.watch()
  createServer((request, response) => {
    connections.begin(request.socket)
    response.once('close', () => connections.end(request.socket))
    request.resume()
    const isLive = stuckAfterMs === 0 || stuckMs < Math.min(stuckAfterMs, LIVE_WITHIN_MS)
    const known = request.method === 'GET' && request.url?.split('?')[0] === '/live'
    response.writeHead(known ? (isLive ? 200 : 503) : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(known ? { live: isLive, stuck_ms: stuckMs } : { detail: 'Not found' }))
  })
    .on('error', (error) => writeLog('error', `/live cannot be answered: ${error.message}`))
    .listen(livePort, host)
}

/** A loop without a turn for this long is not live. */
const LIVE_WITHIN_MS = 10_000

/** Whether SIGTERM or SIGINT is pending. */
function isAskedToStop(pipe: SignalPipe): boolean {
  return readPendingSignals(pipe).some((signal) => signal === SIGTERM || signal === SIGINT)
}

function end(why: string): void {
  writeLog('fatal', `The event loop ${why}; the process is ended. Requests that were acknowledged are stored.`)
  process.kill(process.pid, 'SIGKILL')
}

/** Writes to standard error directly: the logger needs the loop that is stuck. */
function writeLog(level: 'error' | 'fatal', msg: string): void {
  const line = { level: level === 'fatal' ? 60 : 50, time: Date.now(), pid: process.pid, msg }
  writeSync(2, `${JSON.stringify(line)}\n`)
}
