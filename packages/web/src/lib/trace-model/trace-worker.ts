import { type LoadAnswer, type LoadRequest, readSpine, transfersOf } from './load-trace.ts'

self.addEventListener('message', ({ data }: MessageEvent<LoadRequest>) => {
  try {
    const trace = readSpine(data)
    self.postMessage({ trace } satisfies LoadAnswer, { transfer: transfersOf(trace) })
  } catch (cause) {
    self.postMessage({ problem: cause instanceof Error ? cause.message : String(cause) } satisfies LoadAnswer)
  }
})
