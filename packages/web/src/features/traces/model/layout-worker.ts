import { type GraphToLayOut, layOutGraph } from './layout-graph.ts'

self.addEventListener('message', ({ data }: MessageEvent<GraphToLayOut>) => {
  self.postMessage(layOutGraph(data))
})
