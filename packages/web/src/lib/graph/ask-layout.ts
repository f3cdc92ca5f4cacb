import type { GraphLayout, GraphToLayOut } from './layout-graph.ts'

/** Lays a graph out in a worker of its own, which ends with the answer or when nobody wants it any more. */
export function askLayout(graph: GraphToLayOut, signal: AbortSignal): Promise<GraphLayout> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'graph' })
  return new Promise<GraphLayout>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      worker.terminate()
      reject(signal.reason)
    })
    worker.onmessage = ({ data }: MessageEvent<GraphLayout>) => {
      worker.terminate()
      resolve(data)
    }
    worker.onerror = (event) => {
      worker.terminate()
      reject(new Error(event.message || 'The graph could not be laid out.'))
    }
    worker.postMessage(graph)
  })
}
