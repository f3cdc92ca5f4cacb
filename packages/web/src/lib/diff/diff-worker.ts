import type { Diff, DiffAnswer, DiffRequest } from './ask-diff.ts'
import { diffJson } from './diff-json.ts'
import { diffText } from './diff-text.ts'
import { diffTurns } from './diff-turns.ts'

self.addEventListener('message', ({ data }: MessageEvent<DiffRequest>) => {
  try {
    self.postMessage({ diff: computeDiff(data) } satisfies DiffAnswer)
  } catch (cause) {
    self.postMessage({ problem: cause instanceof Error ? cause.message : String(cause) } satisfies DiffAnswer)
  }
})

function computeDiff(request: DiffRequest): Diff {
  switch (request.kind) {
    case 'text':
      return { kind: 'text', lines: diffText(request.a, request.b) }
    case 'json':
      return { kind: 'json', lines: diffJson(request.a, request.b) }
    case 'chat':
      return { kind: 'chat', turns: diffTurns(request.a, request.b) }
  }
}
