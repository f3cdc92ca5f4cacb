import { type CompareAnswer, type CompareRequest, compareSpines, transfersOfCompared } from './compare-spines.ts'

self.addEventListener('message', ({ data }: MessageEvent<CompareRequest>) => {
  try {
    const compared = compareSpines(data)
    self.postMessage({ compared } satisfies CompareAnswer, { transfer: transfersOfCompared(compared) })
  } catch (cause) {
    self.postMessage({ problem: cause instanceof Error ? cause.message : String(cause) } satisfies CompareAnswer)
  }
})
