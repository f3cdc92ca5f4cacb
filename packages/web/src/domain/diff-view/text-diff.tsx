import { cx } from '#lib/browser/cx.ts'
import type { TextLine } from '#lib/diff/diff-text.ts'
import { FoldedList } from './folded-list.tsx'

/** Two texts as one: removed lines, then added ones, with the words that differ marked. */
export function TextDiff({ lines }: { lines: readonly TextLine[] }) {
  return (
    <div className="font-mono text-row">
      <FoldedList items={lines} isSame={({ kind }) => kind === 'same'} of="lines">
        {(line, index) => <TextLineView key={index} line={line} />}
      </FoldedList>
    </div>
  )
}

/** One line with its sign. */
export function TextLineView({ line: { kind, pieces } }: { line: TextLine }) {
  return (
    <div className={cx('flex', kind === 'added' && 'bg-add-bg', kind === 'removed' && 'bg-del-bg')}>
      <Sign kind={kind} />
      <span className="min-w-0 flex-1 whitespace-pre-wrap break-words pr-2 [overflow-wrap:anywhere]">
        {pieces.map(({ text, marked }, index) =>
          marked ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no ids and never move
            <mark key={index} className={cx('text-fg', kind === 'added' ? 'bg-add-mark' : 'bg-del-mark')}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </div>
  )
}

const SIGNS: Record<string, [string, string]> = {
  added: ['+', 'added'],
  removed: ['-', 'removed'],
  changed: ['~', 'changed'],
}

/** `+`, `-` or `~`, and its word for screen readers. */
export function Sign({ kind }: { kind: string }) {
  const [sign, word] = SIGNS[kind] ?? [' ', '']
  return (
    <span className="w-5 shrink-0 select-none text-center font-mono text-fg-muted">
      <span aria-hidden>{sign}</span>
      {word && <span className="sr-only">{word} </span>}
    </span>
  )
}
