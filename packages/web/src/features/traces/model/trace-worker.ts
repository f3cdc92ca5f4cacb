import { type LoadAnswer, type LoadRequest, listTransfers, parseTrace } from './load-trace.ts'

self.addEventListener('message', ({ data }: MessageEvent<LoadRequest>) => {
  try {
    const trace = parseTrace(data)
    self.postMessage({ trace } satisfies LoadAnswer, { transfer: listTransfers(trace) })
  } catch (cause) {
    self.postMessage({ problem: cause instanceof Error ? cause.message : String(cause) } satisfies LoadAnswer)
  }
})
