import type { Diff } from '#lib/diff/ask-diff.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { JsonDiff } from './json-diff.tsx'
import { TextDiff } from './text-diff.tsx'
import { TurnsDiff } from './turns-diff.tsx'

/** What differs between two texts, documents or conversations; what does not is folded. */
export function DiffView({ diff }: { diff: Diff }) {
  const differs = diff.kind === 'chat' ? diff.turns.some(isDifferent) : diff.lines.some(isDifferent)
  const isEmpty = diff.kind === 'chat' ? diff.turns.length === 0 : diff.lines.length === 0
  if (isEmpty) return <EmptyState title="Nothing to compare">Neither side recorded any.</EmptyState>
  return (
    <div>
      {!differs && (
        <p role="status" className="border-b border-border px-3 py-1.5 text-row text-fg-muted">
          No difference.
        </p>
      )}
      {diff.kind === 'chat' ? (
        <TurnsDiff turns={diff.turns} />
      ) : diff.kind === 'json' ? (
        <JsonDiff lines={diff.lines} />
      ) : (
        <TextDiff lines={diff.lines} />
      )}
    </div>
  )
}

function isDifferent({ kind }: { kind: string }): boolean {
  return kind !== 'same'
}
