import { type CompareAnswer, type CompareRequest, compareTraces, listTransfers } from './compare-traces.ts'

self.addEventListener('message', ({ data }: MessageEvent<CompareRequest>) => {
  try {
    const compared = compareTraces(data)
    self.postMessage({ compared } satisfies CompareAnswer, { transfer: listTransfers(compared) })
  } catch (cause) {
    self.postMessage({ problem: cause instanceof Error ? cause.message : String(cause) } satisfies CompareAnswer)
  }
})
