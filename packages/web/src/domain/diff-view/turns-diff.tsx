import { cx } from '#lib/browser/cx.ts'
import type { TurnPair } from '#lib/diff/diff-turns.ts'
import { FoldedList } from './folded-list.tsx'
import { TextLineView, Sign } from './text-diff.tsx'

/** Two conversations as one, message by message. */
export function TurnsDiff({ turns }: { turns: readonly TurnPair[] }) {
  return (
    <div className="flex flex-col gap-2 p-2">
      <FoldedList items={turns} isSame={({ kind }) => kind === 'same'} of="messages">
        {({ kind, role, lines }, index) => (
          <article key={index} className="overflow-hidden rounded-card border border-border bg-surface">
            <header
              className={cx(
                'flex items-center gap-1 py-1 text-row font-medium',
                kind === 'added' && 'bg-add-bg',
                kind === 'removed' && 'bg-del-bg',
              )}
            >
              <Sign kind={kind} />
              {role}
              {kind === 'added' && <span className="font-normal text-fg-muted">only in B</span>}
              {kind === 'removed' && <span className="font-normal text-fg-muted">only in A</span>}
            </header>
            <div className="pb-1 text-row">
              <FoldedList items={lines} isSame={(line) => line.kind === 'same'} of="lines">
                {(line, at) => <TextLineView key={at} line={line} />}
              </FoldedList>
            </div>
          </article>
        )}
      </FoldedList>
    </div>
  )
}
