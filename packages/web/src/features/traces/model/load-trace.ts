import type { TraceColumns } from '@touchstone/contract'
import { decodeTraceRuns } from '@touchstone/contract/trace-columns'
import { buildTrace, listBuffers } from './build-trace.ts'
import type { Trace } from './trace.ts'

/** Larger run trees, from about 2,000 runs, are parsed by a worker, so that the page stays responsive. */
export const WORKER_FROM_BYTES = 130_000

export interface LoadRequest {
  bytes: ArrayBuffer
  /** Version that is shown. A run tree with the same version is not parsed again. */
  knownVersion: string | undefined
}

export type LoadAnswer = { trace: Trace | undefined } | { problem: string }

/**
 * Builds a trace from the bytes of its run tree.
 *
 * @returns undefined if the run tree has the version that is shown
 */
export async function loadTrace(bytes: ArrayBuffer, knownVersion?: string): Promise<Trace | undefined> {
  return bytes.byteLength > WORKER_FROM_BYTES
    ? loadInWorker({ bytes, knownVersion })
    : parseTrace({ bytes, knownVersion })
}

/** Like `loadTrace`, synchronously on the calling thread. */
export function parseTrace({ bytes, knownVersion }: LoadRequest): Trace | undefined {
  const parsed = JSON.parse(new TextDecoder().decode(bytes)) as TraceColumns
  return parsed.version === knownVersion ? undefined : buildTrace({ ...parsed, runs: decodeTraceRuns(parsed.runs) })
}

export function listTransfers(trace: Trace | undefined): ArrayBuffer[] {
  return trace ? listBuffers(trace) : []
}

let worker: Worker | undefined
let queue: Promise<unknown> = Promise.resolve()

function loadInWorker(request: LoadRequest): Promise<Trace | undefined> {
  const answer = queue.then(() => ask(request))
  queue = answer.catch(() => undefined)
  return answer
}

function ask(request: LoadRequest): Promise<Trace | undefined> {
  worker ??= new Worker(new URL('./trace-worker.ts', import.meta.url), { type: 'module', name: 'trace' })
  const current = worker
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      current.terminate()
      worker = undefined
      reject(new Error(message))
    }
    current.onmessage = ({ data }: MessageEvent<LoadAnswer>) =>
      'problem' in data ? fail(data.problem) : resolve(data.trace)
    current.onerror = (event) => fail(event.message || 'The trace worker failed.')
    current.postMessage(request, [request.bytes])
  })
}
