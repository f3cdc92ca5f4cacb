import { listBuffers } from '../model/build-trace.ts'
import { parseTrace } from '../model/load-trace.ts'
import { findRow } from '../model/trace.ts'
import { mergeTraces } from './merge-traces.ts'
import type { ComparedTraces } from './merged.ts'

/** The bytes of two run trees, and the run to compare in each. */
export interface CompareRequest {
  a: { tree: ArrayBuffer; run: string }
  b: { tree: ArrayBuffer; run: string }
}

export type CompareAnswer = { compared: ComparedTraces } | { problem: string }

/** Parses both traces and merges them. */
export function compareTraces({ a, b }: CompareRequest): ComparedTraces {
  const [sideA, sideB] = [parseSide(a), parseSide(b)]
  const merged = mergeTraces(sideA, sideB)
  return { a: sideA.trace, b: sideB.trace, rootA: sideA.root, rootB: sideB.root, merged }
}

function parseSide({ tree, run }: CompareRequest['a']) {
  const trace = parseTrace({ bytes: tree, knownVersion: undefined })
  if (!trace) throw new Error('A run tree without a known version must be parsed.')
  return { trace, root: findRow(trace, run) ?? 0 }
}

/** The buffers of the result, to transfer instead of copying them. */
export function listTransfers({ a, b, merged }: ComparedTraces): ArrayBuffer[] {
  const columns = Object.values(merged).filter((value) => ArrayBuffer.isView(value))
  return [...listBuffers(a), ...listBuffers(b), ...columns.map((view) => view.buffer as ArrayBuffer)]
}

/** Compares in a new worker, so that the page stays responsive. */
export function compareInWorker(request: CompareRequest, signal?: AbortSignal): Promise<ComparedTraces> {
  const worker = new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module', name: 'compare' })
  return new Promise<ComparedTraces>((resolve, reject) => {
    const end = () => worker.terminate()
    signal?.addEventListener('abort', () => {
      end()
      reject(signal.reason)
    })
    worker.onmessage = ({ data }: MessageEvent<CompareAnswer>) => {
      end()
      if ('problem' in data) reject(new Error(data.problem))
      else resolve(data.compared)
    }
    worker.onerror = (event) => {
      end()
      reject(new Error(event.message || 'The comparison failed.'))
    }
    worker.postMessage(request, [request.a.tree, request.b.tree])
  })
}
